//! File formats: reads the meshes, curves, hair and points of other programs, and writes simulations in their formats.
//!
//! ```
//! use fibra_exchange::parse::parse_mesh;
//! use fibra_exchange::writers::write_ply;
//!
//! let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
//! let mesh = parse_mesh(obj, "tetrahedron.obj", None)?;
//! assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (4, 4));
//!
//! let mut ply = Vec::new();
//! write_ply(&mesh, &mut ply)?;
//! assert_eq!(parse_mesh(&ply, "tetrahedron.ply", None)?, mesh);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The extension of a file selects the format:
//!
//! | format | extensions | read | written |
//! |---|---|---|---|
//! | PLY | `.ply` | meshes, points, mesh sequences | meshes, frames |
//! | Wavefront OBJ | `.obj` | meshes, points, mesh sequences | meshes, frames |
//! | VTK PolyData | `.vtp`, `.pvd` | | frames and their time series |
//! | Cem Yuksel's hair | `.hair` | curves, strands | strands ([`HairFile`]), frames |
//! | binary curve collection | `.bcc` | curves | |
//! | USD | `.usd`, `.usda`, `.usdc` | meshes, deforming meshes, curves, strands | whole runs ([`StageWriter`]) |
//! | glTF 2.0 | `.gltf`, `.glb` | meshes, deforming meshes | frames ([`encode_glb`]) |
//! | CSV | `.csv` | points, directions, poses | |
//!
//! [`FORMATS`] is this table as data, without directions and poses. `fibra export --to` and the lists of extensions in error messages are derived
//! from it. To add a format, add a folder with its reader and writer, and a row in `formats.rs`.
//!
//! - **Reading**: [`read_mesh`], [`read_animation`], [`read_deforming`], [`read_curves`], [`read_strands`] and [`read_points`]; the functions in [`parse`]
//!   take the contents of a file. Every error is an [`ImportError`], which names the file and, for invalid content, the location in the file and
//!   what is allowed.
//!   Readers validate all input: damaged and hostile files never cause a panic, a hang or unbounded memory use (`tests/formats/mutated.rs`).
//! - **Writing**: [`write_mesh`] for meshes. A run is a sequence of `Frame`s (data that changes) with an `Appearance` (data that does not), both from
//!   `fibra-core`; `Format::write_run` converts them to files.
//!
//! Fibra's own files (frames and checkpoints, as safetensors) are in `fibra_core::{frame, tensor_file}`.

mod bcc;
mod bytes;
mod csv;
mod curve_import;
mod error;
mod export;
mod file;
mod files_behind;
mod formats;
mod gltf;
mod hair;
mod import;
mod layout;
mod obj;
mod ply;
mod point_fields;
mod points;
mod polygons;
mod recording;
mod rotation;
mod sequence;
mod shapes;
#[cfg(test)]
mod test_frames;
#[cfg(test)]
mod test_meshes;
#[cfg(test)]
mod test_run;
mod usd;
mod vtk;
mod world;
mod xml;

pub use csv::{read_directions, read_poses};
pub use curve_import::CurveImport;
pub use error::ImportError;
pub use formats::{FORMATS, Format};
pub use gltf::encode as encode_glb;
pub use hair::HairFile;
pub use import::{DeformingImport, read_animation, read_curves, read_deforming, read_mesh, read_strands, write_mesh};
pub use points::{Points, read_points};
pub use recording::Recording;
pub use usd::StageWriter;

/// The readers, for the contents of a file instead of its path.
pub mod parse {
    pub use crate::csv::{parse_directions, parse_poses};
    pub use crate::import::{parse_animation, parse_curves, parse_mesh, parse_strands};
    pub use crate::points::parse_points;
}

/// Writers of runs and meshes, and their errors.
pub mod writers {
    pub use crate::export::{EncodeError, FrameFile, RunWriter};
    pub use crate::formats::{BeginRun, Content, WriteSeries, Writer};
    pub use crate::gltf::GlbError;
    pub use crate::obj::write_obj;
    pub use crate::ply::{write_ply, write_points_ply};
    pub use crate::usd::StageError;
    pub use crate::xml::escape_xml;
}

/// The parts of a [`HairFile`].
pub mod hair_file {
    pub use crate::hair::{HairFlaw, HairLooks, PerPoint};
}

/// The files that a file refers to.
pub mod dependencies {
    pub use crate::files_behind::files_behind;
    pub use crate::sequence::sequence_files;
}
