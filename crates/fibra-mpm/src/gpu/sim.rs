//! A run on a device: steps one after the other.

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

/// Why a run cannot be on a device, or no longer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeviceRunError {
    /// What the scene asks for is not there on devices.
    #[error("{0} are not computed on a graphics card")]
    Unsupported(&'static str),
    /// A material has a law of another crate.
    #[error(transparent)]
    Law(#[from] NoKernel),
    /// A collider cannot be put on the device.
    #[error(transparent)]
    Collider(#[from] ColliderError),
    /// The material went wrong, as it would have on the processor.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Particles are too far apart for one grid.
    #[error(transparent)]
    Grid(GridError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Steps that were taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// How many, and how long.
    pub steps: StepsTaken,
    /// How often particles were sorted.
    pub sorts: u64,
}

/// Most steps that are started before the device is asked how they went.
const LONGEST_BATCH: u32 = 64;

/// The particles of a run on a device.
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
    /// How many steps the next batch has.
    batch: u32,
}

/// Most particles of a chunk of a block: twice as many as a block of eight per cell has.
const CHUNK: u32 = 1024;

/// The blocks of the last sort and what they hold.
#[derive(Debug)]
struct Grid {
    blocks: DeviceGrid,
    /// Sums of each occupied block; zero between steps.
    tiles: Buffer<i32>,
    /// Bounds on what particles of each occupied block give; zero between steps.
    most: Buffer<u32>,
    /// Velocities of each block; then, if the transfer asks for them, those before forces.
    nodes: Buffer<f32>,
}

/// An array for `len` numbers: the given one where it is large enough, else one with room to spare.
fn with_room<R: Runtime, T: bytemuck::Pod>(gpu: &Gpu<R>, buffer: Buffer<T>, len: usize) -> Buffer<T> {
    if buffer.len() >= len { buffer } else { gpu.empty(len + len / 4) }
}

/// The same of zeros: what is there is zero already.
fn zeros_with_room<R: Runtime, T: bytemuck::Pod>(gpu: &Gpu<R>, buffer: Buffer<T>, len: usize) -> Buffer<T> {
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

    /// The device.
    pub fn gpu(&self) -> &Gpu<R> {
        &self.gpu
    }

    /// Advances the particles on the device to the time `until` [s], and the time, steps and extremes of `state`; its particles stay as
    /// they are until [`DeviceMpm::download`].
    pub fn advance(&mut self, params: &Params, state: &mut State, until: f64) -> Result<Taken, DeviceRunError> {
        let mut taken = Taken { steps: StepsTaken::NONE, sorts: 0 };
        if state.particles.x.is_empty() {
            state.time = until;
        }
        while state.time < until {
            self.let_go(params, state)?;
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
        // The processor sorts anew if it goes on with this.
        state.runs.clear();
        Ok(taken)
    }

    /// Lets go the vertices whose time has come.
    fn let_go(&mut self, params: &Params, state: &mut State) -> Result<(), DeviceRunError> {
        if !params.meshes.pins.iter().any(|pin| pin.release == state.time) {
            return Ok(());
        }
        self.download(state)?;
        release(params, state);
        self.particles = DeviceParticles::upload(&self.gpu, params, state);
        Ok(())
    }

    /// Steps to the end of a span in which nothing is let go; a frame may be due there.
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
        // Always at the start of a span: a run that was resumed there does so, too.
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
                // As many as there were since the last sort, and a few more in case things slow down.
                self.batch = (done + done / 8 + 1).min(LONGEST_BATCH);
            } else {
                self.batch = (2 * self.batch).min(LONGEST_BATCH);
            }
        }
    }

    /// Puts particles into the order of the blocks they are in, and makes the grid fit them.
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
        let (tiles, nodes, most) = match before {
            Some(Grid { tiles, nodes, most, .. }) => (tiles, nodes, most),
            None => (gpu.empty(0), gpu.empty(0), gpu.empty(0)),
        };
        self.grid = Some(Grid {
            tiles: zeros_with_room(gpu, tiles, sums),
            nodes: with_room(gpu, nodes, blocks.blocks * node_numbers),
            most: zeros_with_room(gpu, most, blocks.occupied * bounds::NUMBERS as usize),
            blocks,
        });
        Ok(())
    }

    /// Starts one step; a frame may be due at the end of the span.
    fn step(&self, params: &Params, clock: &Clock, is_due: bool) {
        let DeviceMpm { gpu, particles, substances, colliders, meshes, grains, factors, shares, shape, motion, .. } =
            self;
        let Some(Grid { blocks, tiles, most, nodes }) = &self.grid else { return };
        clock.begin_step(gpu, &self.bounds);
        colliders.place(gpu, &clock.buffer);
        bounds(gpu, particles, blocks, clock, most, *factors, *shape);
        p2g(gpu, particles, blocks, clock, most, tiles, *factors, *shape);
        grid_update(gpu, params, blocks, tiles, most, clock, colliders, nodes, *shape);
        g2p(gpu, params, particles, blocks, nodes, substances, clock, most, tiles, *shares, *motion);
        if let Some(meshes) = meshes {
            elements(gpu, params, particles, meshes, blocks, colliders, substances, clock, *shape);
        }
        if let Some(grains) = grains {
            grains.follow(gpu, params, blocks, nodes, colliders, (clock, is_due));
        }
    }

    /// The grid after the last step: coordinates of each block, and the velocity [m/s] and mass [kg] of each of its nodes.
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
    }

    /// Replaces the motions of colliders and pins by those in the parameters, from the next call of [`DeviceMpm::advance`] on.
    pub fn set_motions(&mut self, params: &Params) {
        self.colliders.set_motions(params.colliders.iter().map(|collider| collider.motion.clone()));
        if let Some(meshes) = &mut self.meshes {
            meshes.set_motions(&params.meshes.pins);
        }
    }

    /// Waits for the device, and copies its particles and grains into a state.
    pub fn download(&self, state: &mut State) -> Result<(), DeviceError> {
        if let Some(grains) = &self.grains {
            grains.download(&self.gpu, state)?;
        }
        self.particles.download(&self.gpu, &mut state.particles)
    }
}
