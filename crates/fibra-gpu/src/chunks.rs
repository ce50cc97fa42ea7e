//! Chunks of blocks: a chunk holds the particles that one thread block processes. A block with many particles has several chunks, to balance the load.

// The macros of CubeCL generate public items that cannot be documented.
#![allow(missing_docs)]

use crate::buffer::Buffer;
use crate::device::{DeviceError, Gpu};
use crate::launch::cubes_for;
use crate::prefix_sum::exclusive_sum;
use cubecl::prelude::*;

const UNITS: u32 = 256;
/// Number of values per chunk.
pub const NUMBERS: u32 = 5;

/// A chunk of a block's particles.
#[derive(CubeType, Clone, Copy)]
pub struct Chunk {
    /// Index of the block among the occupied blocks.
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
impl Chunk {
    /// Reads the chunk with this index.
    pub fn read(chunks: &Array<u32>, number: u32) -> Chunk {
        let at = (number * NUMBERS) as usize;
        Chunk {
            block: chunks[at],
            from: chunks[at + 1],
            to: chunks[at + 2],
            of_block: chunks[at + 3],
            part: chunks[at + 4],
        }
    }
}

/// Returns the number of chunks of a block with `count` particles. Each chunk has at most `most` particles.
#[cube]
pub fn chunks_of(count: u32, most: u32) -> u32 {
    count.div_ceil(most)
}

/// Lists the chunks of a block whose `count` particles begin at `start`. Chunks have about the same size.
#[cube]
pub(crate) fn list(chunks: &mut Array<u32>, first: u32, block: u32, start: u32, count: u32, most: u32) {
    let parts = chunks_of(count, most);
    let each = count.div_ceil(parts);
    for part in 0..parts {
        let at = ((first + part) * NUMBERS) as usize;
        chunks[at] = block;
        chunks[at + 1] = start + u32::min(part * each, count);
        chunks[at + 2] = start + u32::min((part + 1u32) * each, count);
        chunks[at + 3] = count;
        chunks[at + 4] = part;
    }
}

/// Chunks of blocks whose particles are sorted.
pub(crate) struct Chunks {
    /// All chunks, see [`Chunk`].
    pub list: Buffer<u32>,
    pub count: usize,
}

#[cube(launch)]
fn count_chunks(starts: &Array<u32>, counts: &mut Array<u32>, most: u32) {
    let block = ABSOLUTE_POS;
    if block < counts.len() {
        // The extra last entry makes its prefix sum the total number of chunks.
        let next = usize::min(block + 1, counts.len() - 1);
        counts[block] = chunks_of(starts[next] - starts[block], most);
    }
}

#[cube(launch)]
fn list_chunks(starts: &Array<u32>, first: &Array<u32>, chunks: &mut Array<u32>, most: u32) {
    let block = ABSOLUTE_POS;
    if block + 1 < starts.len() {
        let start = starts[block];
        list(chunks, first[block], block as u32, start, starts[block + 1] - start, most);
    }
}

impl Chunks {
    /// Lists the chunks of blocks whose particles begin at `starts`; the last entry is the number of particles. Downloads the number of chunks, which
    /// waits for the device.
    pub(crate) fn new<R: Runtime>(gpu: &Gpu<R>, starts: &Buffer<u32>, most: u32) -> Result<Chunks, DeviceError> {
        let (n, dim) = (starts.len(), CubeDim::new_1d(UNITS));
        let counts = gpu.empty::<u32>(n);
        count_chunks::launch::<R>(&gpu.client, cubes_for(n, UNITS), dim, starts.arg(), counts.arg(), most);
        let first = exclusive_sum(gpu, &counts);
        let count = first.read_range(gpu, n - 1..n)?[0] as usize;
        let list = gpu.empty(count * NUMBERS as usize);
        list_chunks::launch::<R>(&gpu.client, cubes_for(n, UNITS), dim, starts.arg(), first.arg(), list.arg(), most);
        Ok(Chunks { list, count })
    }
}
