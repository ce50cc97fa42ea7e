//! A bounds-checked reader of little-endian binary files, which may be truncated.

use crate::error::Fault;
use glam::DVec3;

pub(crate) const TRUNCATED_REMEDY: &str = "the file is truncated or its counts are wrong; write it again";

/// The unread part of a file.
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the number of unread bytes.
    pub fn left(&self) -> u64 {
        self.rest.len() as u64
    }

    /// Returns the next `count` bytes, or a fault that names the field if the file is too short.
    pub fn take(&mut self, count: u64, field: impl FnOnce() -> String) -> Result<&'a [u8], Fault> {
        if count > self.left() {
            let problem = format!("{count} bytes are needed, but only {} are left", self.left());
            return Err(Fault::new(field(), problem, TRUNCATED_REMEDY));
        }
        let (taken, rest) = self.rest.split_at(count as usize);
        self.rest = rest;
        Ok(taken)
    }

    /// Rejects unread bytes at the end: they indicate a damaged file or a wrong layout.
    pub fn finish(self) -> Result<(), Fault> {
        match self.left() {
            0 => Ok(()),
            left => {
                let problem = format!("{left} unread bytes are left");
                Err(Fault::new("end of the file".to_string(), problem, TRUNCATED_REMEDY))
            }
        }
    }

    /// Returns the next `N` bytes as an array.
    pub fn array<const N: usize>(&mut self, field: impl FnOnce() -> String) -> Result<[u8; N], Fault> {
        let taken = self.take(N as u64, field)?;
        Ok(std::array::from_fn(|i| taken[i]))
    }
}

/// Decodes three `f32` from twelve bytes.
pub(crate) fn triple(bytes: &[u8; 12]) -> [f32; 3] {
    [0, 4, 8].map(|i| f32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]))
}

/// Decodes a position [file units] from twelve bytes.
pub(crate) fn position(bytes: &[u8; 12]) -> DVec3 {
    DVec3::from_array(triple(bytes).map(f64::from))
}
