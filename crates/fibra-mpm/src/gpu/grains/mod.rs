//! Display-only grains: mirrors [`crate::display_grains`]. The grid advects them, and they do not act on it.
//!
//! A step has two launches. In the first, one thread adds the step to the grains' lag and decides whether grains are moved. In the second,
//! one thread per grain moves its grain if this is due.

mod flow;
mod rotation;

use super::clock::{Clock, DT, LEFT, SPEED2};
use super::particles::{read_vec3, write_vec3};
use crate::display_grains::{Grain, GrainLag, MAX_DISTANCE};
use crate::params::{Kernel, Params};
use crate::state::State;
use bytemuck::{cast_slice, cast_slice_mut};
use cubecl::prelude::*;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::colliders::{ANY, DeviceColliders, project_out};
use fibra_gpu::launch::cubes_for;
use fibra_gpu::vector::{Vector3, pick};
use fibra_gpu::{Buffer, DeviceError, Gpu};
use flow::flow_at;
use glam::Vec3;
use rotation::{Rotation, angular_velocity, rotated};

const UNITS: u32 = 128;

/// First component of each quantity of a grain: see [`Grain`].
const X: u32 = 0;
const ROTATION: u32 = 3;
const V: u32 = 7;
const SPIN: u32 = 10;
/// Index of the flying flag, which is 1 or 0 and is stored after the components of [`Grain`].
const FLIES: u32 = GRAIN as u32;
/// Number of values in a [`Grain`].
const GRAIN: usize = size_of::<Grain>() / size_of::<f32>();

/// Number of values per lot: index past its last grain, elongation [-], density below which its grains fly [kg/m^3], smallest mass of a
/// node with full weight [kg], radius [m].
const LOT: usize = 5;

/// Indices of the lag: see [`GrainLag`].
const TIME: usize = 0;
const DISTANCE: usize = 1;
const SPEED: usize = 2;
/// Interval over which the grains are moved in this step [s]; 0 if they are not moved.
const MOVE: usize = 3;

/// The grains of a run, in the order of the state's grains.
#[derive(Clone, Debug)]
pub(super) struct DeviceGrains {
    /// Number of grains that belong to a lot; others are not moved.
    n: usize,
    lots: usize,
    /// Component `c` of grain `i` is at index `c n + i`.
    fields: Buffer<f32>,
    /// [`LOT`] values of each lot, as `u32` bits.
    table: Buffer<u32>,
    /// The lag, indexed by the constants above, as `u32` bits.
    lag: Buffer<u32>,
}

impl DeviceGrains {
    /// Uploads the grains of a state, if it has any.
    pub(super) fn upload<R: Runtime>(gpu: &Gpu<R>, params: &Params, state: &State) -> Option<DeviceGrains> {
        let mut table = Vec::new();
        let mut n = 0;
        for lot in &params.grains {
            n = (n + lot.count as usize).min(state.grains.len());
            let substance = params.substance_of(lot.object);
            let thin = lot.escape_density * substance.density;
            let full_mass = (thin * params.dx.powi(3)).max(f32::MIN_POSITIVE);
            let numbers = [substance.material.elongation(), thin, full_mass, lot.radius];
            table.push(n as u32);
            table.extend(numbers.map(f32::to_bits));
        }
        if n == 0 {
            return None;
        }
        let mut fields = vec![0.0; n * (GRAIN + 1)];
        for (i, (grain, &flies)) in state.grains.iter().zip(&state.flying).take(n).enumerate() {
            let numbers: &[f32] = cast_slice(std::slice::from_ref(grain));
            numbers.iter().enumerate().for_each(|(c, number)| fields[c * n + i] = *number);
            fields[FLIES as usize * n + i] = flies as f32;
        }
        let GrainLag { time, distance, speed } = state.grain_lag;
        Some(DeviceGrains {
            n,
            lots: params.grains.len(),
            fields: gpu.upload(&fields),
            table: gpu.upload(&table),
            lag: gpu.upload(&[time as f32, distance as f32, speed, 0.0].map(f32::to_bits)),
        })
    }

