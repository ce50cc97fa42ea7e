//! Steps of a length that somebody else chooses, of particles that somebody else moves, too: the grid is made anew in each, and the host never waits.

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
use fibra_gpu::hash_grid::{HashGrid, Capacity};
use fibra_gpu::{Buffer, DeviceError, Gpu};

/// Most particles of a chunk of a block, where there are few and where there are very many: particles are where they like to be, crowded in some blocks and
/// a handful in most. Small chunks let all of a device work; large ones have fewer tiles to add up.
const CHUNK: std::ops::RangeInclusive<usize> = 128..=512;
/// Chunks that keep a device busy.
const BUSY: usize = 2048;

/// Particles, none of a mesh, and the grid between them.
///
/// The result is the same bits every time on the same device, although the order of the particles of a block is not.
#[derive(Debug)]
pub struct FixedSteps {
    particles: DeviceParticles,
    substances: DeviceSubstances,
    grid: HashGrid,
    /// Sums of each occupied block; zero between steps.
    tiles: Buffer<i32>,
    /// Bounds on what particles of each occupied block give; zero between steps.
    most: Buffer<u32>,
    /// Velocities of each block; then, if the transfer asks for them, those before forces.
    nodes: Buffer<f32>,
    clock: Clock,
    dt: f32,
    factors: Factors,
    shares: Shares,
    shape: Shape,
    motion: Motion,
}

impl FixedSteps {
    /// Puts a state on a device, with room for so many blocks.
    pub fn new<R: Runtime>(gpu: &Gpu<R>, params: &Params, state: &State, room: Capacity) -> Result<Self, DeviceRunError> {
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
        gpu.check_len(room.occupied * shape.tile() as usize)?;
        gpu.check_len(room.blocks * 2 * NUMBERS as usize * BLOCK_NODES)?;
        let grid = HashGrid::new(gpu, state.particles.len(), room, chunk as u32);
        Ok(FixedSteps {
            particles: DeviceParticles::upload(gpu, params, state),
            substances,
            tiles: gpu.zeros(grid.grid().occupied * shape.tile() as usize),
            most: gpu.zeros(grid.grid().occupied * bounds::NUMBERS as usize),
            grid,
            nodes: gpu.empty(room.blocks.max(1) * velocities * NUMBERS as usize * BLOCK_NODES),
            clock: Clock::fixed(gpu, 0.0),
            dt: 0.0,
            factors: Factors::new(params),
            shares: Shares::new(params.transfer),
            shape,
            motion,
        })
    }

    /// One step of `dt` [s].
    pub fn step<R: Runtime>(&mut self, gpu: &Gpu<R>, params: &Params, colliders: &DeviceColliders, dt: f32) {
        if dt != self.dt {
            // What went wrong before stays told.
            self.clock = Clock { extremes: self.clock.extremes.clone(), ..Clock::fixed(gpu, dt) };
            self.dt = dt;
        }
        self.grid.rebuild(gpu, &self.particles.fields, params.dx, 0.5 * (params.kernel.width() - 2.0));
        let FixedSteps { particles, substances, tiles, most, nodes, clock, factors, shares, shape, motion, .. } = self;
        let blocks = self.grid.grid();
        bounds(gpu, particles, blocks, clock, most, *factors, *shape);
        p2g(gpu, particles, blocks, clock, most, tiles, *factors, *shape);
        grid_update(gpu, params, blocks, tiles, most, clock, colliders, nodes, *shape);
        g2p(gpu, params, particles, blocks, nodes, substances, clock, most, tiles, *shares, *motion);
    }

    /// The particles.
    pub fn particles(&self) -> &DeviceParticles {
        &self.particles
    }

    /// Goes on with other particles, as many as there were.
    pub fn set_state<R: Runtime>(&mut self, gpu: &Gpu<R>, params: &Params, state: &State) {
        assert_eq!(state.particles.len(), self.particles.n, "particles do not come and go");
        self.particles = DeviceParticles::upload(gpu, params, state);
        self.clock = Clock::fixed(gpu, self.dt);
        self.grid.clear_errors(gpu);
    }

    /// Whether every particle has found its block in every step so far; waits for the device.
    pub fn check_blocks<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<(), GridError> {
        self.grid.check(gpu)
    }

    /// Whether a velocity or a stress was not finite after a step; waits for the device.
    pub fn is_broken<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<bool, DeviceError> {
        Ok(self.clock.extremes.read_range(gpu, BROKEN..BROKEN + 1)?[0] != 0)
    }

    /// Reads the particles back into a state, which the processor sorts anew if it goes on with them.
    pub fn download<R: Runtime>(&self, gpu: &Gpu<R>, state: &mut State) -> Result<(), DeviceError> {
        self.particles.download(gpu, &mut state.particles)?;
        state.runs.clear();
        state.extremes.drifted = true;
        Ok(())
    }
}
