//! The glTF container, which is either a JSON file or a binary file with a JSON chunk and a binary chunk, and its buffers.

use super::accessor::MAX_NUMBERS;
use super::document::Document;
use crate::error::Fault;
use crate::{ImportError, file};
use std::cell::Cell;
use std::path::{Path, PathBuf};

const REMEDY: &str = "use a glTF 2.0 file (.gltf or .glb)";

/// Chunk types of a binary file.
const JSON: &[u8; 4] = b"JSON";
const BINARY: &[u8; 4] = b"BIN\0";

/// A parsed file with the bytes of its buffers.
pub(super) struct Contents {
    pub document: Document,
    pub buffers: Vec<Vec<u8>>,
    /// Remaining budget of numbers to read.
    pub numbers_left: Cell<usize>,
}

impl Contents {
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, ImportError> {
        let reject = |fault: Fault| fault.in_file(path);
        let (document, binary) = document(bytes).map_err(reject)?;
        if document.asset.version.split('.').next() != Some("2") {
            let problem = format!("the version is `{}`", document.asset.version);
            return Err(reject(Fault::new("asset.version", problem, REMEDY)));
        }
        if let Some(name) = document.extensions_required.iter().find(|name| changes_meshes(name)) {
            let problem = format!("the file requires the unsupported extension {name}");
            return Err(reject(Fault::new("extensionsRequired", problem, "export it without compression")));
        }
        let mut buffers = Vec::with_capacity(document.buffers.len());
        let mut total = 0;
        for (index, buffer) in document.buffers.iter().enumerate() {
            let here = |problem: String| {
                Fault::new(format!("buffers[{index}]"), problem, "the file is damaged; export it again").in_file(path)
            };
            let mut bytes = match (&buffer.uri, binary) {
                (None, Some(binary)) if index == 0 => binary.to_vec(),
                (None, _) => return Err(here("it has no `uri`, and the file has no binary chunk for it".to_owned())),
                (Some(uri), _) => match uri.strip_prefix("data:") {
                    Some(data) => {
                        decode_data_uri(data).ok_or_else(|| here("its `data:` URI is not base64".to_owned()))?
                    }
                    None => file::read(&beside(path, uri))?,
                },
            };
            // Many buffers can refer to the same file.
            total += bytes.len() as u64;
            if total > file::MAX_BYTES {
                let problem = format!("all buffers together are larger than 2 GiB ({} bytes)", file::MAX_BYTES);
                return Err(Fault::new(format!("buffers[{index}]"), problem, "export less at a time").in_file(path));
            }
            if bytes.len() < buffer.byte_length {
                return Err(here(format!(
                    "`byteLength` is {}, but there are {} bytes",
                    buffer.byte_length,
                    bytes.len()
                )));
            }
            bytes.truncate(buffer.byte_length);
            buffers.push(bytes);
        }
        Ok(Self { document, buffers, numbers_left: Cell::new(MAX_NUMBERS) })
    }
}

/// Returns the files of the buffers that a file refers to, given its contents.
pub(super) fn named_buffers(bytes: &[u8], path: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let (document, _) = document(bytes).map_err(|fault| fault.in_file(path))?;
    let names = document.buffers.iter().filter_map(|buffer| buffer.uri.as_deref());
    Ok(names.filter(|uri| !uri.starts_with("data:")).map(|uri| beside(path, uri)).collect())
}

/// Parses the JSON document, and returns the binary chunk of a binary file.
fn document(bytes: &[u8]) -> Result<(Document, Option<&[u8]>), Fault> {
    let (json, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let document = serde_json::from_slice(json).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Fault::new(place, format!("invalid JSON: {error}"), REMEDY)
    })?;
    Ok((document, binary))
}

/// Resolves a `uri` in the file at `path` to the path of the file that it names.
fn beside(path: &Path, uri: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(percent_decoded(uri))
}

/// Returns whether an extension changes how meshes must be read.
fn changes_meshes(extension: &str) -> bool {
    !extension.starts_with("KHR_materials")
        && !extension.starts_with("KHR_texture")
        && !["KHR_mesh_quantization", "KHR_lights_punctual", "KHR_xmp_json_ld", "EXT_texture_webp"].contains(&extension)
}

/// Returns the JSON chunk and the binary chunk of a binary file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let cut = |at: usize| Fault::new(format!("byte {at}"), "the file is truncated or damaged", REMEDY);
    let word = |at: usize| -> Option<u32> { Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)) };
    if word(4) != Some(2) {
        return Err(Fault::new("byte 4", "the version is not 2", REMEDY));
    }
    let (mut json, mut binary) = (None, None);
    let mut at = 12;
    while at < bytes.len() {
        let length = word(at).ok_or_else(|| cut(at))? as usize;
        let kind = bytes.get(at + 4..at + 8).ok_or_else(|| cut(at))?;
        let end = (at + 8).checked_add(length).ok_or_else(|| cut(at))?;
        let chunk = bytes.get(at + 8..end).ok_or_else(|| cut(at))?;
        if kind == JSON && json.is_none() {
            json = Some(chunk);
        } else if kind == BINARY && binary.is_none() {
            binary = Some(chunk);
        }
        at = end;
    }
    Ok((json.ok_or_else(|| cut(12))?, binary))
}

/// Decodes a base64 `data:` URI, given the text after `data:`.
fn decode_data_uri(data: &str) -> Option<Vec<u8>> {
    let (_, text) = data.split_once(";base64,")?;
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// Decodes percent-encoded characters such as `%20`.
fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut name = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|code| std::str::from_utf8(code).ok());
        match (bytes[at], code.and_then(|code| u8::from_str_radix(code, 16).ok())) {
            (b'%', Some(byte)) => {
                name.push(byte);
                at += 3;
            }
            (byte, _) => {
                name.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_decoded() {
        assert_eq!(decode_data_uri("application/octet-stream;base64,TWFueSBoYW5kcw==").unwrap(), b"Many hands");
        assert_eq!(decode_data_uri("x;base64,TWE").unwrap(), b"Ma");
        assert_eq!(decode_data_uri("x;base64,T*=="), None);
        assert_eq!(decode_data_uri("plain text"), None);
        assert_eq!(percent_decoded("my%20mesh%2.bin"), "my mesh%2.bin");
    }
}
