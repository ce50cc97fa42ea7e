//! The bytes of a `.glb` file: a JSON document and one buffer with all arrays.

use bytemuck::Pod;
use serde_json::{Value, json};

/// A file under construction: the arrays of its JSON document and the buffer.
#[derive(Default)]
pub(super) struct GlbFile {
    pub(super) nodes: Vec<Value>,
    pub(super) meshes: Vec<Value>,
    pub(super) materials: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    buffer: Vec<u8>,
    /// Names of the glTF extensions that the file uses.
    extensions: Vec<&'static str>,
}

/// The use of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Vertices,
    Indices,
    Instances,
}

/// glTF codes of component types.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

impl GlbFile {
    /// Appends an item to a list and returns its index.
    pub(super) fn add(list: &mut Vec<Value>, item: Value) -> usize {
        list.push(item);
        list.len() - 1
    }

    /// Declares that the file uses an extension.
    pub(super) fn uses(&mut self, extension: &'static str) {
        if !self.extensions.contains(&extension) {
            self.extensions.push(extension);
        }
    }

    /// Adds an array of scalars or vectors and returns the index of its accessor.
    pub(super) fn floats<const N: usize>(&mut self, rows: &[[f32; N]], purpose: Use) -> usize {
        const { assert!(N == 1 || N == 3 || N == 4) };
        let mut accessor = json!({
            "bufferView": self.view(rows.as_flattened(), purpose),
            "componentType": FLOAT,
            "count": rows.len(),
            "type": if N == 1 { "SCALAR".to_owned() } else { format!("VEC{N}") },
        });
        if purpose == Use::Vertices && N == 3 {
            let (mut low, mut high) = ([f32::MAX; N], [-f32::MAX; N]);
            for row in rows {
                for axis in 0..N {
                    low[axis] = low[axis].min(row[axis]);
                    high[axis] = high[axis].max(row[axis]);
                }
            }
            (accessor["min"], accessor["max"]) = (json!(low.to_vec()), json!(high.to_vec()));
        }
        Self::add(&mut self.accessors, accessor)
    }

    /// Adds indices and returns the index of their accessor.
    pub(super) fn indices<const N: usize>(&mut self, elements: &[[u32; N]]) -> usize {
        let accessor = json!({
            "bufferView": self.view(elements.as_flattened(), Use::Indices),
            "componentType": UNSIGNED_INT,
            "count": N * elements.len(),
            "type": "SCALAR",
        });
        Self::add(&mut self.accessors, accessor)
    }

    fn view<T: Pod>(&mut self, scalars: &[T], purpose: Use) -> usize {
        let bytes: &[u8] = bytemuck::cast_slice(scalars);
        let mut view = json!({ "buffer": 0, "byteOffset": self.buffer.len(), "byteLength": bytes.len() });
        match purpose {
            Use::Vertices => view["target"] = json!(34962),
            Use::Indices => view["target"] = json!(34963),
            Use::Instances => {}
        }
        // All components have four bytes, so everything stays aligned.
        self.buffer.extend_from_slice(bytes);
        Self::add(&mut self.views, view)
    }

    /// Encodes the file, whose scene has the single node `root`. Returns `None` if it exceeds the 32-bit size of the format.
    pub(super) fn encode(self, root: usize, extras: Value) -> Option<Vec<u8>> {
        let generator = format!("fibra {}", env!("CARGO_PKG_VERSION"));
        let mut document = json!({
            "asset": { "version": "2.0", "generator": generator },
            "scene": 0,
            "scenes": [{ "nodes": [root], "extras": extras }],
        });
        let lists = [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ];
        for (name, list) in lists {
            // Empty lists are not allowed.
            if !list.is_empty() {
                document[name] = Value::Array(list);
            }
        }
        if !self.extensions.is_empty() {
            document["extensionsUsed"] = json!(self.extensions);
        }
        if !self.buffer.is_empty() {
            document["buffers"] = json!([{ "byteLength": self.buffer.len() }]);
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');

        let mut chunks = vec![(b"JSON", text)];
        if !self.buffer.is_empty() {
            chunks.push((b"BIN\0", self.buffer));
        }
        let length = 12 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        let mut file = Vec::with_capacity(length);
        file.extend(b"glTF");
        file.extend(2u32.to_le_bytes());
        file.extend(u32::try_from(length).ok()?.to_le_bytes());
        for (kind, bytes) in chunks {
            file.extend(u32::try_from(bytes.len()).ok()?.to_le_bytes());
            file.extend(kind);
            file.extend(bytes);
        }
        Some(file)
    }
}
