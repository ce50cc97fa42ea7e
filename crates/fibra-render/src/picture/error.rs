//! Why there is no picture.

use crate::ray_caster::{RenderError, WriteError};
use fibra_core::tensor_file::TensorFileError;
use fibra_run::appearance::RunSceneError;
use fibra_run::folder::RunFolderError;
use std::path::PathBuf;

/// Why a run could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// It cannot be told how the run looks.
    #[error(transparent)]
    Appearance(#[from] RunSceneError),
    /// There is nothing to draw.
    #[error("{} has no frames", .0.display())]
    NoFrames(PathBuf),
    /// A frame is missing or damaged.
    #[error(transparent)]
    Frame(#[from] TensorFileError),
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// The image cannot be made.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The image cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
