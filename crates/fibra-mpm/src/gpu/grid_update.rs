//! The grid's update on the device: mirrors [`crate::grid_update`]. Each node adds up what the tiles around it hold, in the order of the blocks, so that
//! its sum is the same every time.

use super::clock::{Clock, step_length};
use super::p2g::{PIECES, Shape, WORTH_IMPULSE, WORTH_MASS, WORTH_MOMENTUM};
use crate::params::Params;
use cubecl::prelude::*;
use fibra_core::block_key::BLOCK_NODES;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::colliders::{ALL_OTHERS, ANY, DeviceColliders, NUMBERED, contact_velocity, may_be_within};
use fibra_gpu::launch::{turn_at, turns};
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// Nodes of a block: one for each unit.
const NODES: u32 = BLOCK_NODES as u32;
/// Numbers of a node on the device: velocity and mass.
pub(super) const NUMBERS: u32 = 4;

/// Nodes lighter than this count as empty [kg]: those of the processor, and far above what a device rounds to zero.
const SMALLEST_MASS: f32 = crate::grid_update::SMALLEST_MASS;

/// From the middle of a block to the nodes at its corners [cells]: half the diagonal of a cube of three cells, rounded up.
const HALF_DIAGONAL: f32 = 2.6;
/// Colliders from which on it is worth asking once for a whole block which are near: each costs a node as much as the asking does.
const WORTH_ASKING: u32 = 3;

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
    tiles: &Array<i32>,
    pieces_around: &Array<u32>,
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
            let piece = pieces_around[block * 27 + around as usize];
            if piece > 0 {
                let tile = (piece - 1u32) as usize * comptime!(shape.tile() as usize);
                let at = tile + ((in_x * edge + in_y) * edge + in_z) as usize;
                let foot = tile + comptime!((shape.sums() * shape.nodes()) as usize);
                let pieces = u32::cast_from(tiles[foot + PIECES]);
                let worth = f32::reinterpret(tiles[foot + WORTH_MOMENTUM]);
                let worth_mass = f32::reinterpret(tiles[foot + WORTH_MASS]);
                // Integers, and so the same whatever is in which piece.
                let mut x_sum = tiles[at];
                let mut y_sum = tiles[at + nodes];
                let mut z_sum = tiles[at + 2 * nodes];
                let mut mass_sum = tiles[at + 3 * nodes];
                for piece in 1..pieces {
                    let at = at + piece as usize * comptime!(shape.tile() as usize);
                    x_sum += tiles[at];
                    y_sum += tiles[at + nodes];
                    z_sum += tiles[at + 2 * nodes];
                    mass_sum += tiles[at + 3 * nodes];
                }
                momentum_x += worth * f32::cast_from(x_sum);
                momentum_y += worth * f32::cast_from(y_sum);
                momentum_z += worth * f32::cast_from(z_sum);
                mass += worth_mass * f32::cast_from(mass_sum);
                if comptime!(shape.split) {
                    let worth = f32::reinterpret(tiles[foot + WORTH_IMPULSE]);
                    let at = at + 4 * nodes;
                    let mut x_sum = tiles[at];
                    let mut y_sum = tiles[at + nodes];
                    let mut z_sum = tiles[at + 2 * nodes];
                    for piece in 1..pieces {
                        let at = at + piece as usize * comptime!(shape.tile() as usize);
                        x_sum += tiles[at];
                        y_sum += tiles[at + nodes];
                        z_sum += tiles[at + 2 * nodes];
                    }
                    impulse_x += worth * f32::cast_from(x_sum);
                    impulse_y += worth * f32::cast_from(y_sum);
                    impulse_z += worth * f32::cast_from(z_sum);
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

/// Which colliders the nodes of a block may be in or near: see [`contact_velocity`]. Each unit asks for one.
#[cube]
fn colliders_at(
    shapes: &Array<f32>,
    placed: &Array<f32>,
    found: &SharedMemory<Atomic<u32>>,
    middle: Vector3,
    reach: f32,
    colliders: u32,
) -> u32 {
    let mut near = colliders * 0u32 + ANY;
    if colliders >= WORTH_ASKING {
        if UNIT_POS == 0 {
            found[0usize].store(ALL_OTHERS);
        }
        sync_cube();
        if UNIT_POS < u32::min(colliders, NUMBERED) {
            if may_be_within(shapes, placed, UNIT_POS, middle, reach) {
                // Each bit once.
                found[0usize].fetch_add(1u32 << UNIT_POS);
            }
        }
        sync_cube();
        near = found[0usize].load();
        // Before somebody begins with the next block.
        sync_cube();
    }
    near
}

#[cube(launch_unchecked)]
fn grid_kernel(
    tiles: &Array<i32>,
    pieces_around: &Array<u32>,
    coordinates: &Array<i32>,
    clock: &Array<u32>,
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
    let blocks = counts[1usize];
    let found = SharedMemory::<Atomic<u32>>::new(1usize);
    let node = UNIT_POS;
    let (x, y, z) = (node / 16, node / 4 % 4, node % 4);
    let skin = dx * comptime!(crate::grid_update::SKIN);
    for turn in 0..select(dt > 0.0f32, turns(blocks), 0u32) {
        let block = turn_at(turn) as usize;
        let corner = Vector3 {
            x: f32::cast_from(coordinates[block * 3] * 4),
            y: f32::cast_from(coordinates[block * 3 + 1] * 4),
            z: f32::cast_from(coordinates[block * 3 + 2] * 4),
        };
        let half = Vector3 { x: 0.0f32 * dx + 1.5f32, y: 0.0f32 * dx + 1.5f32, z: 0.0f32 * dx + 1.5f32 };
        let reach = skin + dx * HALF_DIAGONAL;
        let near = colliders_at(shapes, placed, &found, corner.plus(half).times(dx), reach, colliders);
        let sums = gather(tiles, pieces_around, block, x, y, z, shape);
        let filled = f32::cast_from(u32::cast_from(sums.mass > SMALLEST_MASS));
        let per_mass = filled / f32::max(sums.mass, SMALLEST_MASS);
        let before = sums.momentum.times(per_mass);
        let gravity = Vector3 { x: gravity_x, y: gravity_y, z: gravity_z };
        let mut v = before.plus(sums.impulse.times(per_mass)).plus(gravity.times(dt * filled));
        if colliders > 0 && sums.mass > 0.0f32 {
            let cell = corner.plus(Vector3 { x: f32::cast_from(x), y: f32::cast_from(y), z: f32::cast_from(z) });
            v = contact_velocity(shapes, placed, colliders, near, skin, cell.times(dx), v);
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
    tiles: &Buffer<i32>,
    clock: &Clock,
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
            grid.cubes_for_blocks(),
            CubeDim::new_1d(NODES),
            tiles.arg(),
            grid.pieces_around.arg(),
            grid.coordinates.arg(),
            clock.buffer.arg(),
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
