//! Handles Ctrl-C: work stops between two files, so no file is left incomplete.

use super::CliError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns a flag that Ctrl-C sets. A second Ctrl-C exits at once; no file is damaged, because all files are written atomically.
pub(super) fn stop_on_ctrl_c() -> Result<Arc<AtomicBool>, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| CliError::failed(format!("cannot install a handler for Ctrl-C: {error}")))?;
    Ok(stop)
}
