//! Atomic file writes: the data go to a temporary file beside the target, which is then renamed.
//!
//! The data are synced to disk before the rename, and the folder is synced before the call returns. After a power failure, either the old
//! file or the new one exists. Without the first sync, some file systems keep the name of a new file and lose its contents.
//! Syncing costs 6 to 15 ms per file on an ordinary disk. Checkpoints, `run.json` and frames must be synced: a checkpoint implies that all
//! earlier frames exist, and a resumed run does not write those frames again. Exported files can be regenerated: [`write_bytes_unsynced`]
//! lets the system decide when to write.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that gets its final name only when complete. If dropped before [`AtomicFile::commit`], it removes its temporary file and leaves
/// any old file unchanged.
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    /// `None` once the file has been renamed.
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Creates the temporary file for `path`.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let temporary = temporary_name(path);
        let file = BufWriter::with_capacity(1 << 16, File::create(&temporary)?);
        Ok(AtomicFile { path: path.to_owned(), temporary, file: Some(file) })
    }

    /// Syncs the data to disk, then renames the file to its final name.
    pub fn commit(self) -> io::Result<()> {
        let path = self.path.clone();
        self.finish(|file| file.sync_data())?;
        sync_folder(&path)
    }

    /// Renames the file to its final name without syncing. After a power failure the file may be damaged.
    pub fn commit_unsynced(self) -> io::Result<()> {
        self.finish(|_| Ok(()))
    }

    fn finish(mut self, sync: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        if let Some(mut file) = self.file.take() {
            // Close the file before renaming it: some systems require this.
            let renamed = file.flush().and_then(|()| sync(file.get_ref())).and_then(|()| {
                drop(file);
                fs::rename(&self.temporary, &self.path)
            });
            if let Err(error) = renamed {
                // Report the first error, not one from the cleanup.
                let _ = fs::remove_file(&self.temporary);
                return Err(error);
            }
        }
        Ok(())
    }

    fn open(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.file.as_mut().ok_or_else(|| io::Error::from(ErrorKind::NotFound))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open()?.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.open()?.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // Discard the buffered data without writing them.
            drop(file.into_parts());
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes `path` through `write`. After an error, any old file is unchanged and no temporary file is left.
///
/// `bytes_needed` is the size of the complete file. It appears only in the error message for a full disk.
pub fn write_atomic(
    path: &Path,
    bytes_needed: u64,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    let outcome = AtomicFile::create(path).and_then(|mut file| {
        write(&mut file)?;
        file.commit()
    });
    outcome.map_err(|source| WriteError { path: path.to_owned(), bytes_needed: Some(bytes_needed), source })
}

/// Writes `bytes` to `path` atomically.
pub fn write_bytes_atomic(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_atomic(path, bytes.len() as u64, |file| file.write_all(bytes))
}

/// Writes `bytes` to `path` atomically, except after a power failure. Use it for many files that can be regenerated.
pub fn write_bytes_unsynced(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let outcome = AtomicFile::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.commit_unsynced()
    });
    let bytes_needed = Some(bytes.len() as u64);
    outcome.map_err(|source| WriteError { path: path.to_owned(), bytes_needed, source })
}

/// Syncs the directory entry of a file. Only Unix systems can open a directory in order to sync it.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match File::open(folder).and_then(|folder| folder.sync_all()) {
            // The file itself is complete. Ignore directories without read permission and file systems that cannot sync directories.
            Err(error)
                if !matches!(
                    error.kind(),
                    ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
                ) =>
            {
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether this is the name of a temporary file of [`write_atomic`]. Such a file remains if the process is killed.
pub fn is_temporary(file_name: &str) -> bool {
    file_name.rsplit_once(TEMPORARY_MARK).is_some_and(|(stem, process)| {
        !stem.is_empty() && !process.is_empty() && process.bytes().all(|b| b.is_ascii_digit())
    })
}

const TEMPORARY_MARK: &str = ".tmp-";

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY_MARK);
    name.push(std::process::id().to_string());
    PathBuf::from(name)
}

/// Error from writing a file.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {}", path.display(), self.cause())]
pub struct WriteError {
    /// The target path.
    pub path: PathBuf,
    /// Size of the complete file [bytes], if known.
    pub bytes_needed: Option<u64>,
    /// The underlying I/O error.
    pub source: io::Error,
}

impl WriteError {
    fn cause(&self) -> String {
        let needed = self.bytes_needed.map_or(String::new(), |bytes| format!(" (the file needs {bytes} bytes)"));
        match self.source.kind() {
            ErrorKind::StorageFull => format!("the disk is full{needed}"),
            ErrorKind::QuotaExceeded => format!("the disk quota is used up{needed}"),
            ErrorKind::FileTooLarge => {
                format!("the file exceeds the file size limit{needed}, see `ulimit -f`")
            }
            _ => self.source.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_full_disk_keeps_the_old_file_and_leaves_no_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        write_bytes_atomic(&path, b"old").unwrap();
        let error = write_atomic(&path, 4096, |file| {
            file.write_all(&[0; 100])?;
            Err(ErrorKind::StorageFull.into())
        })
        .unwrap_err()
        .to_string();
        assert!(error.contains("disk is full") && error.contains("4096 bytes"), "{error}");
        assert!(error.contains("state"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["state"]);
    }

    #[test]
    fn synced_and_unsynced_writes_are_complete() {
        let folder = tempfile::tempdir().unwrap();
        write_bytes_atomic(&folder.path().join("a"), b"synced").unwrap();
        write_bytes_unsynced(&folder.path().join("b"), b"not").unwrap();
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"synced");
        assert_eq!(fs::read(folder.path().join("b")).unwrap(), b"not");
        assert_eq!(names(folder.path()), ["a", "b"]);
        assert!(write_bytes_unsynced(&folder.path().join("none/b"), b"x").is_err());
    }

    #[test]
    fn writing_over_a_directory_fails_and_leaves_no_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), b"").unwrap();
        assert!(write_bytes_atomic(&path, b"x").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn recognizes_temporary_file_names() {
        let name = temporary_name(Path::new("0003.safetensors"));
        assert!(is_temporary(name.to_str().unwrap()));
        for other in ["0003.safetensors", "notes.tmp-", "notes.tmp-a", ".tmp-12"] {
            assert!(!is_temporary(other), "{other}");
        }
    }
}
