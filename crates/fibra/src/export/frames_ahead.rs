//! Frames read by a thread of their own, one ahead of their use.

use super::ExportError;
use fibra_core::frame::Frame;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;

/// Calls `each` with the frames of the files, in order, while the next are read. At most three are in memory: one in use, one waiting, one being read.
pub(super) fn with_frames_ahead(
    files: &[PathBuf],
    mut each: impl FnMut(Frame) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(1);
        scope.spawn(move || {
            for file in files {
                let frame = Frame::read(file);
                let is_last = frame.is_err();
                // Nobody listens any more when writing failed.
                if sender.send(frame).is_err() || is_last {
                    return;
                }
            }
        });
        receiver.into_iter().try_for_each(|frame| each(frame?))
    })
}
