//! Reading whole files, none of which may be endless.

use crate::ImportError;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Largest file that is read [bytes]: larger ones would fill the memory of the machines this runs on.
const MAX_BYTES: u64 = 1 << 36;

/// The contents of a plain file. Files name other files: one that leads to a device or a pipe must not hang.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let refused = |source| ImportError::Io { file: path.display().to_string(), source };
    let about = std::fs::metadata(path).map_err(refused)?;
    if !about.is_file() {
        return Err(refused(Error::new(ErrorKind::InvalidInput, "it is no plain file")));
    }
    if about.len() > MAX_BYTES {
        return Err(refused(Error::new(ErrorKind::InvalidInput, format!("it has more than {MAX_BYTES} bytes"))));
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)).map_err(refused)?;
    Ok(bytes)
}

/// The extension of a name, in small letters.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
