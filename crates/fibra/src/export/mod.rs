//! A run's frames as files for other programs, one per frame, in world coordinates.
//!
//! | format | for | holds |
//! |---|---|---|
//! | [`ply`] | Blender, Houdini, MeshLab | points, faces, edges, velocities, objects, attributes; grains as points with quaternions in `NNNN.grains.ply`; binary |
//! | [`obj`] | anything | points, faces and polylines only; text |
//! | [`vtk`] | ParaView | points, triangles, polylines, velocities, objects, attributes, time; binary, with a `.pvd` for the series |
//! | [`hair`] | renderers and groomers of hair | curves alone, as strands; binary |

pub mod hair;
pub mod obj;
pub mod ply;
pub mod vtk;

use crate::run_folder::{RunFolder, RunFolderError};
use fibra_core::atomic_file::{WriteError, write_bytes_atomic};
use fibra_core::frame::Frame;
use fibra_core::geometry::HairFlaw;
use fibra_core::tensor_file::TensorFileError;
use std::path::{Path, PathBuf};

/// A format to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Binary points, faces and edges with velocities and attributes (`.ply`).
    Ply,
    /// Text with one vertex per point, cloth as faces and curves as lines (`.obj`).
    Obj,
    /// ParaView points, lines and triangles (`.vtp`) and a time series (`frames.pvd`).
    Vtk,
    /// Curves as strands of hair, in metres (`.hair`).
    Hair,
}

impl Format {
    /// Ending of a frame's file name.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Ply => "ply",
            Format::Obj => "obj",
            Format::Vtk => "vtp",
            Format::Hair => "hair",
        }
    }

    fn encode(self, frame: &Frame, path: &Path) -> Result<Vec<u8>, ExportError> {
        match self {
            Format::Ply => Ok(ply::encode(frame)),
            Format::Obj => Ok(obj::encode(frame)),
            Format::Vtk => Ok(vtk::encode(frame)),
            Format::Hair => match hair::encode(frame) {
                Ok(Some(bytes)) => Ok(bytes),
                Ok(None) => Err(ExportError::NoCurves(path.to_owned())),
                Err(flaw) => Err(ExportError::Strands { path: path.to_owned(), flaw }),
            },
        }
    }
}

/// Writes every frame of a run into the folder `out`, which is made where it is missing. Returns the number of frames.
pub fn export(run: &RunFolder, format: Format, out: &Path) -> Result<usize, ExportError> {
    let indices = run.frames()?.indices;
    if indices.is_empty() {
        return Err(ExportError::NoFrames(run.root().to_owned()));
    }
    std::fs::create_dir_all(out).map_err(|source| WriteError { path: out.to_owned(), bytes_needed: 0, source })?;
    let mut series = Vec::new();
    for &index in &indices {
        let path = run.frame_path(index);
        let frame = Frame::read(&path)?;
        let name = format!("{index:04}.{}", format.extension());
        write_bytes_atomic(&out.join(&name), &format.encode(&frame, &path)?)?;
        if format == Format::Ply && !frame.instances.is_empty() {
            write_bytes_atomic(&out.join(format!("{index:04}.grains.ply")), &ply::encode_instances(&frame))?;
        }
        series.push((frame.time, name));
    }
    if format == Format::Vtk {
        write_bytes_atomic(&out.join("frames.pvd"), vtk::series(&series).as_bytes())?;
    }
    Ok(indices.len())
}

/// Whether world coordinates need 64 bits: near the origin the stored 32 are exact.
fn is_far(frame: &Frame) -> bool {
    frame.origin != [0.0; 3]
}

/// Why a run could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is nothing to export.
    #[error("{} has no frames", .0.display())]
    NoFrames(PathBuf),
    /// A frame has nothing of what the format holds.
    #[error("{} has no curves, and .hair files hold nothing else; ply, obj and vtk hold points and faces", .0.display())]
    NoCurves(PathBuf),
    /// A frame's curves do not fit into the format.
    #[error("{}: {flaw}", .path.display())]
    Strands {
        /// The frame's file.
        path: PathBuf,
        /// What does not fit.
        flaw: HairFlaw,
    },
    /// A frame cannot be read.
    #[error(transparent)]
    Frame(#[from] TensorFileError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
}

#[cfg(test)]
mod tests {
    use fibra_core::frame::{Attribute, Frame};

    /// Two points with an attribute whose name needs care in every format.
    pub(super) fn sample(origin: [f64; 3]) -> Frame {
        Frame {
            index: 3,
            time: 0.125,
            origin,
            object: vec![0, 7],
            points: vec![[0.1, 2.0, -3.0], [4.0, 5.5, 6.0]],
            velocities: vec![[1.0, 0.0, 0.0], [0.0, -1.0, 0.5]],
            attributes: vec![Attribute { name: "a <b>\n".to_owned(), unit: "Pa".to_owned(), values: vec![10.0, 20.0] }],
            segments: vec![],
            ..Frame::default()
        }
    }

    /// Two triangles (object 1), a thread of three points (object 2) and a grain (object 0), in mixed order.
    pub(super) fn woven() -> Frame {
        let points: Vec<[f32; 3]> = (0..8).map(|k| [k as f32, 0.25, -0.5]).collect();
        Frame {
            object: vec![1, 1, 1, 1, 0, 2, 2, 2],
            velocities: vec![[0.0; 3]; 8],
            attributes: vec![Attribute {
                name: "stretch".to_owned(),
                unit: "-".to_owned(),
                values: (0..8).map(|k| k as f32).collect(),
            }],
            segments: vec![[7, 6], [6, 5]],
            triangles: vec![[0, 1, 2], [2, 1, 3]],
            points,
            ..Frame::default()
        }
    }
}
