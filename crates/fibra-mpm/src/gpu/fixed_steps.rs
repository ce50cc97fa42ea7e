//! Steps whose length the caller chooses, for particles that the caller also moves. The grid is rebuilt in each step, and the host never waits.

use super::bounds::{self, bounds};
use super::clock::{BROKEN, Clock};
use super::g2p::{Motion, Shares, g2p};
use super::grid_update::{NUMBERS, grid_update};
use super::p2g::{Factors, Shape, p2g};
use super::particles::{DeviceParticles, MOST_COMPONENTS};
use super::sim::DeviceRunError;
use super::substances::DeviceSubstances;
use crate::params::{Integrator, Params};
use crate::state::State;
use cubecl::prelude::*;
use fibra_core::block_key::BLOCK_NODES;
use fibra_gpu::block_grid::GridError;
use fibra_gpu::colliders::DeviceColliders;
use fibra_gpu::hash_grid::{Capacity, HashGrid};
use fibra_gpu::{Buffer, DeviceError, Gpu};

/// Limits of the maximum number of particles per chunk: the first for few particles, the last for many. Particles cluster: some blocks
/// are crowded, most hold a handful. Small chunks keep all multiprocessors busy; large chunks have fewer tiles to sum.
const CHUNK: std::ops::RangeInclusive<usize> = 128..=512;
/// Number of chunks that keeps a device busy.
const BUSY: usize = 2048;

/// Particles without meshes, and the grid that couples them.
///
/// Results are bitwise reproducible on one device, although the order of the particles within a block is not.
#[derive(Debug)]
pub struct FixedSteps {
    particles: DeviceParticles,
    substances: DeviceSubstances,
    grid: HashGrid,
    /// Sums of each occupied block; zero between steps.
    tiles: Buffer<i32>,
    /// Bounds on the particles' contributions in each occupied block; zero between steps.
    block_bounds: Buffer<u32>,
    /// Node velocities of each block, followed by the velocities before forces if the transfer needs them.
    nodes: Buffer<f32>,
    clock: Clock,
    dt: f32,
    factors: Factors,
    shares: Shares,
    shape: Shape,
    motion: Motion,
}

impl FixedSteps {
    /// Uploads a state and allocates a grid with this capacity.
    pub fn new<R: Runtime>(
        gpu: &Gpu<R>,
        params: &Params,
        state: &State,
        capacity: Capacity,
    ) -> Result<Self, DeviceRunError> {
        if params.integrator != Integrator::Explicit {
            return Err(DeviceRunError::Unsupported("implicit steps"));
        }
        if !params.meshes.corners.is_empty() {
            return Err(DeviceRunError::Unsupported("meshes in steps of fixed length"));
        }
        let substances = DeviceSubstances::upload(gpu, params, state)?;
        let shape = Shape::new(gpu, params);
        let motion = Motion::new(params, shape, substances.points, !state.particles.alignment.is_empty());
        let velocities = if shape.split { 2 } else { 1 };
        let chunk = (state.particles.len() / BUSY).clamp(*CHUNK.start(), *CHUNK.end());
        gpu.check_len(state.particles.len() * MOST_COMPONENTS as usize)?;
        gpu.check_len(capacity.occupied * shape.tile() as usize)?;
        gpu.check_len(capacity.blocks * 2 * NUMBERS as usize * BLOCK_NODES)?;
        let grid = HashGrid::new(gpu, state.particles.len(), capacity, chunk as u32);
        Ok(FixedSteps {
            particles: DeviceParticles::upload(gpu, params, state),
            substances,
            tiles: gpu.zeros(grid.grid().occupied * shape.tile() as usize),
            block_bounds: gpu.zeros(grid.grid().occupied * bounds::NUMBERS as usize),
            grid,
            nodes: gpu.empty(capacity.blocks.max(1) * velocities * NUMBERS as usize * BLOCK_NODES),
            clock: Clock::fixed(gpu, 0.0),
            dt: 0.0,
            factors: Factors::new(params),
            shares: Shares::new(params.transfer),
            shape,
            motion,
        })
    }

    /// Launches one step of `dt` [s].
    pub fn step<R: Runtime>(&mut self, gpu: &Gpu<R>, params: &Params, colliders: &DeviceColliders, dt: f32) {
        if dt != self.dt {
            // Keep the extremes, so that earlier errors are still reported.
            self.clock = Clock { extremes: self.clock.extremes.clone(), ..Clock::fixed(gpu, dt) };
            self.dt = dt;
        }
        self.grid.rebuild(gpu, &self.particles.fields, params.dx, 0.5 * (params.kernel.width() - 2.0));
        let FixedSteps {
            particles, substances, tiles, block_bounds, nodes, clock, factors, shares, shape, motion, ..
        } = self;
        let blocks = self.grid.grid();
        bounds(gpu, particles, blocks, clock, block_bounds, *factors, *shape);
        p2g(gpu, particles, blocks, clock, block_bounds, tiles, *factors, *shape);
        grid_update(gpu, params, blocks, tiles, block_bounds, clock, colliders, nodes, *shape);
        g2p(gpu, params, particles, blocks, nodes, substances, clock, block_bounds, tiles, *shares, *motion);
    }

    /// Returns the particles.
    pub fn particles(&self) -> &DeviceParticles {
        &self.particles
    }

    /// Replaces the particles by the same number of others.
    pub fn set_state<R: Runtime>(&mut self, gpu: &Gpu<R>, params: &Params, state: &State) {
        assert_eq!(state.particles.len(), self.particles.n, "the number of particles is constant");
        self.particles = DeviceParticles::upload(gpu, params, state);
        self.clock = Clock::fixed(gpu, self.dt);
        self.grid.clear_errors(gpu);
    }

    /// Returns an error if any step so far could not assign a particle to a block. Waits for the device.
    pub fn check_blocks<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<(), GridError> {
        self.grid.check(gpu)
    }

    /// Returns whether a velocity or a stress was not finite after a step. Waits for the device.
    pub fn is_broken<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<bool, DeviceError> {
        Ok(self.clock.extremes.read_range(gpu, BROKEN..BROKEN + 1)?[0] != 0)
    }

    /// Downloads the particles into a state. A CPU step after that sorts them first.
    pub fn download<R: Runtime>(&self, gpu: &Gpu<R>, state: &mut State) -> Result<(), DeviceError> {
        self.particles.download(gpu, &mut state.particles)?;
        state.runs.clear();
        state.extremes.drifted = true;
        Ok(())
    }
}
