//! How many cubes (groups of units that share memory) a kernel is started with.

// The macros of CubeCL make public items that nobody can describe.
#![allow(missing_docs)]

use cubecl::prelude::*;

/// Most cubes along one axis that every device allows.
const LIMIT: u32 = 65_535;

/// At least `n` cubes, on as few axes as hold them. Kernels find theirs by `CUBE_POS` or `ABSOLUTE_POS` and leave the surplus idle.
pub fn cubes(n: usize) -> CubeCount {
    let n = u32::try_from(n.max(1)).expect("no array is that long");
    if n <= LIMIT {
        return CubeCount::Static(n, 1, 1);
    }
    let rows = n.div_ceil(LIMIT);
    CubeCount::Static(n.div_ceil(rows), rows, 1)
}

/// Cubes of `per_cube` units that make at least `units`.
pub fn cubes_for(units: usize, per_cube: u32) -> CubeCount {
    cubes(units.div_ceil(per_cube as usize))
}

/// How many turns a cube has where cubes take turns at `count` things: one that has none is done at once.
#[cube]
pub fn turns(count: u32) -> u32 {
    (count + CUBE_COUNT as u32 - CUBE_POS as u32 - 1u32) / (CUBE_COUNT as u32)
}

/// Which of the things a cube's turn is at.
#[cube]
pub fn turn_at(turn: u32) -> u32 {
    turn * (CUBE_COUNT as u32) + CUBE_POS as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_cubes_and_hardly_more() {
        for n in [0, 1, 65_535, 65_536, 1_000_000, 90_000_000] {
            let CubeCount::Static(x, y, z) = cubes(n) else { panic!("not static") };
            let count = x as usize * y as usize * z as usize;
            assert!(count >= n && count <= n + y as usize + 1, "{n}: {x} {y} {z}");
            assert!(x.max(y) <= LIMIT);
        }
    }
}
