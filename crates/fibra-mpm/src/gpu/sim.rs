//! Runs a simulation on a device, step by step.

use super::bounds::{self, bounds};
use super::clock::{Bounds, Clock, Reading};
use super::elements::elements;
use super::g2p::{Motion, Shares, g2p};
use super::grains::DeviceGrains;
use super::grid_update::{NUMBERS, grid_update};
use super::laws::NoKernel;
use super::meshes::DeviceMeshes;
use super::p2g::{Factors, Shape, p2g};
use super::particles::{DeviceParticles, MOST_COMPONENTS};
use super::substances::DeviceSubstances;
use crate::params::{Integrator, Params};
use crate::pins::{next_release, release};
use crate::state::State;
use crate::step::StepError;
use crate::step_error::first_broken;
use crate::workspace::Block;
use cubecl::prelude::*;
use fibra_core::StepsTaken;
use fibra_core::block_key::BLOCK_NODES;
use fibra_gpu::block_grid::{DeviceGrid, GridError, Placing};
use fibra_gpu::colliders::{ColliderError, DeviceColliders};
use fibra_gpu::{Buffer, DeviceError, Gpu};
use fibra_materials::kind::Kind;

/// Error: a run is not possible on a device, or failed there.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeviceRunError {
    /// The scene uses a feature without a GPU implementation.
    #[error("{0} are not supported on GPUs")]
    Unsupported(&'static str),
    /// A material has a law from another crate.
    #[error(transparent)]
    Law(#[from] NoKernel),
    /// A collider cannot be uploaded to the device.
    #[error(transparent)]
    Collider(#[from] ColliderError),
    /// A step failed, as it would have on the CPU.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Particles are too far apart for one grid.
    #[error(transparent)]
    Grid(GridError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Statistics of the steps taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceSteps {
    /// Number and lengths of the steps.
    pub steps: StepsTaken,
    /// Number of sorts.
    pub sorts: u64,
}

/// Largest number of steps that are launched before the host checks for errors.
const LONGEST_BATCH: u32 = 64;

/// A run on a device: particles, grid and everything else that a step needs.
#[derive(Debug)]
pub struct DeviceMpm<R: Runtime> {
    gpu: Gpu<R>,
    particles: DeviceParticles,
    substances: DeviceSubstances,
    colliders: DeviceColliders,
    meshes: Option<DeviceMeshes>,
    grains: Option<DeviceGrains>,
    grid: Option<Grid>,
    bounds: Bounds,
    factors: Factors,
    shares: Shares,
    shape: Shape,
    motion: Motion,
    /// Number of steps in the next batch.
    batch: u32,
}

/// Largest number of particles in a chunk of a block: twice the number in a block with eight particles per cell.
const CHUNK: u32 = 1024;

/// The blocks of the last sort and their data.
#[derive(Debug)]
struct Grid {
    blocks: DeviceGrid,
    /// Sums of each occupied block; zero between steps.
    tiles: Buffer<i32>,
    /// Bounds on the particles' contributions in each occupied block; zero between steps.
    block_bounds: Buffer<u32>,
    /// Node velocities of each block, followed by the velocities before forces if the transfer needs them.
    nodes: Buffer<f32>,
}

/// Returns an array for `len` numbers: the given one if it is large enough, else a new one with spare capacity.
fn with_capacity<R: Runtime, T: bytemuck::Pod>(gpu: &Gpu<R>, buffer: Buffer<T>, len: usize) -> Buffer<T> {
    if buffer.len() >= len { buffer } else { gpu.empty(len + len / 4) }
}

/// Like [`with_capacity`] for arrays of zeros; the given array must already be zero.
fn zeros_with_capacity<R: Runtime, T: bytemuck::Pod>(gpu: &Gpu<R>, buffer: Buffer<T>, len: usize) -> Buffer<T> {
    if buffer.len() >= len { buffer } else { gpu.zeros(len + len / 4) }
}

impl<R: Runtime> DeviceMpm<R> {
    /// Allocates on a device and uploads a state.
    pub fn new(gpu: Gpu<R>, params: &Params, state: &State) -> Result<Self, DeviceRunError> {
        if params.integrator != Integrator::Explicit {
            return Err(DeviceRunError::Unsupported("implicit steps"));
        }
        gpu.check_len(state.particles.len() * MOST_COMPONENTS as usize)?;
        let particles = DeviceParticles::upload(&gpu, params, state);
        let substances = DeviceSubstances::upload(&gpu, params, state)?;
        let colliders = DeviceColliders::new(&gpu, params.colliders.clone())?;
        let meshes = DeviceMeshes::upload(&gpu, &params.meshes, state)?;
        let grains = DeviceGrains::upload(&gpu, params, state);
        let shape = Shape::new(&gpu, params);
        let motion = Motion::new(params, shape, substances.points, !state.particles.alignment.is_empty());
        Ok(DeviceMpm {
            particles,
            substances,
            colliders,
            meshes,
            grains,
            grid: None,
            bounds: Bounds::new(params),
            factors: Factors::new(params),
            shares: Shares::new(params.transfer),
            shape,
            motion,
            batch: 8,
            gpu,
        })
    }

    /// Returns the device.
    pub fn gpu(&self) -> &Gpu<R> {
        &self.gpu
    }

    /// Advances the particles on the device to the time `until` [s]. Updates the time, the number of steps and the extremes of `state`. The
    /// particles of `state` are updated only by [`DeviceMpm::download`].
    pub fn advance(&mut self, params: &Params, state: &mut State, until: f64) -> Result<DeviceSteps, DeviceRunError> {
        let mut taken = DeviceSteps { steps: StepsTaken::NONE, sorts: 0 };
        if state.particles.x.is_empty() {
            state.time = until;
        }
        while state.time < until {
            self.release_pins(params, state)?;
            let end = until.min(next_release(params, state.time));
            let (reading, sorts) = self.advance_span(params, state, end, end >= until)?;
            let extremes = &mut state.extremes;
            (extremes.speed, extremes.wave_speed, extremes.drifted) = (reading.speed, reading.wave_speed, true);
            state.time = end;
            let (count, [shortest, longest]) =
                (u64::from(reading.steps), [reading.shortest, reading.longest].map(f64::from));
            state.steps += count;
            taken.steps.add(StepsTaken { count, shortest, longest });
            taken.sorts += sorts;
        }
        // The order has changed, so a CPU step after this must sort.
        state.runs.clear();
        Ok(taken)
    }

    /// Releases the vertices of pins whose release time is now.
    fn release_pins(&mut self, params: &Params, state: &mut State) -> Result<(), DeviceRunError> {
        if !params.meshes.pins.iter().any(|pin| pin.release == state.time) {
            return Ok(());
        }
        self.download(state)?;
        release(params, state);
        self.particles = DeviceParticles::upload(&self.gpu, params, state);
        Ok(())
    }

    /// Advances to the end of a span without pin releases; a frame may be due there.
    fn advance_span(
        &mut self,
        params: &Params,
        state: &mut State,
        end: f64,
        is_due: bool,
    ) -> Result<(Reading, u64), DeviceRunError> {
        let span = [state.time, end];
        self.colliders.begin_span(&self.gpu, span, params.origin);
        if let Some(meshes) = &mut self.meshes {
            meshes.pins.begin_span(&self.gpu, span, params.origin);
        }
        let extremes = state.extremes;
        let clock = Clock::start(&self.gpu, (end - state.time) as f32, extremes.speed, extremes.wave_speed);
        // Sort at the start of every span: a run resumed at that time also sorts, and its results must be bitwise identical.
        let mut sorts = 1;
        self.sort(params, state)?;
        let mut steps_before = 0;
        loop {
            for _ in 0..self.batch {
                self.step(params, &clock, is_due);
            }
            let now = clock.read(&self.gpu)?;
            if now.broken {
                self.download(state)?;
                return Err(first_broken(state).into());
            }
            if let Some(too_short) = now.too_short {
                self.download(state)?;
                return Err(StepError::TooShort(too_short).into());
            }
            if now.left <= 0.0 {
                return Ok((now, sorts));
            }
            let done = now.steps - steps_before;
            steps_before = now.steps;
            if now.drifted {
                self.sort(params, state)?;
                clock.clear_drift(&self.gpu);
                sorts += 1;
                // The number of steps since the last sort, plus a margin in case particles drift more slowly.
                self.batch = (done + done / 8 + 1).min(LONGEST_BATCH);
            } else {
                self.batch = (2 * self.batch).min(LONGEST_BATCH);
            }
        }
    }

    /// Sorts the particles by block and rebuilds the grid.
    fn sort(&mut self, params: &Params, state: &mut State) -> Result<(), DeviceRunError> {
        let shift = 0.5 * (params.kernel.width() - 2.0);
        let groups = params.substances.len() as u32 * Kind::COUNT;
        let placing = Placing { dx: params.dx, shift, groups, chunk: CHUNK };
        let blocks = match DeviceGrid::new(&self.gpu, &self.particles.fields, &self.particles.group, placing) {
            Ok(blocks) => blocks,
            Err(GridError::Device(error)) => return Err(error.into()),
            Err(GridError::OutOfReach) => {
                self.download(state)?;
                return Err(crate::sort::first_lost(params, state).into());
            }
            Err(error) => return Err(DeviceRunError::Grid(error)),
        };
        self.particles.reorder(&self.gpu, &blocks.order);
        let fields = if self.shape.split { 2 } else { 1 };
        let node_numbers = fields * NUMBERS as usize * BLOCK_NODES;
        let gpu = &self.gpu;
        let sums = blocks.occupied * self.shape.tile() as usize;
        gpu.check_len(sums + sums / 4)?;
        let before = self.grid.take();
        let (tiles, nodes, block_bounds) = match before {
            Some(Grid { tiles, nodes, block_bounds, .. }) => (tiles, nodes, block_bounds),
            None => (gpu.empty(0), gpu.empty(0), gpu.empty(0)),
        };
        self.grid = Some(Grid {
            tiles: zeros_with_capacity(gpu, tiles, sums),
            nodes: with_capacity(gpu, nodes, blocks.blocks * node_numbers),
            block_bounds: zeros_with_capacity(gpu, block_bounds, blocks.occupied * bounds::NUMBERS as usize),
            blocks,
        });
        Ok(())
    }

    /// Launches one step; a frame may be due at the end of the span.
    fn step(&self, params: &Params, clock: &Clock, is_due: bool) {
        let DeviceMpm { gpu, particles, substances, colliders, meshes, grains, factors, shares, shape, motion, .. } =
            self;
        let Some(Grid { blocks, tiles, block_bounds, nodes }) = &self.grid else { return };
        clock.begin_step(gpu, &self.bounds);
        colliders.place(gpu, &clock.buffer);
        bounds(gpu, particles, blocks, clock, block_bounds, *factors, *shape);
        p2g(gpu, particles, blocks, clock, block_bounds, tiles, *factors, *shape);
        grid_update(gpu, params, blocks, tiles, block_bounds, clock, colliders, nodes, *shape);
        g2p(gpu, params, particles, blocks, nodes, substances, clock, block_bounds, tiles, *shares, *motion);
        if let Some(meshes) = meshes {
            elements(gpu, params, particles, meshes, blocks, colliders, substances, clock, *shape);
        }
        if let Some(grains) = grains {
            grains.follow(gpu, params, blocks, nodes, colliders, (clock, is_due));
        }
    }

    /// Downloads the grid after the last step: coordinates of each block, and velocity [m/s] and mass [kg] of each of its nodes.
    pub fn nodes(&self) -> Result<Vec<([i32; 3], Block)>, DeviceError> {
        let Some(Grid { blocks, nodes, .. }) = &self.grid else { return Ok(Vec::new()) };
        let coordinates = blocks.coordinates.read(&self.gpu)?;
        let numbers = nodes.read_range(&self.gpu, 0..blocks.blocks * NUMBERS as usize * BLOCK_NODES)?;
        let block = |(at, numbers): (&[i32], &[f32])| {
            let node = |n: usize| std::array::from_fn(|c| numbers[c * BLOCK_NODES + n]);
            ([at[0], at[1], at[2]], std::array::from_fn(node))
        };
        Ok(coordinates.chunks(3).zip(numbers.chunks(NUMBERS as usize * BLOCK_NODES)).map(block).collect())
    }

    /// Replaces the particles and grains on the device by those of another state of the same run.
    pub fn upload(&mut self, params: &Params, state: &State) {
        self.particles = DeviceParticles::upload(&self.gpu, params, state);
        self.grains = DeviceGrains::upload(&self.gpu, params, state);
        if let Some(meshes) = &mut self.meshes {
            meshes.bending.upload_frames(&self.gpu, &state.rods);
        }
    }

    /// Replaces the motions of colliders and pins by those in the parameters, from the next call of [`DeviceMpm::advance`] on.
    pub fn set_motions(&mut self, params: &Params) {
        self.colliders.set_motions(params.colliders.iter().map(|collider| collider.motion.clone()));
        if let Some(meshes) = &mut self.meshes {
            meshes.set_motions(&params.meshes.pins);
        }
    }

    /// Waits for the device and copies its particles and grains into a state.
    pub fn download(&self, state: &mut State) -> Result<(), DeviceError> {
        if let Some(grains) = &self.grains {
            grains.download(&self.gpu, state)?;
        }
        if let Some(meshes) = &self.meshes {
            meshes.bending.download(&self.gpu, &mut state.rods)?;
        }
        self.particles.download(&self.gpu, &mut state.particles)
    }
}
