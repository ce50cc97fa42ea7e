//! Notes about files that are named by frame number: missing frames and files left from other runs.

use super::print_note;
use fibra_run::folder::RunFolder;
use fibra_run::folder::RunFolderError;
use std::path::Path;

/// Prints which frames of a run are missing. Returns whether any are.
pub(super) fn print_missing_frames(run: &RunFolder) -> Result<bool, RunFolderError> {
    let frames = run.frames()?;
    for gap in frames.gaps() {
        print_note(&format!("note: frames {} to {} are missing", gap.start(), gap.end()));
    }
    Ok(frames.gaps().into_iter().next().is_some())
}

/// Prints the number of files `NNNN.ending` that belong to no frame of this run. Returns whether there are any.
pub(super) fn print_stale_files(folder: &Path, ending: &str, own: &[u32]) -> bool {
    let count = stale_files(folder, ending, own);
    if count > 0 {
        print_note(&format!(
            "note: {} has {count} other .{ending} files, which belong to no frame of this run",
            folder.display()
        ));
    }
    count > 0
}

/// Counts the files `NNNN.ending` in `folder` whose number is not in `own`, which is sorted.
fn stale_files(folder: &Path, ending: &str, own: &[u32]) -> usize {
    let Ok(entries) = folder.read_dir() else { return 0 };
    let number = |name: &str| name.strip_suffix(ending)?.strip_suffix('.')?.parse::<u32>().ok();
    entries
        .flatten()
        .filter_map(|entry| number(entry.file_name().to_str()?))
        .filter(|number| own.binary_search(number).is_err())
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_files_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["0000.ply", "0001.ply", "0007.ply", "0008.ply", "0007.obj", "notes.ply", "0009.grains.ply"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(stale_files(folder.path(), "ply", &[0, 1, 2]), 2);
        assert_eq!(stale_files(folder.path(), "obj", &[0, 7]), 0);
        assert_eq!(stale_files(Path::new("not/there"), "ply", &[]), 0);
    }
}
