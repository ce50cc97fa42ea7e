//! Vectors of an implicit solve: one small vector per grid node, in the grid's blocks.
//!
//! Everything is done a block at a time by [`BlockSums`], which skips blocks without mass and adds up what the blocks
//! return in their order: scalar products come out the same for any number of threads.

use crate::workspace::Block;
use fibra_core::block_key::BLOCK_NODES;
use rayon::prelude::*;

/// A vector with one entry for each node; the fourth component of a node is no part of it.
pub type GridVector = Vec<Block>;

/// Blocks a task takes without splitting further.
const BLOCKS_PER_TASK: usize = 16;

/// Which blocks count, and room for one sum from each.
#[derive(Debug, Default)]
pub struct BlockSums {
    /// Blocks with mass.
    pub filled: Vec<bool>,
    sums: Vec<f64>,
}

impl BlockSums {
    /// Calls `each` with the entries of every filled block in the zipped `vectors`; returns the sum of what it returns.
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

/// Scalar product of two blocks.
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

/// Sets the blocks that are not filled to zero.
pub fn forget(vector: &mut GridVector, filled: &[bool]) {
    vector.par_iter_mut().zip(filled).with_min_len(64).for_each(|(block, filled)| {
        if !filled {
            *block = EMPTY;
        }
    });
}
