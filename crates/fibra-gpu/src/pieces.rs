//! The pieces of blocks: what one cube (a group of units that share memory) works on. A block with many particles has several, so that no cube is at work
//! long after all others are done.

// The macros of CubeCL make public items that nobody can describe.
#![allow(missing_docs)]

use crate::buffer::Buffer;
use crate::device::{DeviceError, Gpu};
use crate::launch::cubes_for;
use crate::prefix_sum::exclusive_sum;
use cubecl::prelude::*;

const UNITS: u32 = 256;
/// Numbers of a piece.
pub const NUMBERS: u32 = 5;

/// Some particles of a block.
#[derive(CubeType, Clone, Copy)]
pub struct Piece {
    /// Number of the block among the occupied ones.
    pub block: u32,
    /// First particle, in the order of the blocks.
    pub from: u32,
    /// The one after the last.
    pub to: u32,
    /// Particles of the whole block.
    pub of_block: u32,
    /// Which piece of the block it is.
    pub part: u32,
}

#[cube]
impl Piece {
    /// The piece of a number.
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

/// How many pieces a block of `count` particles has, none with more than `most`.
#[cube]
pub fn pieces_of(count: u32, most: u32) -> u32 {
    count.div_ceil(most)
}

/// Lists the pieces of a block whose `count` particles are from the place `start` on; they are about as large as each other.
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

/// Pieces of blocks whose particles are sorted.
pub(crate) struct Pieces {
    /// All of them, see [`Piece`].
    pub list: Buffer<u32>,
    pub count: usize,
}

#[cube(launch)]
fn count_pieces(starts: &Array<u32>, counts: &mut Array<u32>, most: u32) {
    let block = ABSOLUTE_POS;
    if block < counts.len() {
        // One past the last: its sum is the number of pieces.
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
    /// Of blocks whose particles begin at `starts`, the last of which is the number of particles. Waits for the device, to know how many there are.
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
