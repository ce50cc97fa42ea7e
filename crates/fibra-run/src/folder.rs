//! The folder of a run: the paths of its files, and the conditions for writing to an existing folder.
//!
//! `run.json` is written first and marks the folder as a run. Every file is written atomically.

use crate::report::RunReport;
use fibra_core::atomic_file::{WriteError, is_temporary, write_bytes_atomic};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A folder with a run, finished or not.
#[derive(Clone, Debug)]
pub struct RunFolder {
    root: PathBuf,
}

/// What to do if the folder already has a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfTaken {
    /// Keep the run and return an error.
    Refuse,
    /// Remove the run.
    Replace,
}

impl RunFolder {
    /// Creates the folder of a new run at `root`. `scene_toml` is the resolved scene, `report` the initial report.
    ///
    /// A folder with other content is an error. If an old run is replaced, only files of that run are removed.
    pub fn create(
        root: &Path,
        if_taken: IfTaken,
        scene_toml: &str,
        report: &RunReport,
    ) -> Result<RunFolder, RunFolderError> {
        RunFolder::may_create(root, if_taken)?;
        let folder = RunFolder { root: root.to_owned() };
        let frames = folder.frames_folder();
        fs::create_dir_all(root).map_err(|error| RunFolderError::io("create", root, error))?;
        folder.write_report(report)?;
        fs::create_dir_all(&frames).map_err(|error| RunFolderError::io("create", &frames, error))?;
        folder.remove_results()?;
        folder.write_scene(scene_toml)?;
        Ok(folder)
    }

    /// Checks whether [`RunFolder::create`] is allowed, so that a command can fail before it builds a simulation.
    pub fn may_create(root: &Path, if_taken: IfTaken) -> Result<(), RunFolderError> {
        match (FolderContent::of(root)?, if_taken) {
            (FolderContent::Empty, _) | (FolderContent::Run, IfTaken::Replace) => Ok(()),
            (FolderContent::Run, IfTaken::Refuse) => Err(RunFolderError::Taken(root.to_owned())),
            (FolderContent::OtherFiles, _) => Err(RunFolderError::NotEmpty(root.to_owned())),
        }
    }

    /// Opens the folder of a run for reading.
    pub fn open(root: &Path) -> Result<RunFolder, RunFolderError> {
        match FolderContent::of(root)? {
            FolderContent::Run => Ok(RunFolder { root: root.to_owned() }),
            FolderContent::Empty | FolderContent::OtherFiles => Err(RunFolderError::NotARun(root.to_owned())),
        }
    }

    /// Opens the folder of a run to continue it, and removes temporary files that a killed run left.
    pub fn resume(root: &Path) -> Result<RunFolder, RunFolderError> {
        let folder = RunFolder::open(root)?;
        let frames = folder.frames_folder();
        fs::create_dir_all(&frames).map_err(|error| RunFolderError::io("create", &frames, error))?;
        folder.remove_temporaries()?;
        Ok(folder)
    }

    /// Returns the path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of the resolved scene.
    pub fn scene_path(&self) -> PathBuf {
        self.root.join("scene.toml")
    }

    /// Returns the path of the checkpoint.
    pub fn checkpoint_path(&self) -> PathBuf {
        self.root.join("checkpoint.safetensors")
    }

    /// Returns the path of the report.
    pub fn report_path(&self) -> PathBuf {
        self.root.join(REPORT_NAME)
    }

    /// Returns the path of the preview, a contact sheet that is rendered at the end.
    pub fn preview_path(&self) -> PathBuf {
        self.root.join("preview.png")
    }

    /// Returns the path of a frame.
    pub fn frame_path(&self, index: u32) -> PathBuf {
        self.frames_folder().join(format!("{index:04}.safetensors"))
    }

    fn frames_folder(&self) -> PathBuf {
        self.root.join("frames")
    }

    /// Reads `run.json`.
    pub fn read_report(&self) -> Result<RunReport, RunFolderError> {
        let path = self.report_path();
        let bytes = fs::read(&path).map_err(|error| RunFolderError::io("read", &path, error))?;
        serde_json::from_slice(&bytes).map_err(|source| RunFolderError::Report { path, source })
    }

