//! Reading of whole files. [`read`] limits the size.

use crate::ImportError;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Size of the largest file that [`read`] reads into memory [bytes]. The decoded data takes several times as much.
pub(crate) const MAX_BYTES: u64 = 2 << 30;

/// Size of the largest buffer that is allocated before reading, based on the reported size of a file [bytes].
const MAX_PREALLOCATED: u64 = 1 << 24;

/// Reads a regular file. Anything else is an error: a reference in a file may name a device or a pipe, and reading these could block.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let io_error = |source| ImportError::Io { file: path.display().to_string(), source };
    let too_large = || {
        let problem = format!("it is larger than 2 GiB ({MAX_BYTES} bytes); split it into smaller files");
        io_error(Error::new(ErrorKind::FileTooLarge, problem))
    };
    let about = std::fs::metadata(path).map_err(io_error)?;
    if !about.is_file() {
        return Err(io_error(Error::new(ErrorKind::InvalidInput, "it is not a regular file")));
    }
    if about.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(about.len().min(MAX_PREALLOCATED) as usize);
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(io_error)?;
    // The file may have grown in the meantime.
    if bytes.len() as u64 > MAX_BYTES { Err(too_large()) } else { Ok(bytes) }
}

/// Reads a file of any size, named by the user.
pub(crate) fn contents(path: &Path) -> Result<Vec<u8>, ImportError> {
    std::fs::read(path).map_err(|source| ImportError::Io { file: path.display().to_string(), source })
}

/// Returns the extension of a file name in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beyond_the_size_limit_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.usdc");
        // A sparse file, which takes no disk space.
        File::create(&path).and_then(|file| file.set_len(MAX_BYTES + 1)).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("large.usdc") && message.contains("2 GiB"), "{message}");
        std::fs::write(&path, b"small").unwrap();
        assert_eq!(read(&path).unwrap(), b"small");
    }
}