    /// Downloads the grains into the state.
    pub(super) fn download<R: Runtime>(&self, gpu: &Gpu<R>, state: &mut State) -> Result<(), DeviceError> {
        let (n, fields, lag) = (self.n, self.fields.read(gpu)?, self.lag.read(gpu)?);
        for (i, (grain, flies)) in state.grains.iter_mut().zip(&mut state.flying).take(n).enumerate() {
            let numbers: &mut [f32] = cast_slice_mut(std::slice::from_mut(grain));
            numbers.iter_mut().enumerate().for_each(|(c, number)| *number = fields[c * n + i]);
            *flies = fields[FLIES as usize * n + i] as u32;
        }
        let lag = |at: usize| f32::from_bits(lag[at]);
        state.grain_lag =
            GrainLag { time: f64::from(lag(TIME)), distance: f64::from(lag(DISTANCE)), speed: lag(SPEED) };
        Ok(())
    }

    /// Adds a step to the grains' lag. Moves the grains if they lag too far behind, or if the span is over and a frame `is_due`.
    pub(super) fn follow<R: Runtime>(
        &self,
        gpu: &Gpu<R>,
        params: &Params,
        grid: &DeviceGrid,
        nodes: &Buffer<f32>,
        colliders: &DeviceColliders,
        (clock, is_due): (&Clock, bool),
    ) {
        let gravity = Vec3::from(params.gravity);
        update_lag::launch::<R>(
            &gpu.client,
            CubeCount::Static(1, 1, 1),
            CubeDim::new_1d(1),
            clock.buffer.arg(),
            clock.extremes.arg(),
            self.lag.arg(),
            gravity.length(),
            (MAX_DISTANCE * f64::from(params.dx)) as f32,
            u32::from(is_due),
        );
        let width = match params.kernel {
            Kernel::Linear | Kernel::Quadratic => 3,
            Kernel::Cubic => 4,
        };
        move_grains::launch::<R>(
            &gpu.client,
            cubes_for(self.n, UNITS),
            CubeDim::new_1d(UNITS),
            self.fields.arg(),
            self.table.arg(),
            self.lag.arg(),
            grid.coordinates.arg(),
            nodes.arg(),
            colliders.shapes(),
            colliders.placed(),
            self.n as u32,
            self.lots as u32,
            colliders.count(),
            gravity.x,
            gravity.y,
            gravity.z,
            1.0 / params.dx,
            width,
        );
    }
}

/// Adds a step to the grains' lag, and decides whether they are moved now.
#[cube(launch)]
fn update_lag(
    clock: &Array<u32>,
    extremes: &Array<u32>,
    lag: &mut Array<u32>,
    gravity: f32,
    max_distance: f32,
    is_due: u32,
) {
    let dt = f32::reinterpret(clock[DT]);
    let mut now = 0.0f32;
    if dt > 0.0f32 {
        let before = f32::reinterpret(lag[TIME]);
        // Flying grains have accelerated since the last move.
        let flying = f32::reinterpret(lag[SPEED]) + gravity * before;
        let speed = f32::max(f32::sqrt(f32::reinterpret(extremes[SPEED2])), flying);
        let time = before + dt;
        let distance = f32::reinterpret(lag[DISTANCE]) + dt * speed;
        let is_over = is_due == 1u32 && f32::reinterpret(clock[LEFT]) <= 0.0f32;
        if is_over || distance >= max_distance {
            now = time;
            lag[TIME] = 0u32;
            lag[DISTANCE] = 0u32;
            lag[SPEED] = 0u32;
        } else {
            lag[TIME] = u32::reinterpret(time);
            lag[DISTANCE] = u32::reinterpret(distance);
        }
    }
    lag[MOVE] = u32::reinterpret(now);
}