    /// Writes `run.json`.
    pub fn write_report(&self, report: &RunReport) -> Result<(), WriteError> {
        write_bytes_atomic(&self.report_path(), report.to_json().as_bytes())
    }

    /// Writes the resolved scene.
    pub fn write_scene(&self, scene_toml: &str) -> Result<(), WriteError> {
        write_bytes_atomic(&self.scene_path(), scene_toml.as_bytes())
    }

    /// Lists the frames in the folder.
    pub fn frames(&self) -> Result<FrameList, RunFolderError> {
        let mut indices: Vec<u32> = list(&self.frames_folder())?.iter().filter_map(|name| frame_index(name)).collect();
        indices.sort_unstable();
        Ok(FrameList { indices })
    }

    /// Removes frames, checkpoint and preview. The checkpoint is removed first, so that an interrupted removal cannot be
    /// mistaken for a run to resume.
    fn remove_results(&self) -> Result<(), RunFolderError> {
        remove_if_present(&self.checkpoint_path())?;
        remove_if_present(&self.preview_path())?;
        for &index in &self.frames()?.indices {
            remove_if_present(&self.frame_path(index))?;
        }
        self.remove_temporaries()
    }

    fn remove_temporaries(&self) -> Result<(), RunFolderError> {
        for folder in [self.root.clone(), self.frames_folder()] {
            for name in list(&folder)?.iter().filter(|name| is_leftover(name)) {
                remove_if_present(&folder.join(name))?;
            }
        }
        Ok(())
    }
}

const REPORT_NAME: &str = "run.json";

/// The existing frames of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameList {
    /// Frame numbers, ascending.
    pub indices: Vec<u32>,
}

impl FrameList {
    /// Returns the ranges of frames that are missing between frame 0 and the last frame.
    pub fn gaps(&self) -> Vec<RangeInclusive<u32>> {
        let mut gaps = Vec::new();
        let mut next = 0;
        for &index in &self.indices {
            if index > next {
                gaps.push(next..=index - 1);
            }
            next = index.saturating_add(1);
        }
        gaps
    }
}

/// Content of a folder.
enum FolderContent {
    /// The folder does not exist, is empty, or contains only temporary files of a killed run.
    Empty,
    Run,
    OtherFiles,
}

impl FolderContent {
    fn of(root: &Path) -> Result<FolderContent, RunFolderError> {
        let report = match fs::read(root.join(REPORT_NAME)) {
            Ok(bytes) => serde_json::from_slice::<serde_json::Value>(&bytes).ok(),
            Err(_) => None,
        };
        if report.is_some_and(|report| report["fibra_version"].is_string()) {
            return Ok(FolderContent::Run);
        }
        match list(root) {
            Ok(names) if names.iter().all(|name| is_leftover(name)) => Ok(FolderContent::Empty),
            Ok(_) => Ok(FolderContent::OtherFiles),
            Err(RunFolderError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(FolderContent::Empty)
            }
            Err(error) => Err(error),
        }
    }
}

fn list(folder: &Path) -> Result<Vec<std::ffi::OsString>, RunFolderError> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
    entries.map_err(|error| RunFolderError::io("list", folder, error))
}

fn is_leftover(name: &OsStr) -> bool {
    name.to_str().is_some_and(is_temporary)
}

/// Returns the number in the name of a frame file; `None` for names that [`RunFolder::frame_path`] does not return.
fn frame_index(name: &OsStr) -> Option<u32> {
    let stem = name.to_str()?.strip_suffix(".safetensors")?;
    let index: u32 = stem.parse().ok()?;
    (format!("{index:04}") == stem).then_some(index)
}

fn remove_if_present(path: &Path) -> Result<(), RunFolderError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunFolderError::io("remove", path, error)),
        _ => Ok(()),
    }
}

