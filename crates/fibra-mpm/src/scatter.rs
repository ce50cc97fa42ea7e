//! Adds tiles to the grid: the particles of each block add to tile accumulators, which are then added to the blocks around it.
//!
//! Blocks of one color share no neighbor, so threads write them in parallel. Colors are processed in a fixed order, so
//! every node sums its contributions in the same order for any number of threads.

use crate::tile::{Spline, Tile};
use crate::workspace::Block;
use fibra_core::block_grid::BlockGrid;
use fibra_core::block_key::BlockKey;
use fibra_core::mat3::Mat3;
use rayon::prelude::*;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::thread::LocalKey;

/// Calls `fill` once for every occupied block, with the thread's scratch and a handle that adds tiles to the `targets`.
pub(crate) fn scatter<T, const N: usize>(
    topology: &BlockGrid,
    targets: [&mut [Block]; N],
    scratch: &'static LocalKey<RefCell<T>>,
    fill: impl Fn(usize, &mut T, &Surroundings<'_, N>) + Sync,
) {
    let targets = targets.map(SharedBlocks::new);
    for color in topology.colors.iter().filter(|color| !color.is_empty()) {
        color.par_iter().for_each(|&block| {
            let neighbors = &topology.neighbors[block as usize];
            let around = Surroundings { targets: &targets, neighbors };
            scratch.with_borrow_mut(|scratch| fill(block as usize, scratch, &around));
        });
    }
}

/// The blocks around one block in each target. Exists only while no other thread writes to them.
pub(crate) struct Surroundings<'a, const N: usize> {
    targets: &'a [SharedBlocks<'a>; N],
    neighbors: &'a [u32; 27],
}

impl<const N: usize> Surroundings<'_, N> {
    /// Adds a tile to one of the targets.
    pub(crate) fn add<S: Spline>(&self, target: usize, tile: &Tile) {
        // SAFETY: only `scatter` creates surroundings, and only for blocks of one color at a time; no two of those have a
        // neighbor in common (tested in `fibra_core::block_grid`).
        unsafe { self.targets[target].add::<S>(tile, self.neighbors) };
    }
}

/// Resizes to `len` blocks and sets them to zero.
pub(crate) fn clear(blocks: &mut Vec<Block>, len: usize) {
    blocks.truncate(len);
    // Exact: the grid is large, and doubling the capacity on growth would waste half of it.
    blocks.reserve_exact(len - blocks.len());
    blocks.par_iter_mut().with_min_len(64).for_each(|block| *block = [[0.0; 4]; 64]);
    blocks.resize(len, [[0.0; 4]; 64]);
}

/// Returns the columns of a matrix as node values whose mass component is zero.
#[inline(always)]
pub(crate) fn columns(m: &Mat3) -> [[f32; 4]; 3] {
    [[m.xx, m.yx, m.zx, 0.0], [m.xy, m.yy, m.zy, 0.0], [m.xz, m.yz, m.zz, 0.0]]
}

/// Returns the first node of a block's tile [cells]: one before the block's first node.
#[inline(always)]
pub(crate) fn tile_origin(key: BlockKey) -> [f32; 3] {
    key.coordinates().map(|c| (c * 4 - 1) as f32)
}

/// The grid's blocks, writable from several threads as long as they write different blocks.
struct SharedBlocks<'a> {
    first: *mut Block,
    len: usize,
    owner: PhantomData<&'a mut [Block]>,
}

// SAFETY: all access is through `add`, whose caller guarantees that no two threads write the same block.
unsafe impl Sync for SharedBlocks<'_> {}

impl<'a> SharedBlocks<'a> {
    fn new(blocks: &'a mut [Block]) -> Self {
        SharedBlocks { first: blocks.as_mut_ptr(), len: blocks.len(), owner: PhantomData }
    }

    /// Adds a tile to the blocks around it.
    ///
    /// # Safety
    /// The neighbors must be distinct, and no other thread may access one of them during the call.
    unsafe fn add<S: Spline>(&self, tile: &Tile, neighbors: &[u32; 27]) {
        assert!(neighbors.iter().all(|&n| (n as usize) < self.len));
        let blocks = neighbors.map(|n| {
            // SAFETY: in bounds by the assertion; exclusive by the caller's guarantee.
            unsafe { &mut *self.first.add(n as usize) }
        });
        tile.add_to::<S>(blocks);
    }
}