#[cube]
fn number_of(table: &Array<u32>, at: usize) -> f32 {
    f32::reinterpret(table[at])
}

#[cube]
fn read_rotation(fields: &Array<f32>, n: usize, i: usize) -> Rotation {
    let at = ROTATION as usize * n + i;
    Rotation { x: fields[at], y: fields[at + n], z: fields[at + 2 * n], w: fields[at + 3 * n] }
}

#[cube]
fn write_rotation(fields: &mut Array<f32>, n: usize, i: usize, q: Rotation) {
    let at = ROTATION as usize * n + i;
    fields[at] = q.x;
    fields[at + n] = q.y;
    fields[at + 2 * n] = q.z;
    fields[at + 3 * n] = q.w;
}

/// Moves the grains, if it is time, with the grid velocities at the end of the interval, and projects them out of colliders.
#[cube(launch)]
fn move_grains(
    fields: &mut Array<f32>,
    table: &Array<u32>,
    lag: &Array<Atomic<u32>>,
    coordinates: &Array<i32>,
    nodes: &Array<f32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    grains: u32,
    lots: u32,
    colliders: u32,
    gravity_x: f32,
    gravity_y: f32,
    gravity_z: f32,
    inv_dx: f32,
    #[comptime] width: u32,
) {
    let dt = f32::reinterpret(lag[MOVE].load());
    let i = ABSOLUTE_POS;
    if dt > 0.0f32 && i < grains as usize {
        let n = grains as usize;
        let mut lot = u32::new(0);
        for other in 1..lots {
            if i as u32 >= table[(other - 1u32) as usize * LOT] {
                lot = other;
            }
        }
        let numbers = lot as usize * LOT;
        let thin = number_of(table, numbers + 2);
        let x = read_vec3(fields, X, n, i);
        let v = read_vec3(fields, V, n, i);
        let rotation = read_rotation(fields, n, i);
        // The flow at the end is sampled at the grain's predicted end position.
        let ahead = x.plus(v.times(dt));
        let flow = flow_at(nodes, coordinates, ahead, inv_dx, number_of(table, numbers + 3), width);
        // Hysteresis: between the two densities a grain keeps its state. Otherwise grains at the surface would switch at every step.
        let flew = fields[FLIES as usize * n + i];
        let flown = select(flow.density > 2.0f32 * thin, 0.0f32, flew);
        let flies = select(flow.density < thin, 1.0f32, flown);
        let in_air = flies == 1.0f32;
        let gravity = Vector3 { x: gravity_x, y: gravity_y, z: gravity_z };
        let fallen = x.plus(v.times(dt)).plus(gravity.times(0.5f32 * dt * dt));
        let carried = x.plus(v.plus(flow.v).times(0.5f32 * dt));
        let with_flow = angular_velocity(rotation, &flow.grad_v, number_of(table, numbers + 1), dt);
        let spin = pick(in_air, read_vec3(fields, SPIN, n, i), with_flow);
        write_rotation(fields, n, i, rotated(rotation, spin, dt));
        let pushed = project_out(
            shapes,
            placed,
            colliders,
            ANY,
            number_of(table, numbers + 4),
            pick(in_air, fallen, carried),
            pick(in_air, v.plus(gravity.times(dt)), flow.v),
        );
        let kept = select(pushed.moved && in_air, 0.0f32, 1.0f32);
        write_vec3(fields, X, n, i, pushed.x);
        write_vec3(fields, V, n, i, pushed.v);
        write_vec3(fields, SPIN, n, i, spin.times(kept));
        fields[FLIES as usize * n + i] = flies;
        // The bits of positive floats have the same order as the floats. Few grains exceed the current maximum, so atomics are rare.
        let speed = pushed.v.length();
        if speed > f32::reinterpret(lag[SPEED].load()) {
            lag[SPEED].fetch_max(u32::reinterpret(speed));
        }
    }
}
