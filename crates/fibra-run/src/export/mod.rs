//! A run's frames as files for other programs, in world coordinates: one for each frame, but a single one as USD.
//!
//! | format | for | holds |
//! |---|---|---|
//! | [`ply`] | Blender, Houdini, MeshLab | points, faces, edges, velocities, objects, attributes; grains as points with quaternions in `NNNN.grains.ply`; binary |
//! | [`obj`] | anything | points, faces and polylines only; text |
//! | [`vtk`] | ParaView | points, triangles, polylines, velocities, objects, attributes, time; binary, with a `.pvd` for the series |
//! | [`usd`] | Blender, usdview, whatever reads USD | the run as one stage `NAME.usdc`: points, meshes, curves with widths, grains as instances, velocities, attributes, colliders; binary |
//! | [`glb_write`] | browsers, Blender, game engines | triangles, lines, points, grains as instances, velocities, attributes, colliders; binary |
//! | [`hair`] | renderers and groomers of hair | curves alone, as strands; binary |

mod frames_ahead;
pub mod hair;
pub mod obj;
pub mod ply;
pub mod usd;
pub mod vtk;

use crate::appearance::{RunSceneError, appearance_of, scene_of};
use crate::folder::{RunFolder, RunFolderError};
use fibra_core::atomic_file::{WriteError, write_bytes_atomic};
use fibra_core::frame::Frame;
use fibra_core::geometry::HairFlaw;
use fibra_core::tensor_file::TensorFileError;
use fibra_exchange::glb_write::{self, GlbError};
use fibra_exchange::usd_write::StageError;
use frames_ahead::with_frames_ahead;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

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
    /// The whole run as one USD stage: meshes, curves, points, grains and colliders that move (`.usdc`).
    Usd,
    /// Binary glTF: triangles, lines, points, grains and colliders (`.glb`).
    Glb,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Number of frames.
    pub frames: usize,
    /// The folder they are in, or the one file.
    pub path: PathBuf,
}

/// Writes every frame of a run into the folder `out`, which is made where it is missing; for USD, `out` may also name the file. Ends early, and leaves
/// nothing half-written, when `stop` is set.
pub fn export(run: &RunFolder, format: Format, out: &Path, stop: &AtomicBool) -> Result<Exported, ExportError> {
    let indices = run.frames()?.indices;
    if indices.is_empty() {
        return Err(ExportError::NoFrames(run.root().to_owned()));
    }
    let frames: Vec<PathBuf> = indices.iter().map(|&index| run.frame_path(index)).collect();
    let mut path = out.to_owned();
    match format {
        Format::Ply => one_by_one(&frames, out, stop, |frame, _| {
            let mut files = vec![("ply", ply::encode(frame))];
            if !frame.instances.is_empty() {
                files.push(("grains.ply", ply::encode_instances(frame)));
            }
            Ok(files)
        })?,
        Format::Obj => one_by_one(&frames, out, stop, |frame, _| Ok(vec![("obj", obj::encode(frame))]))?,
        Format::Vtk => {
            let mut series = Vec::new();
            one_by_one(&frames, out, stop, |frame, stem| {
                series.push((frame.time, format!("{stem}.vtp")));
                Ok(vec![("vtp", vtk::encode(frame))])
            })?;
            write_bytes_atomic(&out.join("frames.pvd"), vtk::series(&series).as_bytes())?;
        }
        Format::Hair => one_by_one(&frames, out, stop, |frame, _| match hair::encode(frame) {
            Ok(Some(bytes)) => Ok(vec![("hair", bytes)]),
            Ok(None) => Err(ExportError::NoCurves(run.frame_path(frame.index))),
            Err(flaw) => Err(ExportError::Strands { path: run.frame_path(frame.index), flaw }),
        })?,
        Format::Usd => path = usd::export(run, &frames, out, stop)?,
        Format::Glb => {
            let appearance = appearance_of(&scene_of(run)?)?;
            one_by_one(&frames, out, stop, |frame, _| Ok(vec![("glb", glb_write::encode(frame, &appearance)?)]))?;
        }
    }
    Ok(Exported { frames: frames.len(), path })
}

fn create_folder(folder: &Path) -> Result<(), WriteError> {
    std::fs::create_dir_all(folder).map_err(|source| WriteError { path: folder.to_owned(), bytes_needed: None, source })
}

/// Writes files for each frame, named by its number and the endings that `encode` gives with their bytes.
fn one_by_one(
    frames: &[PathBuf],
    out: &Path,
    stop: &AtomicBool,
    mut encode: impl FnMut(&Frame, &str) -> Result<Vec<(&'static str, Vec<u8>)>, ExportError>,
) -> Result<(), ExportError> {
    with_frames_ahead(frames, stop, |frame| {
        let stem = format!("{:04}", frame.index);
        let files = encode(frame, &stem)?;
        create_folder(out)?;
        for (ending, bytes) in files {
            write_bytes_atomic(&out.join(format!("{stem}.{ending}")), &bytes)?;
        }
        Ok(())
    })
}

/// Whether world coordinates need 64 bits: near the origin the stored 32 are exact.
fn is_far(frame: &Frame) -> bool {
    frame.origin != [0.0; 3]
}

/// Why a run could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The user wanted it to end.
    #[error("interrupted before all frames were written")]
    Interrupted,
    /// A frame is in a file of another one's name.
    #[error("{} holds frame {index}; the file of a frame is named by its number", .path.display())]
    Misnamed {
        /// The file.
        path: PathBuf,
        /// The frame in it.
        index: u32,
    },
    /// There is nothing to export.
    #[error("{} has no frames", .0.display())]
    NoFrames(PathBuf),
    /// A frame has nothing of what the format holds.
    #[error("{} has no curves, and .hair files hold nothing else; the other formats hold points and faces", .0.display())]
    NoCurves(PathBuf),
    /// A frame's curves do not fit into the format.
    #[error("{}: {flaw}", .path.display())]
    Strands {
        /// The frame's file.
        path: PathBuf,
        /// What does not fit.
        flaw: HairFlaw,
    },
    /// A run does not fit into a stage.
    #[error("cannot write {}: {source}", .path.display())]
    Stage {
        /// The stage's file.
        path: PathBuf,
        /// Why not.
        source: StageError,
    },
    /// A frame does not fit into a file.
    #[error(transparent)]
    Glb(#[from] GlbError),
    /// It cannot be told how the run looks.
    #[error(transparent)]
    Appearance(#[from] RunSceneError),
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
