//! Strand vertices as particles of the grid on a device: transfers in both directions.
//!
//! [`predict`](crate::gpu::predict) copies the vertices to the particles and [`settle`](mod@crate::gpu::settle) copies them back, in their own
//! kernels. This module has the operations in between.

use crate::gpu::strands::{CHANGE, GpuStrands, LOOSE, MASS, POSITION, VELOCITY};
use crate::gpu::vector::{Turn, get, set, turn, turn_arg};
use crate::group::PINNED_MASS;
use cubecl::prelude::*;
use fibra_gpu::launch::cubes_for;
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};
use fibra_mpm::internals::gpu::particles;
use glam::Mat3;

const UNITS: u32 = 128;

/// First components of particle fields: see the device particles of [`fibra_mpm`].
pub(crate) const PARTICLE_POSITION: usize = particles::X as usize;
pub(crate) const PARTICLE_VELOCITY: usize = particles::V as usize;
const GRADIENT: usize = particles::F as usize;
pub(crate) const STRESS: usize = particles::TAU as usize;

/// Grid particles of the strand vertices.
#[derive(Clone, Copy, Debug)]
pub struct Vertices<'a> {
    /// Component `c` of particle `i` of `n` is at `c * n + i`.
    pub fields: &'a Buffer<f32>,
    /// Particle index of each vertex.
    pub place: &'a Buffer<u32>,
}

impl Vertices<'_> {
    /// Runs between two grid substeps, `t` [s] after the start of the strand step. Moves pinned vertices with the head, and adds a fraction of the
    /// predicted velocity change to all other vertices.
    pub fn pin_and_accelerate<R: Runtime>(&self, gpu: &Gpu<R>, strands: &GpuStrands, t: f32, share: f32) {
        let n = strands.vertex_count();
        pin_and_accelerate::launch::<R>(
            &gpu.client,
            cubes_for(n, UNITS),
            CubeDim::new_1d(UNITS),
            strands.constants.arg(),
            strands.state.arg(),
            self.fields.arg(),
            self.place.arg(),
            t,
            share,
        );
    }

    /// Rotates the deformation gradients and stresses of the particles of strands on the head when these are rotated rigidly.
    pub fn rotate_history<R: Runtime>(&self, gpu: &Gpu<R>, strands: &GpuStrands, by: Mat3) {
        let n = self.place.len();
        rotate_history::launch::<R>(
            &gpu.client,
            cubes_for(n, UNITS),
            CubeDim::new_1d(UNITS),
            strands.constants.arg(),
            self.fields.arg(),
            self.place.arg(),
            turn_arg(by),
        );
    }
}

#[cube(launch)]
fn pin_and_accelerate(
    constants: &Array<f32>,
    state: &Array<f32>,
    fields: &mut Array<f32>,
    place: &Array<u32>,
    t: f32,
    share: f32,
) {
    let n = place.len();
    if ABSOLUTE_POS < n {
        let i = ABSOLUTE_POS;
        let particle = place[i] as usize;
        if constants[MASS * n + i] >= PINNED_MASS {
            let v = get(state, n, VELOCITY, i);
            set(fields, n, PARTICLE_POSITION, particle, get(state, n, POSITION, i).plus(v.times(t)));
            set(fields, n, PARTICLE_VELOCITY, particle, v);
        } else {
            let v = get(fields, n, PARTICLE_VELOCITY, particle);
            set(fields, n, PARTICLE_VELOCITY, particle, v.plus(get(state, n, CHANGE, i).times(share)));
        }
    }
}

#[cube(launch)]
fn rotate_history(constants: &Array<f32>, fields: &mut Array<f32>, place: &Array<u32>, by: &Turn) {
    let n = place.len();
    if ABSOLUTE_POS < n && constants[LOOSE * n + ABSOLUTE_POS] == 0.0f32 {
        let i = place[ABSOLUTE_POS] as usize;
        #[unroll]
        for column in 0..3usize {
            let at = comptime!(GRADIENT + column);
            let before = Vector3::new(fields[at * n + i], fields[(at + 3) * n + i], fields[(at + 6) * n + i]);
            let after = turn(by, before);
            fields[at * n + i] = after.x;
            fields[(at + 3) * n + i] = after.y;
            fields[(at + 6) * n + i] = after.z;
        }
        let xx = fields[STRESS * n + i];
        let yy = fields[(STRESS + 1) * n + i];
        let zz = fields[(STRESS + 2) * n + i];
        let yz = fields[(STRESS + 3) * n + i];
        let xz = fields[(STRESS + 4) * n + i];
        let xy = fields[(STRESS + 5) * n + i];
        // Columns of turn * tau, then its rows times the transposed rotation.
        let x = turn(by, Vector3::new(xx, xy, xz));
        let y = turn(by, Vector3::new(xy, yy, yz));
        let z = turn(by, Vector3::new(xz, yz, zz));
        let first = turn(by, Vector3::new(x.x, y.x, z.x));
        let second = turn(by, Vector3::new(x.y, y.y, z.y));
        let third: Vector3 = turn(by, Vector3::new(x.z, y.z, z.z));
        fields[STRESS * n + i] = first.x;
        fields[(STRESS + 1) * n + i] = second.y;
        fields[(STRESS + 2) * n + i] = third.z;
        fields[(STRESS + 3) * n + i] = 0.5f32 * (second.z + third.y);
        fields[(STRESS + 4) * n + i] = 0.5f32 * (first.z + third.x);
        fields[(STRESS + 5) * n + i] = 0.5f32 * (first.y + second.x);
    }
}
