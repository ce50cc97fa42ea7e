//! Files that are named by the number of a frame, and what a user should know of them.

use super::tell;
use fibra_run::folder::RunFolder;
use fibra_run::folder::RunFolderError;
use std::path::Path;

/// Tells which frames of a run are missing; says whether there are any.
pub(super) fn tell_of_gaps(run: &RunFolder) -> Result<bool, RunFolderError> {
    let frames = run.frames()?;
    for gap in frames.gaps() {
        tell(&format!("note: frames {} to {} are missing", gap.start(), gap.end()));
    }
    Ok(frames.gaps().into_iter().next().is_some())
}

/// Tells of files `NNNN.ending` that are left from other runs; says whether there are any.
pub(super) fn tell_of_others(folder: &Path, ending: &str, own: &[u32]) -> bool {
    let count = others(folder, ending, own);
    if count > 0 {
        tell(&format!(
            "note: {} has {count} more .{ending} files, of frames that this run does not have",
            folder.display()
        ));
    }
    count > 0
}

fn others(folder: &Path, ending: &str, own: &[u32]) -> usize {
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
    fn files_of_other_frames_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["0000.ply", "0001.ply", "0007.ply", "0008.ply", "0007.obj", "notes.ply", "0009.grains.ply"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(others(folder.path(), "ply", &[0, 1, 2]), 2);
        assert_eq!(others(folder.path(), "obj", &[0, 7]), 0);
        assert_eq!(others(Path::new("not/there"), "ply", &[]), 0);
    }
}
