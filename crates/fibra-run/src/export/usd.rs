//! Exports a whole run to one file: a USD stage `NAME.usdc`.

use super::frames_ahead::with_frames_ahead;
use super::{ExportError, create_folder};
use crate::appearance::{appearance_of, scene_of};
use crate::folder::RunFolder;
use fibra_core::appearance::Appearance;
use fibra_core::atomic_file::{AtomicFile, WriteError};
use fibra_exchange::writers::{BeginRun, RunWriter, StageError};
use fibra_exchange::{Format, StageWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Writes frames of a run to the file `out`, or to `out`/NAME.usdc if `out` does not have that extension. NAME is the name of the run folder.
/// Returns the path of the file.
pub(super) fn export(
    run: &RunFolder,
    frames: &[PathBuf],
    (format, begin): (&Format, BeginRun),
    out: &Path,
    stop: &AtomicBool,
) -> Result<PathBuf, ExportError> {
    let appearance = appearance_of(&scene_of(run)?)?;
    let name = name_of(run.root());
    let is_file = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(format.written));
    let path = if is_file { out.to_owned() } else { out.join(format!("{name}.{}", format.written)) };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder)?;
    }
    write_run(frames, &path, |file| begin(file, &name, appearance), stop)?;
    Ok(path)
}

/// Writes frames atomically to the USD stage `path` and returns its size [bytes].
pub fn write_stage(
    frames: &[PathBuf],
    name: &str,
    appearance: Appearance,
    path: &Path,
    stop: &AtomicBool,
) -> Result<u64, ExportError> {
    write_run(frames, path, |file| Ok(Box::new(StageWriter::new(file, name, appearance)?)), stop)
}

/// Writes frames atomically to the file `path` and returns its size [bytes]. The next frame is read while one is written.
fn write_run(
    frames: &[PathBuf],
    path: &Path,
    begin: impl FnOnce(AtomicFile) -> Result<Box<dyn RunWriter>, StageError>,
    stop: &AtomicBool,
) -> Result<u64, ExportError> {
    // The size is known only after writing.
    let failed = |source| WriteError { path: path.to_owned(), bytes_needed: None, source };
    let file = AtomicFile::create(path).map_err(failed)?;
    let to_export_error = |error| match error {
        StageError::Io(source) => ExportError::Write(failed(source)),
        other => ExportError::Stage { path: path.to_owned(), source: other },
    };
    let mut stage = begin(file).map_err(to_export_error)?;
    with_frames_ahead(frames, stop, |frame| stage.add(frame).map_err(to_export_error))?;
    let file = stage.finish().map_err(to_export_error)?;
    file.commit().map_err(failed)?;
    Ok(std::fs::metadata(path).map_err(failed)?.len())
}

/// Returns the name of a run: the name of its folder.
fn name_of(root: &Path) -> String {
    let whole = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    whole.file_name().map_or("run".to_owned(), |name| name.to_string_lossy().into_owned())
}
