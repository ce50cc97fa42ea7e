//! The grid's momentum update on the device: mirrors [`crate::grid_update`]. Each node sums the tiles around it in the order of the blocks, so that
//! the sum is reproducible.

use super::bounds::Quantum;
use super::clock::{Clock, step_length};
use super::p2g::Shape;
use crate::params::Params;
use cubecl::prelude::*;
use fibra_core::block_key::BLOCK_NODES;
use fibra_gpu::block_grid::{AROUND, DeviceGrid};
use fibra_gpu::colliders::{ALL_OTHERS, DeviceColliders, NUMBERED, contact_velocity, may_be_within};
use fibra_gpu::launch::{item_at, iterations};
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// Number of nodes in a block. Each thread computes one node.
const NODES: u32 = BLOCK_NODES as u32;
/// Number of values per node: the three components of the velocity, and the mass.
pub(super) const NUMBERS: u32 = 4;

/// Nodes lighter than this count as empty [kg]. Same value as on the CPU, far above the range that devices flush to zero.
const SMALLEST_MASS: f32 = crate::grid_update::SMALLEST_MASS;

/// Distance from the center of a block to its corner nodes [cells]: half the diagonal of a cube of three cells, rounded up.
const HALF_DIAGONAL: f32 = 2.6;
/// Half of the threads of a thread block.
const HALF: u32 = NODES / 2;

/// Sums of the tiles at one node.
#[derive(CubeType, Clone, Copy)]
struct Sums {
    momentum: Vector3,
    mass: f32,
    impulse: Vector3,
}

/// Data about the blocks around a block, shared by the threads of all nodes of this block.
#[derive(CubeType)]
struct Around {
    /// Indices of the occupied blocks around; 0 if there is none.
    occupied: SharedMemory<u32>,
    /// Fixed-point quanta of their tiles, three per block; zero if there is no block.
    quantum: SharedMemory<f32>,
    /// Mask of the colliders that may be near: see [`contact_velocity`].
    near: SharedMemory<Atomic<u32>>,
}

#[cube]
impl Around {
    fn new() -> Around {
        Around {
            occupied: SharedMemory::<u32>::new(AROUND as usize),
            quantum: SharedMemory::<f32>::new(comptime!(3 * AROUND as usize)),
            near: SharedMemory::<Atomic<u32>>::new(1usize),
        }
    }

    /// Loads the surrounding blocks, with the first half of the threads.
    fn load_blocks(
        &mut self,
        bounds: &Array<u32>,
        occupied_around: &Array<u32>,
        block: usize,
        #[comptime] shape: Shape,
    ) {
        if UNIT_POS < AROUND {
            let k = UNIT_POS as usize;
            let occupied = occupied_around[block * comptime!(AROUND as usize) + k];
            let quantum = Quantum::of(bounds, u32::max(occupied, 1u32) as usize - 1, shape);
            let is_there = occupied > 0;
            self.occupied[k] = u32::max(occupied, 1u32) - 1u32;
            self.quantum[k] = select(is_there, quantum.momentum, 0.0f32);
            self.quantum[k + comptime!(AROUND as usize)] = select(is_there, quantum.mass, 0.0f32);
            self.quantum[k + comptime!(2 * AROUND as usize)] = select(is_there, quantum.impulse, 0.0f32);
        }
    }

    /// Finds the colliders that may be near, with the second half of the threads, one collider each.
    fn find_colliders(&self, shapes: &Array<f32>, placed: &Array<f32>, colliders: u32, middle: Vector3, reach: f32) {
        let collider = UNIT_POS - u32::min(UNIT_POS, HALF);
        if UNIT_POS >= HALF && collider < u32::min(colliders, NUMBERED) {
            if may_be_within(shapes, placed, collider, middle, reach) {
                // Each bit is added at most once.
                self.near[0usize].fetch_add(1u32 << collider);
            }
        }
    }
}