/// An error from creating, opening, reading or writing a run folder.
#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    /// The folder already has a run.
    #[error(
        "{} already contains a run\n  continue it with --resume, replace it with --force, or choose another folder with -o",
        .0.display()
    )]
    Taken(PathBuf),
    /// The folder has other content.
    #[error(
        "{} is not empty and contains no run, so nothing was written to it\n  choose another folder with -o",
        .0.display()
    )]
    NotEmpty(PathBuf),
    /// The folder has no run.
    #[error("{} contains no run: it has no `{REPORT_NAME}` written by fibra", .0.display())]
    NotARun(PathBuf),
    /// `run.json` does not have the format of this version.
    #[error("{}: {source}", path.display())]
    #[expect(missing_docs, reason = "the message explains them")]
    Report { path: PathBuf, source: serde_json::Error },
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    #[expect(missing_docs, reason = "the message explains them")]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl RunFolderError {
    fn io(action: &'static str, path: &Path, source: io::Error) -> RunFolderError {
        RunFolderError::Io { action, path: path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(root: &Path, if_taken: IfTaken) -> Result<RunFolder, RunFolderError> {
        RunFolder::create(root, if_taken, "frames = 1\n", &RunReport::new("toy", "0"))
    }

    #[test]
    fn a_new_folder_is_created_and_then_protected() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("deep/out");
        let folder = create(&root, IfTaken::Refuse).unwrap();
        fs::write(folder.frame_path(0), b"frame").unwrap();
        fs::write(folder.checkpoint_path(), b"state").unwrap();
        fs::write(root.join("notes.txt"), b"mine").unwrap();

        let message = create(&root, IfTaken::Refuse).unwrap_err().to_string();
        assert!(message.contains("--resume") && message.contains("--force"), "{message}");
        assert!(folder.frame_path(0).exists());

        create(&root, IfTaken::Replace).unwrap();
        assert!(!folder.frame_path(0).exists() && !folder.checkpoint_path().exists());
        assert!(root.join("notes.txt").exists(), "a file that is not part of the run was removed");
    }

    #[test]
    fn folders_with_other_content_are_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("scene.toml"), b"mine").unwrap();
        fs::write(folder.path().join("run.json"), b"{\"mine\": 1}").unwrap();
        for if_taken in [IfTaken::Refuse, IfTaken::Replace] {
            let error = create(folder.path(), if_taken).unwrap_err();
            assert!(matches!(error, RunFolderError::NotEmpty(_)), "{error}");
        }
        assert_eq!(fs::read(folder.path().join("scene.toml")).unwrap(), b"mine");
        assert!(matches!(RunFolder::open(folder.path()), Err(RunFolderError::NotARun(_))));
        let file = folder.path().join("scene.toml");
        assert!(matches!(create(&file, IfTaken::Replace), Err(RunFolderError::Io { .. })));
    }

    #[test]
    fn temporary_files_are_removed_on_resume_only() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("run.json.tmp-17"), b"{").unwrap();
        let folder = create(parent.path(), IfTaken::Refuse).unwrap();
        let leftover = parent.path().join("frames/0001.safetensors.tmp-17");
        fs::write(&leftover, b"half").unwrap();
        RunFolder::open(parent.path()).unwrap();
        assert!(leftover.exists(), "opening a run removed a temporary file");
        RunFolder::resume(parent.path()).unwrap();
        assert!(!leftover.exists());
        assert!(folder.frames().unwrap().indices.is_empty());
    }

    #[test]
    fn frames_are_listed_by_number_with_gaps() {
        let parent = tempfile::tempdir().unwrap();
        let folder = create(parent.path(), IfTaken::Refuse).unwrap();
        for index in [10000, 1, 2, 9999, 5] {
            fs::write(folder.frame_path(index), b"").unwrap();
        }
        for other in ["7.safetensors", "00008.safetensors", "0009.png", "+009.safetensors"] {
            fs::write(parent.path().join("frames").join(other), b"").unwrap();
        }
        let frames = folder.frames().unwrap();
        assert_eq!(frames.indices, [1, 2, 5, 9999, 10000]);
        assert_eq!(frames.gaps(), [0..=0, 3..=4, 6..=9998]);
    }
}
