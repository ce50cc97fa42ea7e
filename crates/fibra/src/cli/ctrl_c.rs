//! Ctrl-C, which ends work between two files and not within one.

use super::CliError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that Ctrl-C sets. Pressed again it ends the process, which no file can suffer from: all are written whole.
pub(super) fn stop_on_ctrl_c() -> Result<Arc<AtomicBool>, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| CliError::failed(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(stop)
}
