//! USD: the whole run as one stage, `NAME.usdc`.

use super::frames_ahead::with_frames_ahead;
use super::{ExportError, create_folder};
use crate::appearance::{appearance_of, scene_of};
use crate::run_folder::RunFolder;
use fibra_core::appearance::Appearance;
use fibra_core::atomic_file::{AtomicFile, WriteError};
use fibra_exchange::usd_write::{StageError, StageWriter};
use std::path::{Path, PathBuf};

/// Writes the given frames of a run as the stage `out`, or `out`/NAME.usdc where `out` is not named like one; NAME is that of the run's folder.
/// Returns the stage's path.
pub(super) fn export(run: &RunFolder, frames: &[PathBuf], out: &Path) -> Result<PathBuf, ExportError> {
    let appearance = appearance_of(&scene_of(run)?)?;
    let name = name_of(run.root());
    let is_file = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("usdc"));
    let path = if is_file { out.to_owned() } else { out.join(format!("{name}.usdc")) };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder)?;
    }
    write_stage(frames, &name, appearance, &path)?;
    Ok(path)
}

/// Writes frames as the stage `path`, whole or not at all, and says how many bytes it has. While one frame is written, the next is read.
pub fn write_stage(frames: &[PathBuf], name: &str, appearance: Appearance, path: &Path) -> Result<u64, ExportError> {
    let failed = |source, bytes_needed| WriteError { path: path.to_owned(), bytes_needed, source };
    let file = AtomicFile::create(path).map_err(|source| failed(source, 0))?;
    let told = |error, bytes| match error {
        StageError::Io(source) => ExportError::Write(failed(source, bytes)),
        other => ExportError::Stage { path: path.to_owned(), source: other },
    };
    let mut stage = StageWriter::new(file, name, appearance).map_err(|error| told(error, 0))?;
    with_frames_ahead(frames, |frame| stage.add(frame).map_err(|error| told(error, stage.bytes())))?;
    let bytes = stage.bytes();
    let file = stage.finish().map_err(|error| told(error, bytes))?;
    file.commit().map_err(|source| failed(source, bytes))?;
    Ok(std::fs::metadata(path).map_err(|source| failed(source, bytes))?.len())
}

/// The name of a run: that of its folder.
fn name_of(root: &Path) -> String {
    let whole = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    whole.file_name().map_or("run".to_owned(), |name| name.to_string_lossy().into_owned())
}
