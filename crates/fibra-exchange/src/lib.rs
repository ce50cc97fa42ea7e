//! Files of other programs: runs are written as USD and glTF, and meshes, curves and their animations read from them.
//!
//! | module | holds |
//! |---|---|
//! | [`usd_write`] | a run as one USD stage |
//! | [`glb_write`] | a frame as binary glTF |
//! | `import` | the entries for reading: [`read_mesh`], [`read_animation`], [`read_deforming`], [`read_curves`], [`read_strands`] |
//! | `files_behind` | the files that a file refers to: [`files_behind`] |
//! | `usd_read` | USD, text and binary, layers put together |
//! | `gltf_read` | glTF 2.0, text and binary, with animations and skins |
//!
//! Readers believe nothing that a file says: damaged and hostile files give an [`ImportError`] that names the place, never a
//! panic, a hang or memory without bound (`tests/mutated.rs`).

mod error;
mod file;
mod files_behind;
pub mod glb_write;
mod gltf_read;
mod import;
mod layout;
mod recording;
mod rotation;
mod shapes;
#[cfg(test)]
mod test_run;
mod usd_read;
pub mod usd_write;

pub use error::ImportError;
pub use files_behind::files_behind;
pub use import::{
    DeformingImport, parse_animation, parse_mesh, parse_strands_usd, read_animation, read_curves, read_deforming,
    read_mesh, read_strands,
};
pub use recording::Recording;
