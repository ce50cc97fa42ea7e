//! Display-only grains: several oriented bodies per particle, advected by the grid [Schreck2020, Sec. 7].
//!
//! Grains show the material and do not act on it. Inside the material, a grain moves with the grid velocity and rotates with the velocity
//! gradient. Where the density is too low, it flies: a rigid body under gravity that collides with colliders, until it re-enters the material.
//!
//! | file | contents |
//! |---|---|
//! | [`flow`] | grid velocity, velocity gradient and density at a point |
//! | [`rotation`] | rotation of a grain with the flow |
//! | [`mod@seed`] | initial grains for the particles of an object |
//!
//! There are about ten grains per particle, and the speed of sound limits the time step far more than the material's velocity does. Grains are
//! therefore moved only when a particle or a grain has traveled a tenth of a cell, or when a frame is due. Each move then covers the whole time since
//! the last move, with the mean of the velocities at both ends.
//!
//! Differences from the paper: the paper moves its sub-particles after the simulation; here they move during it. The paper sets nodes with little
//! mass to zero; here such nodes get less weight. If the alignment of the material changes, the paper rotates the grains relative to the material as
//! it rotates the particles' frames. Here each grain follows Jeffery's equation for a single grain. Averaged over all grains, Jeffery's equation
//! gives the equation for the alignment of the material.

pub mod flow;
pub mod rotation;
pub mod seed;
#[cfg(test)]
mod tests;

use crate::params::{Kernel, Params};
use crate::resolve_penetration::project_out;
use crate::state::State;
use crate::workspace::Grid;
use bytemuck::{Pod, Zeroable};
use fibra_core::block_key::{BLOCK_EDGE, BlockKey};
use fibra_core::geometry::PlacedCollider;
use flow::{Flow, FlowReader};
use glam::{Quat, Vec3};
use rayon::prelude::*;
use rotation::{angular_velocity, rotated};

/// A grain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Grain {
    /// Position of the center, relative to the run origin [m].
    pub x: [f32; 3],
    /// Rotation from the coordinate axes to the grain's axes, as a unit quaternion x, y, z, w.
    pub rotation: [f32; 4],
    /// Velocity [m/s].
    pub v: [f32; 3],
    /// Angular velocity [rad/s].
    pub spin: [f32; 3],
}

/// The grains of one object (a lot), stored after those of the previous lots. Set by the user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainLot {
    /// Index of the object.
    pub object: u32,
    /// Number of grains.
    pub count: u32,
    /// Smallest allowed distance between grain centers and colliders [m].
    pub radius: f32,
    /// Fraction of the rest density below which a grain leaves the material [-]. Above twice this density it rejoins.
    pub escape_density: f32,
}

/// Time and distance since grains were last moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GrainLag {
    /// Time since grains were last moved [s].
    pub time: f64,
    /// Upper bound on the distance traveled by any particle or grain in that time [m].
    pub distance: f64,
    /// Largest grain speed at the last move [m/s].
    pub speed: f32,
}

/// Number of grains per task.
const GRAINS_PER_TASK: usize = 512;

/// Largest distance that anything may travel before grains are moved [cells]. In that time the flow rotates them by less than a fifth of a radian.
pub(crate) const MAX_DISTANCE: f64 = 0.1;

/// Adds a step of `dt` [s] to the grains' lag. Moves the grains if they lag by at least `MAX_DISTANCE`, or if a frame `is_due`.
pub fn follow(
    params: &Params,
    colliders: &[PlacedCollider],
    state: &mut State,
    grid: &Grid,
    (dt, is_due): (f64, bool),
) {
    if state.grains.is_empty() {
        return;
    }
    let lag = &mut state.grain_lag;
    // Flying grains have accelerated since the last move.
    let gravity = Vec3::from(params.gravity).length();
    let speed = state.extremes.speed.max(lag.speed + gravity * lag.time as f32);
    lag.time += dt;
    lag.distance += dt * f64::from(speed);
    if is_due || lag.distance >= MAX_DISTANCE * f64::from(params.dx) {
        let time = lag.time as f32;
        let speed = move_grains(params, colliders, state, grid, time);
        state.grain_lag = GrainLag { time: 0.0, distance: 0.0, speed };
    }
}

/// Moves the grains over the interval `dt` [s] with the grid velocities at its end, and projects the grains out of colliders. Returns the
/// largest grain speed [m/s].
fn move_grains(params: &Params, colliders: &[PlacedCollider], state: &mut State, grid: &Grid, dt: f32) -> f32 {
    let mut fastest = 0.0f32;
    let (mut grains, mut flying) = (&mut state.grains[..], &mut state.flying[..]);
    for lot in &params.grains {
        let (mine, flags);
        (mine, grains) = grains.split_at_mut((lot.count as usize).min(grains.len()));
        (flags, flying) = flying.split_at_mut(mine.len());
        let mover = Mover::new(params, lot, colliders, dt);
        let tasks = mine.par_chunks_mut(GRAINS_PER_TASK).zip(flags.par_chunks_mut(GRAINS_PER_TASK));
        let speeds = tasks.map(|(grains, flying)| match params.kernel {
            Kernel::Linear | Kernel::Quadratic => mover.move_all::<3>(grid, grains, flying),
            Kernel::Cubic => mover.move_all::<4>(grid, grains, flying),
        });
        fastest = fastest.max(speeds.reduce(|| 0.0, f32::max));
    }
    fastest
}

