//! Splits particle fields along grid blocks, so that threads write disjoint parts.

use crate::workspace::Grid;
use fibra_core::particle_sort::Run;
use std::ops::Range;

/// Mutable views of some fields of a range of particles.
pub trait Split: Send + Sized {
    /// Splits into the views of the first `n` particles and the rest.
    fn split_at(self, n: usize) -> (Self, Self);
}

impl<T: Send> Split for &mut [T] {
    fn split_at(self, n: usize) -> (Self, Self) {
        self.split_at_mut(n)
    }
}

impl<A: Split, B: Split> Split for (A, B) {
    fn split_at(self, n: usize) -> (Self, Self) {
        let ((a, a2), (b, b2)) = (self.0.split_at(n), self.1.split_at(n));
        ((a, b), (a2, b2))
    }
}

/// Results of tasks, merged pairwise. The pairs depend only on the blocks, so that sums are identical for any
/// number of threads.
pub trait Merge: Send + Sized {
    /// Merges two results.
    fn merge(self, other: Self) -> Self;
}

impl Merge for () {
    fn merge(self, (): ()) {}
}

/// Adds the results.
impl Merge for f64 {
    fn merge(self, other: f64) -> f64 {
        self + other
    }
}

/// Occupied blocks and the runs of particles in them.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    /// All runs.
    pub runs: &'a [Run],
    /// The grid, with the runs of each block.
    pub grid: &'a Grid,
}

/// Number of blocks that a task processes without splitting further.
const BLOCKS_PER_TASK: usize = 4;

impl<'a> Blocks<'a> {
    /// Returns the runs of one block.
    pub fn runs_of(&self, block: usize) -> &'a [Run] {
        let [from, to] = self.grid.runs_of[block];
        &self.runs[from as usize..to as usize]
    }

    /// Calls `work` for groups of a few blocks, with the views of their particles, on all threads. `views` covers all
    /// particles. Returns the merged results.
    pub fn share<V: Split, R: Merge>(self, views: V, work: &(impl Fn(Range<usize>, V) -> R + Sync)) -> R {
        self.share_range(0..self.grid.runs_of.len(), views, work)
    }

    fn share_range<V: Split, R: Merge>(
        self,
        blocks: Range<usize>,
        views: V,
        work: &(impl Fn(Range<usize>, V) -> R + Sync),
    ) -> R {
        if blocks.len() <= BLOCKS_PER_TASK {
            return work(blocks, views);
        }
        let middle = blocks.start + blocks.len() / 2;
        let cut = self.runs_of(middle)[0].start - self.runs_of(blocks.start)[0].start;
        let (left, right) = views.split_at(cut as usize);
        let (a, b) = rayon::join(
            || self.share_range(blocks.start..middle, left, work),
            || self.share_range(middle..blocks.end, right, work),
        );
        a.merge(b)
    }
}
