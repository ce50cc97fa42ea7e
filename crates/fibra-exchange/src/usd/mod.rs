//! USD, text and binary. Reads static and animated meshes, curves and strands, and writes runs.

mod read;
mod write;

pub(crate) use read::UsdScene;
pub use write::{StageError, StageWriter};
