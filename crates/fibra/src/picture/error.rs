//! Why there is no picture.

use crate::assembly::DeformingError;
use crate::render::{RenderError, WriteError};
use crate::run_folder::RunFolderError;
use fibra_core::geometry::MeshError;
use fibra_core::geometry::generate::GenerateError;
use fibra_core::tensor_file::TensorFileError;
use std::path::PathBuf;

/// Why a run could not be drawn.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message explains its fields")]
pub enum PictureError {
    /// The run's scene cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// The run's scene is not one.
    #[error("{}: {source}", path.display())]
    Scene { path: PathBuf, source: toml::de::Error },
    /// A collider's mesh is gone or broken.
    #[error(
        "cannot draw collider `{collider}`: {source}\n  put the file back, or draw without it after setting `visible = false` in the run's scene.toml"
    )]
    Mesh { collider: String, source: Box<MeshError> },
    /// The head cannot be made.
    #[error("the head cannot be drawn: {0}")]
    Head(#[from] GenerateError),
    /// The files of a collider that deforms are gone or broken.
    #[error(
        "cannot draw collider `{collider}`: {source}\n  put the files back, or draw without it after setting `visible = false` in the run's scene.toml"
    )]
    Deforming { collider: String, source: Box<DeformingError> },
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
