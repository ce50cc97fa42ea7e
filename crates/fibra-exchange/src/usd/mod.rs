//! USD, text and binary: meshes, curves and strands are read, still or moving; runs are written.

mod read;
mod write;

pub(crate) use read::UsdScene;
pub use write::{StageError, StageWriter};
