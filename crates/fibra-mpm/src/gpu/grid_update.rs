//! The grid's update on the device: mirrors [`crate::grid_update`]. Each node adds up what the tiles around it hold, in the order of the blocks, so that
//! its sum is the same every time.

use super::clock::step_length;
use super::p2g::Shape;
use crate::params::Params;
use cubecl::prelude::*;
use fibra_core::block_key::BLOCK_NODES;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::colliders::{ANY, DeviceColliders, contact_velocity};
use fibra_gpu::launch::cubes;
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// Nodes of a block: one for each unit.
const NODES: u32 = BLOCK_NODES as u32;
/// Numbers of a node on the device: velocity and mass.
pub(super) const NUMBERS: u32 = 4;

/// Nodes lighter than this count as empty [kg]: those of the processor, and far above what a device rounds to zero.
const SMALLEST_MASS: f32 = crate::grid_update::SMALLEST_MASS;

/// What tiles hold for one node.
#[derive(CubeType, Clone, Copy)]
struct Sums {
    momentum: Vector3,
    mass: f32,
    impulse: Vector3,
}

/// Adds up what the tiles around a node hold for it.
#[cube]
fn gather(
    tiles: &Array<f32>,
    occupied_around: &Array<u32>,
    block: usize,
    x: u32,
    y: u32,
    z: u32,
    #[comptime] shape: Shape,
) -> Sums {
    let edge = comptime!(shape.edge());
    let nodes = comptime!(shape.nodes() as usize);
    let mut momentum_x = 0.0f32;
    let mut momentum_y = 0.0f32;
    let mut momentum_z = 0.0f32;
    let mut mass = 0.0f32;
    let mut impulse_x = 0.0f32;
    let mut impulse_y = 0.0f32;
    let mut impulse_z = 0.0f32;
    #[unroll]
    for around in 0..27u32 {
        // Where the node is in the tile of the block around it, whose first node is one before the block's own.
        let in_x = x + 5 - comptime!(4 * (around / 9));
        let in_y = y + 5 - comptime!(4 * (around / 3 % 3));
        let in_z = z + 5 - comptime!(4 * (around % 3));
        // Below zero is beyond the end, too.
        if in_x < edge && in_y < edge && in_z < edge {
            let tile = occupied_around[block * 27 + around as usize];
            if tile > 0 {
                let first = (tile - 1u32) as usize * comptime!(shape.sums() as usize * shape.nodes() as usize)
                    + ((in_x * edge + in_y) * edge + in_z) as usize;
                momentum_x += tiles[first];
                momentum_y += tiles[first + nodes];
                momentum_z += tiles[first + 2 * nodes];
                mass += tiles[first + 3 * nodes];
                if comptime!(shape.split) {
                    impulse_x += tiles[first + 4 * nodes];
                    impulse_y += tiles[first + 5 * nodes];
                    impulse_z += tiles[first + 6 * nodes];
                }
            }
        }
    }
    Sums {
        momentum: Vector3 { x: momentum_x, y: momentum_y, z: momentum_z },
        mass,
        impulse: Vector3 { x: impulse_x, y: impulse_y, z: impulse_z },
    }
}

#[cube(launch_unchecked)]
fn grid_kernel(
    tiles: &Array<f32>,
    occupied_around: &Array<u32>,
    coordinates: &Array<i32>,
    clock: &Array<Atomic<u32>>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    nodes: &mut Array<f32>,
    counts: &Array<u32>,
    colliders: u32,
    gravity_x: f32,
    gravity_y: f32,
    gravity_z: f32,
    dx: f32,
    #[comptime] shape: Shape,
) {
    let dt = step_length(clock);
    let block = CUBE_POS;
    let blocks = counts[1usize];
    if dt > 0.0f32 && (block as u32) < blocks {
        let node = UNIT_POS;
        let (x, y, z) = (node / 16, node / 4 % 4, node % 4);
        let sums = gather(tiles, occupied_around, block, x, y, z, shape);
        let filled = f32::cast_from(u32::cast_from(sums.mass > SMALLEST_MASS));
        let per_mass = filled / f32::max(sums.mass, SMALLEST_MASS);
        let before = sums.momentum.times(per_mass);
        let gravity = Vector3 { x: gravity_x, y: gravity_y, z: gravity_z };
        let mut v = before.plus(sums.impulse.times(per_mass)).plus(gravity.times(dt * filled));
        if colliders > 0 && sums.mass > 0.0f32 {
            let cell = Vector3 {
                x: f32::cast_from(coordinates[block * 3] * 4 + x as i32),
                y: f32::cast_from(coordinates[block * 3 + 1] * 4 + y as i32),
                z: f32::cast_from(coordinates[block * 3 + 2] * 4 + z as i32),
            };
            let skin = dx * comptime!(crate::grid_update::SKIN);
            v = contact_velocity(shapes, placed, colliders, ANY, skin, cell.times(dx), v);
        }
        let first = block * comptime!((NUMBERS * NODES) as usize) + node as usize;
        let stride = comptime!(NODES as usize);
        nodes[first] = v.x;
        nodes[first + stride] = v.y;
        nodes[first + 2 * stride] = v.z;
        nodes[first + 3 * stride] = sums.mass;
        if comptime!(shape.split) {
            let old = first + blocks as usize * comptime!((NUMBERS * NODES) as usize);
            nodes[old] = before.x;
            nodes[old + stride] = before.y;
            nodes[old + 2 * stride] = before.z;
        }
    }
}

/// Turns what tiles hold into velocities on the grid, adds gravity, and lets colliders correct them.
pub(super) fn grid_update<R: Runtime>(
    gpu: &Gpu<R>,
    params: &Params,
    grid: &DeviceGrid,
    tiles: &Buffer<f32>,
    clock: &Buffer<u32>,
    colliders: &DeviceColliders,
    nodes: &Buffer<f32>,
    shape: Shape,
) {
    let numbers = grid.blocks * (NUMBERS * NODES) as usize;
    assert!(nodes.len() >= if shape.split { 2 * numbers } else { numbers });
    let [gravity_x, gravity_y, gravity_z] = params.gravity;
    // SAFETY: blocks, those around them and coordinates are those of one `DeviceGrid`, for which tiles were filled; nodes have room by the
    // assertion; colliders' arrays belong together.
    unsafe {
        grid_kernel::launch_unchecked::<R>(
            &gpu.client,
            cubes(grid.blocks),
            CubeDim::new_1d(NODES),
            tiles.arg(),
            grid.occupied_around.arg(),
            grid.coordinates.arg(),
            clock.arg(),
            colliders.shapes(),
            colliders.placed(),
            nodes.arg(),
            grid.counts.arg(),
            colliders.count(),
            gravity_x,
            gravity_y,
            gravity_z,
            params.dx,
            shape,
        );
    }
}
