//! How much the particles of a block give to any node at most: from that follows what one of the integers is worth that [`p2g`](super::p2g) adds up.

use super::clock::{Clock, step_length};
use super::gift::{bounds_of, gift_of};
use super::p2g::{Factors, Shape, UNITS, particle_at};
use super::particles::{DeviceParticles, HELD, MASS, kind_of};
use cubecl::prelude::*;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::launch::{item_at, iterations};
use fibra_gpu::chunks::Chunk;
use fibra_gpu::{Buffer, Gpu};

/// Numbers of a block: the bits of what no particle of it gives more of, momentum [kg m/s], mass [kg] and impulse [kg m/s], and how many particles there
/// are.
pub(super) const NUMBERS: u32 = 4;
const MOMENTUM: usize = 0;
const HEAVIEST: usize = 1;
const IMPULSE: usize = 2;
const COUNT: usize = 3;

/// The largest sum that a tile's integers are to hold: half of what they can, so that rounding has room.
const LARGEST: f32 = (1u32 << 30) as f32;

/// What one of the integers of a block's tile is worth.
#[derive(CubeType, Clone, Copy)]
pub(super) struct Worth {
    /// [kg m/s]
    pub(super) momentum: f32,
    /// [kg]
    pub(super) mass: f32,
    /// Where it is summed apart [kg m/s].
    pub(super) impulse: f32,
}

#[cube]
impl Worth {
    /// As many as there are of the largest bound the sum in any order.
    pub(super) fn of(bounds: &Array<u32>, block: usize, #[comptime] shape: Shape) -> Worth {
        let at = block * comptime!(NUMBERS as usize);
        let many = f32::cast_from(bounds[at + COUNT]) * comptime!(1.0 / LARGEST);
        let least = comptime!(1e-28 / LARGEST);
        let momentum = f32::max(many * f32::reinterpret(bounds[at + MOMENTUM]), least);
        let mass = f32::max(many * f32::reinterpret(bounds[at + HEAVIEST]), least);
        if comptime!(shape.split) {
            let impulse = f32::max(many * f32::reinterpret(bounds[at + IMPULSE]), least);
            Worth { momentum, mass, impulse }
        } else {
            Worth { momentum, mass, impulse: momentum }
        }
    }
}

#[cube(launch_unchecked)]
fn find_bounds(
    fields: &Array<f32>,
    group: &Array<u32>,
    chunks: &Array<u32>,
    clock: &Array<u32>,
    bounds: &Array<Atomic<u32>>,
    order: &Array<u32>,
    counts: &Array<u32>,
    inv_dx: f32,
    affine: f32,
    #[comptime] shape: Shape,
    #[comptime] listed: bool,
) {
    let dt = step_length(clock);
    let n = group.len();
    let largest = SharedMemory::<Atomic<u32>>::new(comptime!(NUMBERS as usize));
    if UNIT_POS < NUMBERS {
        largest[UNIT_POS as usize].store(0u32);
    }
    sync_cube();
    for turn in 0..select(dt > 0.0f32, iterations(counts[2usize]), 0u32) {
        let chunk = Chunk::read(chunks, item_at(turn));
        let mut momentum = 0.0f32;
        let mut impulse = 0.0f32;
        let mut heaviest = 0.0f32;
        for round in 0..(chunk.to - chunk.from + comptime!(UNITS - 1)) / UNITS {
            let i = chunk.from + round * UNITS + UNIT_POS;
            let p = particle_at(order, u32::min(i, chunk.to - 1u32), listed);
            let kind = kind_of(group[p]);
            let mass = fields[MASS as usize * n + p];
            let gift = gift_of(fields, kind, n, p, dt, inv_dx, affine, shape);
            let (own, push) = bounds_of(&gift, mass, shape);
            if i < chunk.to && kind != HELD {
                momentum = f32::max(momentum, own);
                impulse = f32::max(impulse, push);
                heaviest = f32::max(heaviest, mass);
            }
        }
        // Positive floats are ordered as their bits are.
        largest[MOMENTUM].fetch_max(u32::reinterpret(momentum));
        largest[HEAVIEST].fetch_max(u32::reinterpret(heaviest));
        if comptime!(shape.split) {
            largest[IMPULSE].fetch_max(u32::reinterpret(impulse));
        }
        if UNIT_POS == 0 {
            largest[COUNT].fetch_max(chunk.of_block);
        }
        sync_cube();
        if UNIT_POS < NUMBERS {
            let at = chunk.block * NUMBERS + UNIT_POS;
            // Empty again for the next chunk.
            bounds[at as usize].fetch_max(largest[UNIT_POS as usize].swap(0u32));
        }
        sync_cube();
    }
}

/// Finds the bounds of all occupied blocks; they must be zero before.
pub(super) fn bounds<R: Runtime>(
    gpu: &Gpu<R>,
    particles: &DeviceParticles,
    grid: &DeviceGrid,
    clock: &Clock,
    bounds: &Buffer<u32>,
    factors: Factors,
    shape: Shape,
) {
    assert!(bounds.len() >= grid.occupied * NUMBERS as usize);
    // SAFETY: chunks are those of a `DeviceGrid` that was made for these particles; there is room for its occupied blocks by the assertion.
    unsafe {
        find_bounds::launch_unchecked::<R>(
            &gpu.client,
            grid.cubes_for_chunks(),
            CubeDim::new_1d(UNITS),
            particles.fields.arg(),
            particles.group.arg(),
            grid.chunks.arg(),
            clock.buffer.arg(),
            bounds.arg(),
            grid.order.arg(),
            grid.counts.arg(),
            factors.inv_dx,
            factors.affine,
            shape,
            grid.listed,
        );
    }
}
