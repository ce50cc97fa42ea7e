//! Upper bounds of particle contributions per block. They determine the fixed-point quantum of the block's integer sums in [`p2g`](super::p2g).

use super::clock::{Clock, step_length};
use super::contribution::{bounds_of, contribution_of};
use super::p2g::{Factors, Shape, UNITS, particle_at};
use super::particles::{DeviceParticles, HELD, MASS, kind_of};
use cubecl::prelude::*;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::chunks::Chunk;
use fibra_gpu::launch::{item_at, iterations};
use fibra_gpu::{Buffer, Gpu};

/// Number of values per block. The values are upper bounds (as bits) of one particle's momentum [kg m/s], mass [kg] and impulse [kg m/s] at a node,
/// and the number of particles.
pub(super) const NUMBERS: u32 = 4;
const MOMENTUM: usize = 0;
const HEAVIEST: usize = 1;
const IMPULSE: usize = 2;
const COUNT: usize = 3;

/// Largest intended sum of a tile's integers: half of the `i32` range, which leaves a margin for rounding.
const LARGEST: f32 = (1u32 << 30) as f32;

/// Fixed-point quanta of a block's tile: the value of one integer unit of each sum.
#[derive(CubeType, Clone, Copy)]
pub(super) struct Quantum {
    /// Quantum of momentum [kg m/s].
    pub(super) momentum: f32,
    /// Quantum of mass [kg].
    pub(super) mass: f32,
    /// Quantum of the impulse, if it is summed separately [kg m/s].
    pub(super) impulse: f32,
}

#[cube]
impl Quantum {
    /// Computes the quanta from the block's bounds. With them, the integer sums over all particles do not overflow, whatever the order.
    pub(super) fn of(bounds: &Array<u32>, block: usize, #[comptime] shape: Shape) -> Quantum {
        let at = block * comptime!(NUMBERS as usize);
        let many = f32::cast_from(bounds[at + COUNT]) * comptime!(1.0 / LARGEST);
        let least = comptime!(1e-28 / LARGEST);
        let momentum = f32::max(many * f32::reinterpret(bounds[at + MOMENTUM]), least);
        let mass = f32::max(many * f32::reinterpret(bounds[at + HEAVIEST]), least);
        if comptime!(shape.split) {
            let impulse = f32::max(many * f32::reinterpret(bounds[at + IMPULSE]), least);
            Quantum { momentum, mass, impulse }
        } else {
            Quantum { momentum, mass, impulse: momentum }
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
    for iteration in 0..select(dt > 0.0f32, iterations(counts[2usize]), 0u32) {
        let chunk = Chunk::read(chunks, item_at(iteration));
        let mut momentum = 0.0f32;
        let mut impulse = 0.0f32;
        let mut heaviest = 0.0f32;
        for round in 0..(chunk.to - chunk.from + comptime!(UNITS - 1)) / UNITS {
            let i = chunk.from + round * UNITS + UNIT_POS;
            let p = particle_at(order, u32::min(i, chunk.to - 1u32), listed);
            let kind = kind_of(group[p]);
            let mass = fields[MASS as usize * n + p];
            let contribution = contribution_of(fields, kind, n, p, dt, inv_dx, affine, shape);
            let (own, push) = bounds_of(&contribution, mass, shape);
            if i < chunk.to && kind != HELD {
                momentum = f32::max(momentum, own);
                impulse = f32::max(impulse, push);
                heaviest = f32::max(heaviest, mass);
            }
        }
        // The bits of positive floats have the same order as the floats.
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
            // Resets the shared values to zero for the next chunk.
            bounds[at as usize].fetch_max(largest[UNIT_POS as usize].swap(0u32));
        }
        sync_cube();
    }
}

/// Computes the bounds of all occupied blocks. `bounds` must be zero before.
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
    // SAFETY: chunks are those of a `DeviceGrid` built for these particles; the assertion guarantees space for its occupied blocks.
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
