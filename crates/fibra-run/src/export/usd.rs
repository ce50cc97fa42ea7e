//! USD: the whole run as one stage, `NAME.usdc`.

use super::frames_ahead::with_frames_ahead;
use super::{ExportError, create_folder};
use crate::appearance::{appearance_of, scene_of};
use crate::folder::RunFolder;
use fibra_core::appearance::Appearance;
use fibra_core::atomic_file::{AtomicFile, WriteError};
use fibra_exchange::usd_write::{StageError, StageWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Writes the given frames of a run as the stage `out`, or `out`/NAME.usdc where `out` is not named like one; NAME is that of the run's folder.
/// Returns the stage's path.
pub(super) fn export(
    run: &RunFolder,
    frames: &[PathBuf],
    out: &Path,
    stop: &AtomicBool,
) -> Result<PathBuf, ExportError> {
    let appearance = appearance_of(&scene_of(run)?)?;
    let name = name_of(run.root());
    let is_file = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("usdc"));
    let path = if is_file { out.to_owned() } else { out.join(format!("{name}.usdc")) };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder)?;
    }
    write_stage(frames, &name, appearance, &path, stop)?;
    Ok(path)
}

/// Writes frames as the stage `path`, whole or not at all, and says how many bytes it has. While one frame is written, the next is read.
pub fn write_stage(
    frames: &[PathBuf],
    name: &str,
    appearance: Appearance,
    path: &Path,
    stop: &AtomicBool,
) -> Result<u64, ExportError> {
    // How large the whole will be is known when it is written.
    let failed = |source| WriteError { path: path.to_owned(), bytes_needed: None, source };
    let file = AtomicFile::create(path).map_err(failed)?;
    let told = |error| match error {
        StageError::Io(source) => ExportError::Write(failed(source)),
        other => ExportError::Stage { path: path.to_owned(), source: other },
    };
    let mut stage = StageWriter::new(file, name, appearance).map_err(told)?;
    with_frames_ahead(frames, stop, |frame| stage.add(frame).map_err(told))?;
    let file = stage.finish().map_err(told)?;
    file.commit().map_err(failed)?;
    Ok(std::fs::metadata(path).map_err(failed)?.len())
}

/// The name of a run: that of its folder.
fn name_of(root: &Path) -> String {
    let whole = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    whole.file_name().map_or("run".to_owned(), |name| name.to_string_lossy().into_owned())
}
