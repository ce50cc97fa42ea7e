//! Why a file of another program cannot be used.

use fibra_core::geometry::{CurveError, DeformationError, MeshError, StrandFlaw};
use std::path::Path;
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
        /// The extensions that may be.
        allowed: &'static str,
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
    /// An OBJ or PLY file, or the mesh that a file holds, is flawed.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A `.hair` or `.bcc` file, or the curves that a file holds, are flawed.
    #[error(transparent)]
    Curves(#[from] CurveError),
    /// The strands that a file holds are flawed.
    #[error("{file}: {flaw}")]
    Strands {
        /// The file.
        file: String,
        /// What is wrong with the strands.
        flaw: StrandFlaw,
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
        let Self { place, problem, remedy } = self;
        ImportError::Broken { file: file.display().to_string(), place, problem, remedy }
    }
}
