//! Grains that are drawn: several oriented bodies for every particle, that the grid carries along [Schreck2020, Sec. 7].
//!
//! They show the material and do not act on it. In the material a grain moves with the grid's velocity and turns with its
//! gradient; where the material has become too thin to speak of, it flies: a rigid body under gravity that bumps into
//! colliders, until it comes back into the material.
//!
//! | file | holds |
//! |---|---|
//! | [`flow`] | velocity, its gradient and density of the grid at a place |
//! | [`turn`] | how a grain turns with the flow |
//! | [`mod@seed`] | grains for the particles of an object, at the start |
//!
//! There are ten grains to a particle, and sound bounds the steps of the material far more than its speed does. So grains wait until something has gone
//! a tenth of a cell, or a frame is due, and then make up for all of the time at once, with the mean of the velocities at both ends of
//! their way.
//!
//! Differences: the paper moves its sub-particles after the simulation; here they move with it. Nodes
//! with little mass it sets to zero; here they count less. It turns grains of materials that change their alignment by what the particles' frames turn
//! beyond the material; here each turns by Jeffery's equation for a single grain, of which the material's equation is the mean.

pub mod flow;
pub mod seed;
#[cfg(test)]
mod tests;
pub mod turn;

use crate::keep_out::push_out;
use crate::params::{Kernel, Params};
use crate::state::State;
use crate::workspace::Grid;
use bytemuck::{Pod, Zeroable};
use fibra_core::block_key::{BLOCK_EDGE, BlockKey};
use fibra_core::geometry::PlacedCollider;
use flow::{Flow, FlowReader};
use glam::{Quat, Vec3};
use rayon::prelude::*;
use turn::{angular_velocity, turned};

/// A grain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Grain {
    /// Position of its middle, relative to the run origin [m].
    pub x: [f32; 3],
    /// Its axes, as the unit quaternion x, y, z, w that turns the coordinate axes there.
    pub rotation: [f32; 4],
    /// Velocity [m/s].
    pub v: [f32; 3],
    /// Angular velocity [rad/s].
    pub spin: [f32; 3],
}

/// The grains of one object, which follow those of the lots before it. Set by the user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainLot {
    /// Index of the object.
    pub object: u32,
    /// How many there are.
    pub count: u32,
    /// How far from colliders their middles are kept [m].
    pub radius: f32,
    /// Share of the rest density below which the material lets go of a grain [-]; it takes it back above twice of it.
    pub escape_density: f32,
}

/// What grains have to make up for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GrainLag {
    /// Time since they were moved [s].
    pub time: f64,
    /// How far the fastest particle or grain can have gone in it [m].
    pub way: f64,
    /// Speed of the fastest grain when they were moved [m/s].
    pub speed: f32,
}

/// Grains that a task takes.
const GRAINS_PER_TASK: usize = 512;

/// How far anything may go before grains are moved [cells]. The flow turns them by less than a fifth of a radian meanwhile.
pub(crate) const LONGEST_WAY: f64 = 0.1;

/// Lets the grains follow a step of `dt` [s]: moves them if it is time, or if a frame `is_due`.
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
    // Grains that fly gain speed on the way.
    let gravity = Vec3::from(params.gravity).length();
    let speed = state.extremes.speed.max(lag.speed + gravity * lag.time as f32);
    lag.time += dt;
    lag.way += dt * f64::from(speed);
    if is_due || lag.way >= LONGEST_WAY * f64::from(params.dx) {
        let time = lag.time as f32;
        let speed = move_grains(params, colliders, state, grid, time);
        state.grain_lag = GrainLag { time: 0.0, way: 0.0, speed };
    }
}

/// Moves the grains over `dt` [s] through a grid that has its velocities at the end of it, and out of colliders. Returns the speed of the fastest [m/s].
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

/// What the grains of a lot share in a step.
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

    /// Moves some grains; returns the speed of the fastest [m/s].
    fn move_all<const K: usize>(&self, grid: &Grid, grains: &mut [Grain], flying: &mut [u32]) -> f32 {
        let mut fastest2 = 0.0f32;
        let mut reader = FlowReader::new(grid, self.dx, self.thin);
        let mut near = NearColliders::default();
        for (grain, flies) in grains.iter_mut().zip(flying) {
            // The flow at the end of the time is read where the grain will be then.
            let ahead = Vec3::from(grain.x) + self.dt * Vec3::from(grain.v);
            let flow = reader.read::<K>(ahead.to_array());
            self.advance(&flow, grain, flies);
            self.keep_out(&mut near, grain, *flies == 1);
            fastest2 = fastest2.max(Vec3::from(grain.v).length_squared());
        }
        fastest2.sqrt()
    }

    /// Moves a grain that sees this flow.
    fn advance(&self, flow: &Flow, grain: &mut Grain, flies: &mut u32) {
        // Between the two densities a grain stays what it is: else those at the edge would change from step to step.
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
        grain.rotation = turned(rotation, Vec3::from(grain.spin), dt).to_array();
    }

    fn keep_out(&self, near: &mut NearColliders, grain: &mut Grain, flies: bool) {
        let cells = grain.x.map(|x| (x / self.dx).floor() as i32);
        near.look_around(BlockKey::new(cells.map(|c| c.div_euclid(BLOCK_EDGE))), self);
        for (_, collider) in self.colliders.iter().enumerate().filter(|&(index, _)| near.is_near(index)) {
            if push_out(collider, self.radius, &mut grain.x, &mut grain.v) && flies {
                grain.spin = [0.0; 3];
            }
        }
    }
}

/// Which colliders reach into the block that was last looked at.
#[derive(Default)]
struct NearColliders {
    block: Option<BlockKey>,
    /// A bit for each of the first colliders; those beyond count as near.
    bits: u64,
}

impl NearColliders {
    fn look_around(&mut self, block: Option<BlockKey>, mover: &Mover<'_>) {
        let Some(key) = block else {
            // Too far away for the grid.
            *self = NearColliders { block: None, bits: u64::MAX };
            return;
        };
        if self.block == block {
            return;
        }
        let edge = BLOCK_EDGE as f32 * mover.dx;
        let middle = Vec3::from(key.coordinates().map(|c| (c as f32 + 0.5) * edge));
        // Half the diagonal of a block, and a cell for distances that are interpolated.
        let reach = 0.87 * edge + mover.dx + mover.radius;
        let first = mover.colliders.iter().take(64).enumerate();
        let bits = first.fold(0, |bits, (index, body)| bits | u64::from(body.is_within(middle, reach)) << index);
        *self = NearColliders { block, bits };
    }

    fn is_near(&self, collider: usize) -> bool {
        collider >= 64 || self.bits >> collider & 1 == 1
    }
}
