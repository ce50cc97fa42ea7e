//! glTF 2.0, text and binary: reads static and animated meshes, writes frames.

mod read;
mod write;

pub(crate) use read::GltfScene;
pub use write::{GlbError, encode};
