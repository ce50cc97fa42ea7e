//! Import errors.

use fibra_core::geometry::{CurveCutError, DeformationError, MeshFlaw, MotionError, StrandFlaw};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The reason why a file cannot be imported: the file, the location in the file, and what is allowed there.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The operating system reported an error.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// The error.
        source: std::io::Error,
    },
    /// The file's extension belongs to no supported format that can hold the requested content.
    #[error("{file}: this {wanted} file format is not supported; supported formats are {allowed}")]
    UnknownFormat {
        /// The file.
        file: String,
        /// The requested content.
        wanted: &'static str,
        /// The supported extensions.
        allowed: String,
    },
    /// The file violates its format, or has content that cannot be used.
    #[error("{file}, {place}: {problem}; {remedy}")]
    Broken {
        /// The file.
        file: String,
        /// The location in the file: a line, a byte, a prim or a node.
        place: String,
        /// What is wrong.
        problem: String,
        /// How to fix it.
        remedy: String,
    },
    /// The file lacks required content, or a setting does not match the file.
    #[error("{file}: {problem}; {remedy}")]
    Unusable {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
        /// How to fix it.
        remedy: &'static str,
    },
    /// The file does not hold a valid mesh.
    #[error("{file}: {flaw}")]
    Mesh {
        /// The file.
        file: String,
        /// What is wrong with the mesh.
        flaw: MeshFlaw,
    },
    /// The curves of the file cannot be resampled into segments.
    #[error("{file}: {error}")]
    Cut {
        /// The file.
        file: String,
        /// The reason.
        error: CurveCutError,
    },
    /// The strands of the file are invalid.
    #[error("{file}: {flaw}")]
    Strands {
        /// The file.
        file: String,
        /// What is wrong with the strands.
        flaw: StrandFlaw,
    },
    /// The folder of a sequence of files cannot be read.
    #[error("cannot read the folder {}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file name of a sequence has no `#` for the frame number.
    #[error("{pattern}: the name must have # in place of the frame number, e.g. `shirt_####.obj`")]
    NoNumbers {
        /// The file name.
        pattern: String,
    },
    /// No file matches the file name of a sequence.
    #[error("{pattern}: no file name matches; # stands for the digits of the frame number")]
    NoFrames {
        /// The file name with `#`.
        pattern: String,
    },
    /// The frames are not a valid deformation.
    #[error(transparent)]
    Deformation(#[from] DeformationError),
    /// The poses are not a valid motion.
    #[error(transparent)]
    Motion(#[from] MotionError),
}

/// A violation of a file format, without the name of the file.
#[derive(Debug)]
pub(crate) struct Fault {
    pub place: String,
    pub problem: String,
    pub remedy: String,
}

impl Fault {
    pub fn new(place: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into(), remedy: remedy.into() }
    }

    pub fn in_file(self, file: &Path) -> ImportError {
        self.named(&file.display().to_string())
    }

    /// Converts the fault to an error in the file of this name.
    pub fn named(self, file: &str) -> ImportError {
        let Self { place, problem, remedy } = self;
        ImportError::Broken { file: file.to_owned(), place, problem, remedy }
    }
}
