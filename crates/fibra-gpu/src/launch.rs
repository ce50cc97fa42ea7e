//! Launch sizes of kernels: the number of thread blocks (CubeCL: cubes of units).

// The macros of CubeCL generate public items that cannot be documented.
#![allow(missing_docs)]

use cubecl::prelude::*;

/// Largest number of thread blocks along one axis that every device supports.
const LIMIT: u32 = 65_535;

/// Returns a launch size of at least `n` thread blocks, on as few axes as possible. Kernels find their index with `CUBE_POS` or `ABSOLUTE_POS`;
/// surplus thread blocks do nothing.
pub fn cubes(n: usize) -> CubeCount {
    let n = u32::try_from(n.max(1)).expect("array lengths fit in 32 bits");
    if n <= LIMIT {
        return CubeCount::Static(n, 1, 1);
    }
    let rows = n.div_ceil(LIMIT);
    CubeCount::Static(n.div_ceil(rows), rows, 1)
}

/// Returns a launch size with at least `units` threads, in thread blocks of `per_cube` threads.
pub fn cubes_for(units: usize, per_cube: u32) -> CubeCount {
    cubes(units.div_ceil(per_cube as usize))
}

/// Returns the number of iterations of this thread block in a grid-stride loop over `count` items.
#[cube]
pub fn iterations(count: u32) -> u32 {
    (count + CUBE_COUNT as u32 - CUBE_POS as u32 - 1u32) / (CUBE_COUNT as u32)
}

/// Returns the item of an iteration of the grid-stride loop.
#[cube]
pub fn item_at(iteration: u32) -> u32 {
    iteration * (CUBE_COUNT as u32) + CUBE_POS as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_are_enough_and_few_are_surplus() {
        for n in [0, 1, 65_535, 65_536, 1_000_000, 90_000_000] {
            let CubeCount::Static(x, y, z) = cubes(n) else { panic!("not static") };
            let count = x as usize * y as usize * z as usize;
            assert!(count >= n && count <= n + y as usize + 1, "{n}: {x} {y} {z}");
            assert!(x.max(y) <= LIMIT);
        }
    }
}
