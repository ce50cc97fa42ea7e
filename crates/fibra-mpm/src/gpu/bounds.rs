//! How much the particles of a block give to any node at most: from that follows what one of the integers is worth that [`p2g`](super::p2g) adds up.

use super::clock::{Clock, step_length};
use super::gift::{bounds_of, gift_of};
use super::p2g::{Factors, Shape};
use super::particles::{DeviceParticles, HELD, MASS, kind_of};
use cubecl::prelude::*;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::launch::cubes_for;
use fibra_gpu::{Buffer, Gpu};

const UNITS: u32 = 256;

/// Numbers of a block, as the bits of what no particle of it gives more of: momentum [kg m/s], mass [kg], impulse [kg m/s].
pub(super) const NUMBERS: u32 = 3;
pub(super) const MOMENTUM: u32 = 0;
pub(super) const MASSES: u32 = 1;
pub(super) const IMPULSE: u32 = 2;

/// Raises a number of a block. Units of a plane (units that run together) that are all in the same block send one, where the device can do that.
#[cube]
fn raise(bounds: &Array<Atomic<u32>>, at: u32, to: f32, together: bool, #[comptime] planes: bool) {
    let mut most = to;
    let mut speaks = true;
    if comptime!(planes) {
        let of_all = plane_max(to);
        most = select(together, of_all, to);
        speaks = !together || UNIT_POS_PLANE == 0;
    }
    // Positive floats are ordered as their bits are.
    if speaks {
        bounds[at as usize].fetch_max(u32::reinterpret(most));
    }
}

#[cube(launch_unchecked)]
fn find_bounds(
    fields: &Array<f32>,
    group: &Array<u32>,
    block_of: &Array<u32>,
    clock: &Array<u32>,
    bounds: &Array<Atomic<u32>>,
    inv_dx: f32,
    affine: f32,
    #[comptime] shape: Shape,
) {
    let planes = comptime!(shape.planes);
    let dt = step_length(clock);
    if dt > 0.0f32 {
        let n = group.len();
        // Units beyond the last look at the last, too: then planes stay together.
        let p = usize::min(ABSOLUTE_POS, n - 1);
        let block = block_of[p];
        let kind = kind_of(group[p]);
        let mass = fields[MASS as usize * n + p];
        let gift = gift_of(fields, kind, n, p, dt, inv_dx, affine, shape);
        let (momentum, impulse) = bounds_of(&gift, mass, shape);
        let gives = f32::cast_from(u32::cast_from(kind != HELD));
        let mut together = false;
        if comptime!(planes) {
            together = plane_all(block == plane_broadcast(block, 0u32));
        }
        let first = block * NUMBERS;
        raise(bounds, first + MOMENTUM, gives * momentum, together, planes);
        raise(bounds, first + MASSES, gives * mass, together, planes);
        if comptime!(shape.split) {
            raise(bounds, first + IMPULSE, gives * impulse, together, planes);
        }
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
    // SAFETY: every particle has an occupied block of this `DeviceGrid`, for which there is room by the assertion.
    unsafe {
        find_bounds::launch_unchecked::<R>(
            &gpu.client,
            cubes_for(particles.n, UNITS),
            CubeDim::new_1d(UNITS),
            particles.fields.arg(),
            particles.group.arg(),
            grid.block_of.arg(),
            clock.buffer.arg(),
            bounds.arg(),
            factors.inv_dx,
            factors.affine,
            shape,
        );
    }
}