/// Sums the tiles around a node.
#[cube]
fn gather(tiles: &Array<i32>, around: &Around, x: u32, y: u32, z: u32, #[comptime] shape: Shape) -> Sums {
    let edge = comptime!(shape.edge());
    let nodes = comptime!(shape.nodes() as usize);
    let mut momentum_x = 0.0f32;
    let mut momentum_y = 0.0f32;
    let mut momentum_z = 0.0f32;
    let mut mass = 0.0f32;
    let mut impulse_x = 0.0f32;
    let mut impulse_y = 0.0f32;
    let mut impulse_z = 0.0f32;
    // Tiles extend one node before their block and up to four nodes after it. A node is in two tiles along an axis, or in three for the widest tiles.
    let choices = comptime!(if shape.edge() > 8 { 3u32 } else { 2u32 });
    let first_x = first_of(x, choices);
    let first_y = first_of(y, choices);
    let first_z = first_of(z, choices);
    #[unroll]
    for choice in 0..comptime!(choices * choices * choices) {
        let of_x = first_x + comptime!(choice / (choices * choices));
        let of_y = first_y + comptime!(choice / choices % choices);
        let of_z = first_z + comptime!(choice % choices);
        // Index of the node in the tile of the surrounding block. The tile starts one node before its block.
        let in_x = x + 5 - 4 * of_x;
        let in_y = y + 5 - 4 * of_y;
        let in_z = z + 5 - 4 * of_z;
        let k = ((of_x * 3 + of_y) * 3 + of_z) as usize;
        // Negative indices wrap around and are out of range, too. For nodes outside the tile, another entry is read and multiplied by zero, which
        // avoids branches.
        let inside = in_x < edge && in_y < edge && in_z < edge;
        let place = select(inside, (in_x * edge + in_y) * edge + in_z, 0u32);
        let at = around.occupied[k] as usize * comptime!(shape.tile() as usize) + place as usize;
        let quantum = select(inside, around.quantum[k], 0.0f32);
        let quantum_mass = select(inside, around.quantum[k + comptime!(AROUND as usize)], 0.0f32);
        momentum_x += quantum * f32::cast_from(tiles[at]);
        momentum_y += quantum * f32::cast_from(tiles[at + nodes]);
        momentum_z += quantum * f32::cast_from(tiles[at + 2 * nodes]);
        mass += quantum_mass * f32::cast_from(tiles[at + 3 * nodes]);
        if comptime!(shape.split) {
            let quantum = select(inside, around.quantum[k + comptime!(2 * AROUND as usize)], 0.0f32);
            impulse_x += quantum * f32::cast_from(tiles[at + 4 * nodes]);
            impulse_y += quantum * f32::cast_from(tiles[at + 5 * nodes]);
            impulse_z += quantum * f32::cast_from(tiles[at + 6 * nodes]);
        }
    }
    Sums {
        momentum: Vector3 { x: momentum_x, y: momentum_y, z: momentum_z },
        mass,
        impulse: Vector3 { x: impulse_x, y: impulse_y, z: impulse_z },
    }
}

/// Returns the first block along an axis whose tile contains a node: 0 for the previous block, 1 for the node's own block. With two choices, the last
/// of a block's four nodes gives 1; all other nodes give 0.
#[cube]
fn first_of(x: u32, #[comptime] choices: u32) -> u32 {
    x / comptime!(choices + 1)
}

#[cube(launch_unchecked)]
fn grid_kernel(
    tiles: &Array<i32>,
    bounds: &Array<u32>,
    occupied_around: &Array<u32>,
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
    let mut around = Around::new();
    if UNIT_POS == 0 {
        around.near[0usize].store(ALL_OTHERS);
    }
    sync_cube();
    let node = UNIT_POS;
    let (x, y, z) = (node / 16, node / 4 % 4, node % 4);
    let in_block = Vector3 { x: f32::cast_from(x), y: f32::cast_from(y), z: f32::cast_from(z) };
    let skin = dx * comptime!(crate::grid_update::SKIN);
    let gravity = Vector3 { x: gravity_x, y: gravity_y, z: gravity_z };
    for iteration in 0..select(dt > 0.0f32, iterations(blocks), 0u32) {
        let block = item_at(iteration) as usize;
        let corner = Vector3 {
            x: f32::cast_from(coordinates[block * 3] * 4),
            y: f32::cast_from(coordinates[block * 3 + 1] * 4),
            z: f32::cast_from(coordinates[block * 3 + 2] * 4),
        };
        around.load_blocks(bounds, occupied_around, block, shape);
        if colliders > 0 {
            let half = 1.5f32 + 0.0f32 * dx;
            let middle = corner.plus(Vector3 { x: half, y: half, z: half });
            around.find_colliders(shapes, placed, colliders, middle.times(dx), skin + dx * HALF_DIAGONAL);
        }
        sync_cube();
        let sums = gather(tiles, &around, x, y, z, shape);
        let filled = f32::cast_from(u32::cast_from(sums.mass > SMALLEST_MASS));
        let per_mass = filled / f32::max(sums.mass, SMALLEST_MASS);
        let before = sums.momentum.times(per_mass);
        let mut v = before.plus(sums.impulse.times(per_mass)).plus(gravity.times(dt * filled));
        if colliders > 0 && sums.mass > 0.0f32 {
            let near = around.near[0usize].load();
            v = contact_velocity(shapes, placed, colliders, near, skin, corner.plus(in_block).times(dx), v);
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
        sync_cube();
        if UNIT_POS == 0 {
            around.near[0usize].store(ALL_OTHERS);
        }
        sync_cube();
    }
}

/// Computes node velocities from the tiles, adds gravity, and applies colliders.
pub(super) fn grid_update<R: Runtime>(
    gpu: &Gpu<R>,
    params: &Params,
    grid: &DeviceGrid,
    tiles: &Buffer<i32>,
    bounds: &Buffer<u32>,
    clock: &Clock,
    colliders: &DeviceColliders,
    nodes: &Buffer<f32>,
    shape: Shape,
) {
    let numbers = grid.blocks * (NUMBERS * NODES) as usize;
    assert!(nodes.len() >= if shape.split { 2 * numbers } else { numbers });
    let [gravity_x, gravity_y, gravity_z] = params.gravity;
    // SAFETY: blocks, their neighbors and coordinates are those of one `DeviceGrid`, whose tiles were filled; the assertion guarantees
    // space for nodes; the arrays of colliders belong together.
    unsafe {
        grid_kernel::launch_unchecked::<R>(
            &gpu.client,
            grid.cubes_for_blocks(),
            CubeDim::new_1d(NODES),
            tiles.arg(),
            bounds.arg(),
            grid.occupied_around.arg(),
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
