//! Types that all writers of runs share.

use crate::gltf::GlbError;
use crate::hair::HairFlaw;
use crate::usd::{StageError, StageWriter};
use fibra_core::atomic_file::AtomicFile;
use fibra_core::frame::Frame;

/// A file to write: its extension or its whole name, and its contents.
pub type FrameFile = (&'static str, Vec<u8>);

/// The reason why a frame cannot be encoded in a format.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The frame has no curves, and the format holds only curves.
    #[error("the frame has no curves, and .hair files hold only curves")]
    NoCurves,
    /// The curves do not fit into a `.hair` file.
    #[error(transparent)]
    Strands(#[from] HairFlaw),
    /// The frame does not fit into a `.glb` file.
    #[error(transparent)]
    Glb(#[from] GlbError),
}

/// A writer of one file for a whole run, frame by frame.
pub trait RunWriter {
    /// Appends the next frame.
    fn add(&mut self, frame: &Frame) -> Result<(), StageError>;

    /// Completes the file. [`AtomicFile::commit`] gives it its final name.
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
