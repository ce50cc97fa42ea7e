//! Files of other programs: runs are written as USD and glTF, and meshes, curves and their animations read from them.
//!
//! | module | holds |
//! |---|---|
//! | `import` | the entries: [`read_mesh`], [`read_animation`], [`read_deforming`], [`read_curves`], [`read_strands`] |
//! | `usd_read` | USD, text and binary, layers put together |
//! | `gltf_read` | glTF 2.0, text and binary, with animations and skins |
//!
//! Readers believe nothing that a file says: damaged and hostile files give an [`ImportError`] that names the place, never a
//! panic, a hang or memory without bound (`tests/mutated.rs`).

mod error;
mod file;
mod gltf_read;
mod import;
mod recording;
mod usd_read;

pub use error::ImportError;
pub use import::{
    DeformingImport, parse_animation, parse_mesh, parse_strands_usd, read_animation, read_curves, read_deforming,
    read_mesh, read_strands,
};
pub use recording::Recording;
