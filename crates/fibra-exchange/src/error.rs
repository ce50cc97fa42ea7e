//! Why a file of another program cannot be used.

use fibra_core::geometry::{CurveCutError, DeformationError, MeshFlaw, StrandFlaw};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file cannot be used: which file, which place in it, and what would be allowed there.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The operating system refused.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// Its reason.
        source: std::io::Error,
    },
    /// The extension names no format that holds what is wanted.
    #[error("{file}: unknown kind of {wanted} file; allowed are {allowed}")]
    UnknownFormat {
        /// The file.
        file: String,
        /// What was looked for in it.
        wanted: &'static str,
        /// The extensions that are allowed.
        allowed: String,
    },
    /// The file breaks the rules of its format, or holds what cannot be used.
    #[error("{file}, {place}: {problem}; {remedy}")]
    Broken {
        /// The file.
        file: String,
        /// Where in the file: a line, a byte, a prim or a node.
        place: String,
        /// What is wrong there.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// The file lacks something that it must have, or a setting does not fit it.
    #[error("{file}: {problem}; {remedy}")]
    Unusable {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The file is not a sound mesh.
    #[error("{file}: {flaw}")]
    Mesh {
        /// The file.
        file: String,
        /// What is wrong with the mesh.
        flaw: MeshFlaw,
    },
    /// The curves of the file cannot be cut into segments.
    #[error("{file}: {error}")]
    Cut {
        /// The file.
        file: String,
        /// Why not.
        error: CurveCutError,
    },
    /// The strands that a file holds are flawed.
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
    /// The name of a sequence of files has no place for numbers.
    #[error("{pattern}: the name must have # where the frames' numbers are, e.g. `shirt_####.obj`")]
    NoNumbers {
        /// The name.
        pattern: String,
    },
    /// No file fits the name of a sequence.
    #[error("{pattern}: no file is named like this, with digits for the #")]
    NoFrames {
        /// The name.
        pattern: String,
    },
    /// The frames make no deformation.
    #[error(transparent)]
    Deformation(#[from] DeformationError),
}

/// A broken rule, before the file's name is known.
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

    /// The same for a file that is known by its name.
    pub fn named(self, file: &str) -> ImportError {
        let Self { place, problem, remedy } = self;
        ImportError::Broken { file: file.to_owned(), place, problem, remedy }
    }
}
