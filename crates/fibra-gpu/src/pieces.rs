//! Chunks of blocks: the particles that one thread block processes. A block with many particles has several, to balance the load.

// The macros of CubeCL generate public items that cannot be documented.
#![allow(missing_docs)]

use crate::buffer::Buffer;
use crate::device::{DeviceError, Gpu};
use crate::launch::cubes_for;
use crate::prefix_sum::exclusive_sum;
use cubecl::prelude::*;

const UNITS: u32 = 256;
/// Numbers per chunk.
pub const NUMBERS: u32 = 5;

/// A chunk of a block's particles.
#[derive(CubeType, Clone, Copy)]
pub struct Piece {
    /// Index of the block among the occupied ones.
    pub block: u32,
    /// First particle, in block order.
    pub from: u32,
    /// One past the last particle.
    pub to: u32,
    /// Number of particles in the whole block.
    pub of_block: u32,
    /// Index of the chunk in the block.
    pub part: u32,
}

#[cube]
impl Piece {
    /// Reads the chunk with this index.
    pub fn read(pieces: &Array<u32>, number: u32) -> Piece {
        let at = (number * NUMBERS) as usize;
        Piece {
            block: pieces[at],
            from: pieces[at + 1],
            to: pieces[at + 2],
            of_block: pieces[at + 3],
            part: pieces[at + 4],
        }
    }
}

/// Returns the number of chunks of a block with `count` particles, with at most `most` particles each.
#[cube]
pub fn pieces_of(count: u32, most: u32) -> u32 {
    count.div_ceil(most)
}

/// Lists the chunks of a block whose `count` particles begin at `start`. Chunks have about the same size.
#[cube]
pub(crate) fn list(pieces: &mut Array<u32>, first: u32, block: u32, start: u32, count: u32, most: u32) {
    let parts = pieces_of(count, most);
    let each = count.div_ceil(parts);
    for part in 0..parts {
        let at = ((first + part) * NUMBERS) as usize;
        pieces[at] = block;
        pieces[at + 1] = start + u32::min(part * each, count);
        pieces[at + 2] = start + u32::min((part + 1u32) * each, count);
        pieces[at + 3] = count;
        pieces[at + 4] = part;
    }
}

/// Chunks of blocks whose particles are sorted.
pub(crate) struct Pieces {
    /// All chunks, see [`Piece`].
    pub list: Buffer<u32>,
    pub count: usize,
}

#[cube(launch)]
fn count_pieces(starts: &Array<u32>, counts: &mut Array<u32>, most: u32) {
    let block = ABSOLUTE_POS;
    if block < counts.len() {
        // One past the last: its prefix sum is the number of chunks.
        let next = usize::min(block + 1, counts.len() - 1);
        counts[block] = pieces_of(starts[next] - starts[block], most);
    }
}

#[cube(launch)]
fn list_pieces(starts: &Array<u32>, first: &Array<u32>, pieces: &mut Array<u32>, most: u32) {
    let block = ABSOLUTE_POS;
    if block + 1 < starts.len() {
        let start = starts[block];
        list(pieces, first[block], block as u32, start, starts[block + 1] - start, most);
    }
}

impl Pieces {
    /// Lists the chunks of blocks whose particles begin at `starts`; the last entry is the number of particles. Waits for the device to read the count.
    pub(crate) fn new<R: Runtime>(gpu: &Gpu<R>, starts: &Buffer<u32>, most: u32) -> Result<Pieces, DeviceError> {
        let (n, dim) = (starts.len(), CubeDim::new_1d(UNITS));
        let counts = gpu.empty::<u32>(n);
        count_pieces::launch::<R>(&gpu.client, cubes_for(n, UNITS), dim, starts.arg(), counts.arg(), most);
        let first = exclusive_sum(gpu, &counts);
        let count = first.read_range(gpu, n - 1..n)?[0] as usize;
        let list = gpu.empty(count * NUMBERS as usize);
        list_pieces::launch::<R>(&gpu.client, cubes_for(n, UNITS), dim, starts.arg(), first.arg(), list.arg(), most);
        Ok(Pieces { list, count })
    }
}
