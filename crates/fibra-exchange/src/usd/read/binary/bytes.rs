//! A bounds-checked reader of numbers and compressed blocks.

use crate::error::Fault;

/// Upper bound on the compression ratio of LZ4.
const LZ4_RATIO: usize = 255;

/// Size of the largest chunk that is compressed separately [bytes].
const MAX_CHUNK: usize = 0x7E00_0000;

const TRUNCATED_REMEDY: &str = "the file is damaged or truncated; export it again";

/// A read position in a file.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader at an offset of the file.
    pub fn new(all: &'a [u8], at: u64) -> Result<Self, Fault> {
        match usize::try_from(at) {
            Ok(at) if at <= all.len() => Ok(Self { all, at }),
            _ => Err(Fault::new(
                format!("byte {at}"),
                format!("the file has only {} bytes", all.len()),
                TRUNCATED_REMEDY,
            )),
        }
    }

    /// Returns a fault at this position.
    pub fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::new(format!("byte {}", self.at), problem, TRUNCATED_REMEDY)
    }

    pub fn left(&self) -> usize {
        self.all.len() - self.at
    }

    /// Returns the size of the whole file [bytes].
    pub fn size(&self) -> usize {
        self.all.len()
    }

    pub fn take(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        if count > self.left() as u64 {
            return Err(self.fault(format!("{count} bytes are needed, but only {} are left", self.left())));
        }
        let from = self.at;
        self.at += count as usize;
        Ok(&self.all[from..self.at])
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N as u64)?);
        Ok(bytes)
    }

    pub fn u32(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64, Fault> {
        self.array().map(f64::from_le_bytes)
    }

    /// Reads a count of items that take at least `size` bytes each.
    pub fn count(&mut self, size: usize) -> Result<usize, Fault> {
        let count = self.u64()?;
        if count > (self.left() / size) as u64 {
            return Err(self.fault(format!("{count} items do not fit into the remaining {} bytes", self.left())));
        }
        Ok(count as usize)
    }

    /// Reads a relative offset and moves there. It must point forwards, so that nothing is read twice.
    pub fn jump(&mut self) -> Result<(), Fault> {
        let distance = self.u64()?;
        match distance.checked_sub(8) {
            Some(further) => self.take(further).map(|_| ()),
            None => Err(self.fault(format!("a relative offset of {distance} bytes is invalid"))),
        }
    }

    /// Reads and decompresses a block that is preceded by its length. The result has at most `max` bytes.
    pub fn decompressed(&mut self, max: usize) -> Result<Vec<u8>, Fault> {
        let here = *self;
        let length = self.u64()?;
        let block = self.take(length)?;
        decompress(block, max).ok_or_else(|| here.fault("a block cannot be decompressed"))
    }
}

/// Decompresses a block: the number of chunks, then LZ4 chunks preceded by their lengths. The number 0 stands for a single chunk without a length.
fn decompress(block: &[u8], max: usize) -> Option<Vec<u8>> {
    let (&chunks, mut rest) = block.split_first()?;
    let capacity = |bytes: usize, max: usize| max.min(bytes.saturating_mul(LZ4_RATIO)).min(MAX_CHUNK);
    if chunks == 0 {
        return decompress_chunk(rest, capacity(rest.len(), max), Vec::new());
    }
    let mut out = Vec::new();
    for _ in 0..chunks {
        let (length, after) = rest.split_first_chunk()?;
        let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
        let chunk = after.get(..length)?;
        rest = &after[length..];
        let capacity = capacity(length, max.checked_sub(out.len())?);
        out = decompress_chunk(chunk, capacity, out)?;
    }
    Some(out)
}

/// Decompresses one chunk to at most `capacity` bytes and appends them to `out`.
fn decompress_chunk(chunk: &[u8], capacity: usize, mut out: Vec<u8>) -> Option<Vec<u8>> {
    let start = out.len();
    out.try_reserve_exact(capacity).ok()?;
    out.resize(start + capacity, 0);
    let written = lz4_flex::block::decompress_into(chunk, &mut out[start..]).ok()?;
    out.truncate(start + written);
    Some(out)
}
