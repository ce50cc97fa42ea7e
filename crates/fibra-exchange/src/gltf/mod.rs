//! glTF 2.0, text and binary: meshes are read, still or moving; frames are written.

mod read;
mod write;

pub(crate) use read::GltfScene;
pub use write::{GlbError, encode};
