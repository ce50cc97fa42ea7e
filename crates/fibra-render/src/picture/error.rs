//! Errors of drawing a run.

use crate::ray_caster::{RenderError, WriteError};
use fibra_core::tensor_file::TensorFileError;
use fibra_run::appearance::RunSceneError;
use fibra_run::folder::RunFolderError;
use std::path::PathBuf;

/// Error of drawing a run.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The appearance of the run cannot be read.
    #[error(transparent)]
    Appearance(#[from] RunSceneError),
    /// The run has no frames.
    #[error("{} has no frames", .0.display())]
    NoFrames(PathBuf),
    /// A frame is missing or damaged.
    #[error(transparent)]
    Frame(#[from] TensorFileError),
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// The image cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The image cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
