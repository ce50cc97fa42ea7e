//! Vectors of an implicit solve: one 3-vector per grid node, stored in the grid's blocks.
//!
//! [`BlockSums`] runs all operations block by block. It skips blocks without mass and adds the blocks' partial sums in a fixed
//! order, so that dot products are identical for any number of threads.

use crate::workspace::Block;
use fibra_core::block_key::BLOCK_NODES;
use rayon::prelude::*;

/// A vector with one entry per node. The fourth component of a node is not part of the vector.
pub type GridVector = Vec<Block>;

/// Number of blocks that a task processes without splitting further.
const BLOCKS_PER_TASK: usize = 16;

/// The set of blocks with mass, and a buffer for one partial sum per block.
#[derive(Debug, Default)]
pub struct BlockSums {
    /// Whether each block has mass. [blocks]
    pub filled: Vec<bool>,
    sums: Vec<f64>,
}

impl BlockSums {
    /// Calls `each` with the entries of every filled block in the zipped `vectors`; returns the sum of the results.
    pub fn sum<V>(&mut self, vectors: V, each: impl Fn(V::Item) -> f64 + Sync) -> f64
    where
        V: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        let filled = &self.filled;
        let blocks = vectors.into_par_iter().zip(filled).with_min_len(BLOCKS_PER_TASK);
        blocks.map(|(entries, &filled)| if filled { each(entries) } else { 0.0 }).collect_into_vec(&mut self.sums);
        self.sums.iter().sum()
    }

    /// Calls `each` with the entries of every filled block in the zipped `vectors`.
    pub fn update<V>(&self, vectors: V, each: impl Fn(V::Item) + Sync)
    where
        V: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        let blocks = vectors.into_par_iter().zip(&self.filled).with_min_len(BLOCKS_PER_TASK);
        blocks.for_each(|(entries, &filled)| {
            if filled {
                each(entries);
            }
        });
    }
}

/// Computes the dot product of two blocks.
#[inline(always)]
pub fn dot(a: &Block, b: &Block) -> f64 {
    let mut sums = [0.0f64; 3];
    for (a, b) in a.iter().zip(b) {
        for k in 0..3 {
            sums[k] += f64::from(a[k] * b[k]);
        }
    }
    sums[0] + sums[1] + sums[2]
}

/// A block of zeros.
pub const EMPTY: Block = [[0.0; 4]; BLOCK_NODES];

/// Sets the blocks without mass to zero.
pub fn clear_empty_blocks(vector: &mut GridVector, filled: &[bool]) {
    vector.par_iter_mut().zip(filled).with_min_len(64).for_each(|(block, filled)| {
        if !filled {
            *block = EMPTY;
        }
    });
}
