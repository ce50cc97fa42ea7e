//! Exports the frames of a run for other programs, in world coordinates: one file per frame, or a single USD file.
//!
//! The formats are the writable ones of [`fibra_exchange::FORMATS`]. This module reads the frames of a run and writes the files.

mod frames_ahead;
pub mod usd;

use crate::appearance::{RunSceneError, appearance_of, scene_of};
use crate::folder::{RunFolder, RunFolderError};
use fibra_core::atomic_file::{WriteError, write_bytes_unsynced};
use fibra_core::frame::Frame;
use fibra_core::tensor_file::TensorFileError;
use fibra_exchange::hair_file::HairFlaw;
use fibra_exchange::writers::{Content, EncodeError, FrameFile, GlbError, StageError, Writer};
use fibra_exchange::{FORMATS, Format};
use frames_ahead::with_frames_ahead;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Summary of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Number of frames.
    pub frames: usize,
    /// The folder of the files, or the single file.
    pub path: PathBuf,
}

/// Writes every frame of a run to the folder `out`, which is created if needed. For USD, `out` may also name the file. Returns early when `stop` is set,
/// without leaving incomplete files.
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

/// Returns the formats for export, in the order in which they are listed.
pub fn export_formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.writes(Content::Runs))
}

fn create_folder(folder: &Path) -> Result<(), WriteError> {
    std::fs::create_dir_all(folder).map_err(|source| WriteError { path: folder.to_owned(), bytes_needed: None, source })
}

/// Writes the files of each frame. `encode` returns their extensions and bytes; the frame number is their name.
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

/// An error from exporting a run.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The user interrupted the export.
    #[error("interrupted before all frames were written")]
    Interrupted,
    /// The number in a frame file differs from the number in its name.
    #[error("{} contains frame {index}, but the name of a frame file must be its frame number", .path.display())]
    Misnamed {
        /// The file.
        path: PathBuf,
        /// Number of the frame in the file.
        index: u32,
    },
    /// The run has no frames.
    #[error("{} has no frames", .0.display())]
    NoFrames(PathBuf),
    /// The format is read-only.
    #[error("runs cannot be exported as {0}")]
    NotWritten(&'static str),
    /// A frame has no data that the format supports.
    #[error("{} has no curves, and .hair files support only curves; use another format for points and faces", .0.display())]
    NoCurves(PathBuf),
    /// The curves of a frame exceed the limits of the format.
    #[error("{}: {flaw}", .path.display())]
    Strands {
        /// The frame's file.
        path: PathBuf,
        /// The limit that is exceeded.
        flaw: HairFlaw,
    },
    /// The run cannot be written as a USD stage.
    #[error("cannot write {}: {source}", .path.display())]
    Stage {
        /// The stage's file.
        path: PathBuf,
        /// The reason.
        source: StageError,
    },
    /// A frame exceeds the limits of a file.
    #[error(transparent)]
    Glb(#[from] GlbError),
    /// The appearance of the run cannot be read.
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
    /// Converts the error of encoding a frame; `path` is the frame's file.
    fn encoding(error: EncodeError, path: PathBuf) -> ExportError {
        match error {
            EncodeError::NoCurves => ExportError::NoCurves(path),
            EncodeError::Strands(flaw) => ExportError::Strands { path, flaw },
            EncodeError::Glb(error) => ExportError::Glb(error),
        }
    }
}
