//! Reads frames ahead of their use, on a separate thread.

use super::ExportError;
use fibra_core::frame::Frame;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, sync_channel};

/// Calls `each` with the frame of each file, in order, while another thread reads the next frames. At most three frames are in memory: one in use,
/// one waiting and one being read. Their memory is reused. Returns early when `stop` is set.
pub(super) fn with_frames_ahead(
    files: &[PathBuf],
    stop: &AtomicBool,
    mut each: impl FnMut(&Frame) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    std::thread::scope(|scope| {
        let (read, waiting) = sync_channel(1);
        let (give_back, used) = channel::<Frame>();
        scope.spawn(move || {
            let mut buffer = Vec::new();
            for file in files {
                let mut frame = used.try_recv().unwrap_or_default();
                let outcome =
                    frame.reread(file, &mut buffer).map_err(ExportError::from).and_then(|()| named(file, frame));
                let is_last = outcome.is_err();
                // The receiver is gone if writing failed.
                if read.send(outcome).is_err() || is_last {
                    return;
                }
            }
        });
        for frame in waiting {
            if stop.load(Ordering::Relaxed) {
                return Err(ExportError::Interrupted);
            }
            let frame = frame?;
            each(&frame)?;
            // The reader thread ends after the last frame.
            let _ = give_back.send(frame);
        }
        Ok(())
    })
}

/// Returns the frame if its number matches its file name. Exported files are named by the frame number, so a mismatch would overwrite another frame's file.
fn named(file: &Path, frame: Frame) -> Result<Frame, ExportError> {
    let name = file.file_stem().and_then(|name| name.to_str()?.parse::<u32>().ok());
    match name {
        Some(number) if number == frame.index => Ok(frame),
        _ => Err(ExportError::Misnamed { path: file.to_owned(), index: frame.index }),
    }
}