/// Parameters shared by the grains of a lot.
struct Mover<'a> {
    dx: f32,
    dt: f32,
    gravity: Vec3,
    colliders: &'a [PlacedCollider],
    /// Elongation of the material's grains [-].
    elongation: f32,
    /// Density below which grains fly [kg/m^3].
    thin: f32,
    radius: f32,
}

impl<'a> Mover<'a> {
    fn new(params: &Params, lot: &GrainLot, colliders: &'a [PlacedCollider], dt: f32) -> Mover<'a> {
        let substance = params.substance_of(lot.object);
        Mover {
            dx: params.dx,
            dt,
            gravity: Vec3::from(params.gravity),
            colliders,
            elongation: substance.material.elongation(),
            thin: lot.escape_density * substance.density,
            radius: lot.radius,
        }
    }

    /// Moves a chunk of grains; returns the largest speed [m/s].
    fn move_all<const K: usize>(&self, grid: &Grid, grains: &mut [Grain], flying: &mut [u32]) -> f32 {
        let mut fastest2 = 0.0f32;
        let mut reader = FlowReader::new(grid, self.dx, self.thin);
        let mut near = NearColliders::default();
        for (grain, flies) in grains.iter_mut().zip(flying) {
            // The flow at the end is sampled at the grain's predicted end position.
            let ahead = Vec3::from(grain.x) + self.dt * Vec3::from(grain.v);
            let flow = reader.read::<K>(ahead.to_array());
            self.advance(&flow, grain, flies);
            self.resolve_penetration(&mut near, grain, *flies == 1);
            fastest2 = fastest2.max(Vec3::from(grain.v).length_squared());
        }
        fastest2.sqrt()
    }

    /// Moves a grain in the given flow.
    fn advance(&self, flow: &Flow, grain: &mut Grain, flies: &mut u32) {
        // Hysteresis: between the two densities a grain keeps its state. Otherwise grains at the surface would switch at every step.
        if flow.density < self.thin {
            *flies = 1;
        } else if flow.density > 2.0 * self.thin {
            *flies = 0;
        }
        let dt = self.dt;
        let (x, v, rotation) = (Vec3::from(grain.x), Vec3::from(grain.v), Quat::from_array(grain.rotation));
        if *flies == 1 {
            grain.x = (x + dt * v + 0.5 * dt * dt * self.gravity).to_array();
            grain.v = (v + dt * self.gravity).to_array();
        } else {
            grain.x = (x + 0.5 * dt * (v + flow.v)).to_array();
            grain.v = flow.v.to_array();
            grain.spin = angular_velocity(rotation, &flow.grad_v, self.elongation, dt).to_array();
        }
        grain.rotation = rotated(rotation, Vec3::from(grain.spin), dt).to_array();
    }

    fn resolve_penetration(&self, near: &mut NearColliders, grain: &mut Grain, flies: bool) {
        let cells = grain.x.map(|x| (x / self.dx).floor() as i32);
        near.update(BlockKey::new(cells.map(|c| c.div_euclid(BLOCK_EDGE))), self);
        for (_, collider) in self.colliders.iter().enumerate().filter(|&(index, _)| near.is_near(index)) {
            if project_out(collider, self.radius, &mut grain.x, &mut grain.v) && flies {
                grain.spin = [0.0; 3];
            }
        }
    }
}

/// Cache of the colliders near the most recent block.
#[derive(Default)]
struct NearColliders {
    block: Option<BlockKey>,
    /// One bit for each of the first 64 colliders; further colliders always count as near.
    bits: u64,
}

impl NearColliders {
    fn update(&mut self, block: Option<BlockKey>, mover: &Mover<'_>) {
        let Some(key) = block else {
            // Outside the range of the grid.
            *self = NearColliders { block: None, bits: u64::MAX };
            return;
        };
        if self.block == block {
            return;
        }
        let edge = BLOCK_EDGE as f32 * mover.dx;
        let middle = Vec3::from(key.coordinates().map(|c| (c as f32 + 0.5) * edge));
        // Half the diagonal of a block, plus one cell for interpolated distances.
        let reach = 0.87 * edge + mover.dx + mover.radius;
        let first = mover.colliders.iter().take(64).enumerate();
        let bits = first.fold(0, |bits, (index, body)| bits | u64::from(body.is_within(middle, reach)) << index);
        *self = NearColliders { block, bits };
    }

    fn is_near(&self, collider: usize) -> bool {
        collider >= 64 || self.bits >> collider & 1 == 1
    }
}
