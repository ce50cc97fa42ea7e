//! Topology of the sparse grid: allocated 4x4x4 blocks of nodes, their neighbors, and a coloring for parallel writes.
//!
//! Memory and time scale with the number of occupied blocks; there is no bounding domain. A block is allocated if it or one of its 26
//! neighbors contains particles. Particles may therefore drift one cell out of their block before they must be sorted again.

use crate::block_key::BlockKey;

/// Number of colors. Blocks of the same color share no neighbor.
pub const COLORS: usize = 27;

/// The blocks of a sparse grid, sorted by key.
#[derive(Clone, Debug, Default)]
pub struct BlockGrid {
    /// All allocated blocks, sorted.
    pub keys: Vec<BlockKey>,
    /// The 27 blocks around each occupied block, including the block itself, as indices into `keys`; x varies slowest.
    pub neighbors: Vec<[u32; 27]>,
    /// The occupied blocks of each color, as indices into `neighbors`.
    pub colors: Vec<Vec<u32>>,
    /// Scratch buffer for the dilation of `keys`.
    spare: Vec<BlockKey>,
}

impl BlockGrid {
    /// Rebuilds the grid for the given occupied blocks, which must be sorted and unique.
    pub fn rebuild(&mut self, occupied: &[BlockKey]) {
        self.keys.clear();
        self.keys.extend_from_slice(occupied);
        for axis in 0..3 {
            let mut step = [0; 3];
            step[axis] = 1;
            dilate(&self.keys, BlockKey::shift(step), &mut self.spare);
            std::mem::swap(&mut self.keys, &mut self.spare);
        }
        self.neighbors.clear();
        self.neighbors.resize(occupied.len(), [0; 27]);
        for n in 0..27 {
            let n3 = [n / 9, n / 3 % 3, n % 3].map(|k| k as i32 - 1);
            let shift = BlockKey::shift(n3);
            // Both lists are sorted, so a linear merge finds every neighbor.
            let mut at = 0;
            for (key, neighbors) in occupied.iter().zip(&mut self.neighbors) {
                let wanted = key.moved(shift);
                while self.keys[at] < wanted {
                    at += 1;
                }
                debug_assert_eq!(self.keys[at], wanted);
                neighbors[n] = at as u32;
            }
        }
        self.colors.resize(COLORS, Vec::new());
        self.colors.iter_mut().for_each(Vec::clear);
        for (i, key) in occupied.iter().enumerate() {
            let [x, y, z] = key.coordinates().map(|c| c.rem_euclid(3) as usize);
            self.colors[9 * x + 3 * y + z].push(i as u32);
        }
    }
}

impl BlockGrid {
    /// Reserves memory for the given numbers of occupied blocks and of all blocks, so that rebuilding does not allocate.
    pub fn reserve(&mut self, occupied: usize, blocks: usize) {
        self.keys.reserve(blocks);
        self.spare.reserve(blocks);
        self.neighbors.reserve(occupied);
        self.colors.resize(COLORS, Vec::new());
        self.colors.iter_mut().for_each(|color| color.reserve(occupied.div_ceil(4)));
    }

    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        (self.keys.capacity() + self.spare.capacity()) * size_of::<BlockKey>()
            + self.neighbors.capacity() * size_of::<[u32; 27]>()
            + self.colors.iter().map(|c| c.capacity() * size_of::<u32>()).sum::<usize>()
    }
}

/// Writes the sorted union of `keys`, `keys - shift` and `keys + shift` to `out`.
fn dilate(keys: &[BlockKey], shift: i64, out: &mut Vec<BlockKey>) {
    out.clear();
    let mut at = [0; 3];
    let shifts = [-shift, 0, shift];
    loop {
        let next = (0..3).filter_map(|k| keys.get(at[k]).map(|key| key.moved(shifts[k]))).min();
        let Some(next) = next else { return };
        out.push(next);
        for k in 0..3 {
            if keys.get(at[k]).is_some_and(|key| key.moved(shifts[k]) == next) {
                at[k] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn blocks_neighbors_and_colors_agree_with_a_naive_search() {
        let mut s = 7u64;
        let mut occupied = BTreeSet::new();
        for _ in 0..300 {
            s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let c = |k: u32| ((s >> k) % 11) as i32 - 5;
            occupied.insert(BlockKey::new([c(30) + 100_000, c(40), c(50) - 900_000]).unwrap());
        }
        let occupied: Vec<BlockKey> = occupied.into_iter().collect();
        let mut grid = BlockGrid::default();
        grid.rebuild(&occupied);
        let mut all = BTreeSet::new();
        for key in &occupied {
            let c = key.coordinates();
            for n in 0..27 {
                let d = [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1];
                all.insert(BlockKey::new([c[0] + d[0], c[1] + d[1], c[2] + d[2]]).unwrap());
            }
        }
        assert_eq!(grid.keys, all.into_iter().collect::<Vec<_>>());
        for (i, key) in occupied.iter().enumerate() {
            let c = key.coordinates();
            for n in 0..27usize {
                let d = [n / 9, n / 3 % 3, n % 3].map(|k| k as i32 - 1);
                let neighbor = grid.keys[grid.neighbors[i][n] as usize].coordinates();
                assert_eq!(neighbor, [c[0] + d[0], c[1] + d[1], c[2] + d[2]]);
            }
        }
        for color in &grid.colors {
            let mut touched = BTreeSet::new();
            for &block in color {
                for n in grid.neighbors[block as usize] {
                    assert!(touched.insert(n), "two blocks of one color share a neighbor");
                }
            }
        }
        assert_eq!(grid.colors.iter().map(Vec::len).sum::<usize>(), occupied.len());
    }
}
