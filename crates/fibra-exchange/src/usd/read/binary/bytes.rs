//! Numbers from bytes that may end too early, and blocks of bytes that were compressed.

use crate::error::Fault;

/// LZ4 makes at most so many bytes of one.
const LZ4_RATIO: usize = 255;

/// The largest piece that is compressed by itself [bytes].
const LARGEST_PIECE: usize = 0x7E00_0000;

const CUT: &str = "the file is damaged or cut off; export it again";

/// A place in a file, from which one reads on.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads from an offset of the file on.
    pub fn new(all: &'a [u8], at: u64) -> Result<Self, Fault> {
        match usize::try_from(at) {
            Ok(at) if at <= all.len() => Ok(Self { all, at }),
            _ => Err(Fault::new(format!("byte {at}"), format!("the file has {} bytes only", all.len()), CUT)),
        }
    }

    /// A fault at this place.
    pub fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::new(format!("byte {}", self.at), problem, CUT)
    }

    pub fn left(&self) -> usize {
        self.all.len() - self.at
    }

    /// Bytes of the whole file.
    pub fn size(&self) -> usize {
        self.all.len()
    }

    pub fn take(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        if count > self.left() as u64 {
            return Err(self.fault(format!("{count} bytes are needed, but {} are left", self.left())));
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

    /// A count of things of which each takes at least `size` bytes.
    pub fn count(&mut self, size: usize) -> Result<usize, Fault> {
        let count = self.u64()?;
        if count > (self.left() / size) as u64 {
            return Err(
                self.fault(format!("a count of {count} does not fit into the {} bytes that follow", self.left()))
            );
        }
        Ok(count as usize)
    }

    /// Goes on where a distance from here leads: forwards, so that nothing is read twice.
    pub fn jump(&mut self) -> Result<(), Fault> {
        let distance = self.u64()?;
        match distance.checked_sub(8) {
            Some(further) => self.take(further).map(|_| ()),
            None => Err(self.fault(format!("a distance of {distance} bytes leads nowhere"))),
        }
    }

    /// A compressed block, with its length before it, of at most `most` bytes once it is unpacked.
    pub fn unpacked(&mut self, most: usize) -> Result<Vec<u8>, Fault> {
        let here = *self;
        let length = self.u64()?;
        let block = self.take(length)?;
        unpack(block, most).ok_or_else(|| here.fault("a block cannot be unpacked"))
    }
}

/// Unpacks a block: how many pieces there are, and LZ4; a single piece has no length before it.
fn unpack(block: &[u8], most: usize) -> Option<Vec<u8>> {
    let (&pieces, mut rest) = block.split_first()?;
    let room = |bytes: usize, most: usize| most.min(bytes.saturating_mul(LZ4_RATIO)).min(LARGEST_PIECE);
    if pieces == 0 {
        return unpack_piece(rest, room(rest.len(), most), Vec::new());
    }
    let mut out = Vec::new();
    for _ in 0..pieces {
        let (length, after) = rest.split_first_chunk()?;
        let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
        let piece = after.get(..length)?;
        rest = &after[length..];
        let room = room(length, most.checked_sub(out.len())?);
        out = unpack_piece(piece, room, out)?;
    }
    Some(out)
}

/// Adds one piece, of at most `room` bytes once it is unpacked, to those before.
fn unpack_piece(piece: &[u8], room: usize, mut out: Vec<u8>) -> Option<Vec<u8>> {
    let start = out.len();
    out.try_reserve_exact(room).ok()?;
    out.resize(start + room, 0);
    let made = lz4_flex::block::decompress_into(piece, &mut out[start..]).ok()?;
    out.truncate(start + made);
    Some(out)
}
