//! Reading whole files, none of which may be endless.

use crate::ImportError;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Largest file that is read whole [bytes]: what is made of it takes several times as much.
pub(crate) const MAX_BYTES: u64 = 2 << 30;

/// Most memory that is taken because a file says so, before anything is read [bytes].
const BELIEVED: u64 = 1 << 24;

/// The contents of a plain file. Files name other files: one that leads to a device or a pipe must not hang.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let refused = |source| ImportError::Io { file: path.display().to_string(), source };
    let too_large = || {
        let problem = format!("it has more than 2 GiB ({MAX_BYTES} bytes); save it in several smaller files");
        refused(Error::new(ErrorKind::FileTooLarge, problem))
    };
    let about = std::fs::metadata(path).map_err(refused)?;
    if !about.is_file() {
        return Err(refused(Error::new(ErrorKind::InvalidInput, "it is no plain file")));
    }
    if about.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(about.len().min(BELIEVED) as usize);
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(refused)?;
    // It may have grown meanwhile.
    if bytes.len() as u64 > MAX_BYTES { Err(too_large()) } else { Ok(bytes) }
}

/// The contents of a file that the user names, of any size.
pub(crate) fn contents(path: &Path) -> Result<Vec<u8>, ImportError> {
    std::fs::read(path).map_err(|source| ImportError::Io { file: path.display().to_string(), source })
}

/// The extension of a name, in small letters.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beyond_the_limit_are_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.usdc");
        // A hole, which takes no room on the disk.
        File::create(&path).and_then(|file| file.set_len(MAX_BYTES + 1)).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("large.usdc") && message.contains("2 GiB"), "{message}");
        std::fs::write(&path, b"small").unwrap();
        assert_eq!(read(&path).unwrap(), b"small");
    }
}
