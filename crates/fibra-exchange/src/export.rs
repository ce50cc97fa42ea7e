//! What the writers of runs have in common.

use crate::gltf::GlbError;
use crate::hair::HairFlaw;
use crate::usd::{StageError, StageWriter};
use fibra_core::atomic_file::AtomicFile;
use fibra_core::frame::Frame;

/// The ending of a file's name, or the whole name, and its contents.
pub type FrameFile = (&'static str, Vec<u8>);

/// Why a frame does not fit into a format.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The frame has no curves, and the format holds nothing else.
    #[error("there are no curves, and .hair files hold nothing else")]
    NoCurves,
    /// The curves do not fit.
    #[error(transparent)]
    Strands(#[from] HairFlaw),
    /// The frame does not fit into a `.glb` file.
    #[error(transparent)]
    Glb(#[from] GlbError),
}

/// A file that holds a whole run, written frame by frame.
pub trait RunWriter {
    /// Adds the next frame.
    fn add(&mut self, frame: &Frame) -> Result<(), StageError>;

    /// Ends the file; it has its name after [`AtomicFile::commit`].
    fn finish(self: Box<Self>) -> Result<AtomicFile, StageError>;
}

impl RunWriter for StageWriter<AtomicFile> {
    fn add(&mut self, frame: &Frame) -> Result<(), StageError> {
        StageWriter::add(self, frame)
    }

    fn finish(self: Box<Self>) -> Result<AtomicFile, StageError> {
        StageWriter::finish(*self)
    }
}
