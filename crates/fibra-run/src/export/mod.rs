//! A run's frames as files for other programs, in world coordinates: one for each frame, but a single one as USD.
//!
//! The formats are those of [`fibra_exchange::FORMATS`] that are written; this module reads the frames of a run and writes the files.

mod frames_ahead;
pub mod usd;

use crate::appearance::{RunSceneError, appearance_of, scene_of};
use crate::folder::{RunFolder, RunFolderError};
use fibra_core::atomic_file::{WriteError, write_bytes_unsynced};
use fibra_core::frame::Frame;
use fibra_core::tensor_file::TensorFileError;
use fibra_exchange::{Content, EncodeError, FORMATS, Format, FrameFile, GlbError, HairFlaw, StageError, Writer};
use frames_ahead::with_frames_ahead;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

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
pub fn export(run: &RunFolder, format: &Format, out: &Path, stop: &AtomicBool) -> Result<Exported, ExportError> {
    let indices = run.frames()?.indices;
    if indices.is_empty() {
        return Err(ExportError::NoFrames(run.root().to_owned()));
    }
    let frames: Vec<PathBuf> = indices.iter().map(|&index| run.frame_path(index)).collect();
    let mut path = out.to_owned();
    let mut series = Vec::new();
    let mut write = |encode: &dyn Fn(&Frame) -> Result<Vec<FrameFile>, EncodeError>| {
        one_by_one(&frames, out, stop, |frame, stem| {
            series.push((frame.time, format!("{stem}.{}", format.written)));
            encode(frame).map_err(|error| ExportError::encoding(error, run.frame_path(frame.index)))
        })
    };
    match format.write_run {
        Some(Writer::Frames(encode)) => write(&encode)?,
        Some(Writer::FramesInColor(encode)) => {
            let appearance = appearance_of(&scene_of(run)?)?;
            write(&|frame| encode(frame, &appearance))?;
        }
        Some(Writer::Run(begin)) => path = usd::export(run, &frames, (format, begin), out, stop)?,
        None => return Err(ExportError::NotWritten(format.name)),
    }
    if let Some(write_series) = format.write_series {
        let (name, bytes) = write_series(&series);
        write_bytes_unsynced(&out.join(name), &bytes)?;
    }
    Ok(Exported { frames: frames.len(), path })
}

/// The formats that runs are written in, in the order in which they are listed.
pub fn export_formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.writes(Content::Runs))
}

fn create_folder(folder: &Path) -> Result<(), WriteError> {
    std::fs::create_dir_all(folder).map_err(|source| WriteError { path: folder.to_owned(), bytes_needed: None, source })
}

/// Writes files for each frame, named by its number and the endings that `encode` gives with their bytes.
fn one_by_one(
    frames: &[PathBuf],
    out: &Path,
    stop: &AtomicBool,
    mut encode: impl FnMut(&Frame, &str) -> Result<Vec<FrameFile>, ExportError>,
) -> Result<(), ExportError> {
    with_frames_ahead(frames, stop, |frame| {
        let stem = format!("{:04}", frame.index);
        let files = encode(frame, &stem)?;
        create_folder(out)?;
        for (ending, bytes) in files {
            write_bytes_unsynced(&out.join(format!("{stem}.{ending}")), &bytes)?;
        }
        Ok(())
    })
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
    /// The format is only read.
    #[error("runs are not written as {0}")]
    NotWritten(&'static str),
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

impl ExportError {
    /// The error of a frame that does not fit into a format; `path` is the frame's file.
    fn encoding(error: EncodeError, path: PathBuf) -> ExportError {
        match error {
            EncodeError::NoCurves => ExportError::NoCurves(path),
            EncodeError::Strands(flaw) => ExportError::Strands { path, flaw },
            EncodeError::Glb(error) => ExportError::Glb(error),
        }
    }
}
