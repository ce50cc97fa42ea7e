//! Hair on a device in a loop that somebody else runs: [`HairSim`](crate::sim::HairSim).
//!
//! Everything stays on the device; the host tells it where the head and the bodies are, and reads back only what it asks for. A step of the
//! strands takes two launches (a few more where there are very many strands), and one more for each step of the grid after the first, besides the grid's
//! own.
//!
//! Where more is asked of hair than where it is (measures, frames, checkpoints), a [`HairSim`] is kept beside it: [`GpuHairSim::from_host`] takes it to the device
//! and [`GpuHairSim::advance_host`] moves both on.

use crate::body::{Body, MovingBody, Way};
use crate::error::HairError;
use crate::gpu::device_grid::{GpuHairGrid, GpuHairGridError, room_for};
use crate::gpu::grid::Vertices;
use crate::gpu::predict::{HeadMove, Load, Predictor};
use crate::gpu::settle::{Bodies, Settler};
use crate::gpu::strands::{GpuStrands, POSITION};
use crate::head::excess;
use crate::sim::{HairSettings, HairSim, HairState, SKIN, check_time};
use crate::step;
use crate::strands::{StrandInput, Strands};
use cubecl::Runtime;
use fibra_core::geometry::{PlacedCollider, RigidPose};
use fibra_gpu::colliders::{ColliderError, DeviceColliders};
use fibra_gpu::{DeviceError, Gpu};
use fibra_mpm::params::Params as GridParams;
use fibra_mpm::state::State as GridState;
use glam::{Mat3, Vec3};

/// The grid between strands, on a device. Its particles are the strands' vertices.
pub trait HairGrid<R: Runtime> {
    /// What can go wrong in it.
    type Error;

    /// The particles.
    fn vertices(&self) -> Vertices<'_>;

    /// Takes note that the strands have moved the particles, far away where everything has `leapt` along with the head.
    fn moved(&mut self, leapt: bool);

    /// One step of `dt` [s] past bodies.
    fn step(&mut self, gpu: &Gpu<R>, bodies: &DeviceColliders, dt: f32) -> Result<(), Self::Error>;

    /// Whether all steps so far went well; waits for the device.
    fn check(&mut self, gpu: &Gpu<R>, strands: &Strands) -> Result<(), GpuHairError<Self::Error>>;

    /// Reads the particles back into a state of theirs.
    fn read(&self, gpu: &Gpu<R>, state: &mut GridState) -> Result<(), DeviceError>;

    /// Goes on from another state of the particles.
    fn set(&mut self, gpu: &Gpu<R>, state: &GridState);
}

/// Why hair cannot be on a device, or no longer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuHairError<E> {
    /// It cannot be on the processor either.
    #[error(transparent)]
    Hair(#[from] HairError),
    /// A body cannot be put on the device.
    #[error(transparent)]
    Collider(#[from] ColliderError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The grid failed.
    #[error("the grid between the strands failed")]
    Grid(E),
}

/// Hair and what it bumps into, on a device.
pub struct GpuHairSim<R: Runtime, G: HairGrid<R>> {
    gpu: Gpu<R>,
    settings: HairSettings,
    strands: Strands,
    on_device: GpuStrands,
    predictor: Predictor,
    settler: Settler,
    grid: G,
    bodies: Vec<MovingBody>,
    colliders: DeviceColliders,
    /// Scratch.
    placed: Vec<PlacedCollider>,
    head: RigidPose,
    /// Simulated time [s], and steps of the grid.
    time: f64,
    steps: u64,
}

impl<R: Runtime, G: HairGrid<R>> GpuHairSim<R, G> {
    /// Strands whose head starts in `head`, and bodies around them, all relative to the run origin, with the grid that is made for their particles.
    pub fn new(
        gpu: Gpu<R>,
        settings: &HairSettings,
        head: RigidPose,
        strands: &[StrandInput],
        bodies: Vec<Body>,
        grid: impl FnOnce(&Gpu<R>, &GridParams, &GridState) -> Result<G, G::Error>,
    ) -> Result<Self, GpuHairError<G::Error>> {
        let hair = HairSim::new(settings, head, strands, bodies)?;
        Self::of_host(gpu, &hair, grid)
    }

    /// Hair as it is on the processor, with the grid that is made for its particles.
    pub fn of_host(
        gpu: Gpu<R>,
        hair: &HairSim,
        grid: impl FnOnce(&Gpu<R>, &GridParams, &GridState) -> Result<G, G::Error>,
    ) -> Result<Self, GpuHairError<G::Error>> {
        let HairState { strands: start, grid: particles } = hair.state();
        let grid = grid(&gpu, &hair.grid, particles).map_err(GpuHairError::Grid)?;
        let on_device = GpuStrands::upload(&gpu, hair.strands(), start);
        let bodies = hair.bodies.clone();
        let placed: Vec<PlacedCollider> = hair.placed_bodies().collect();
        Ok(GpuHairSim {
            colliders: DeviceColliders::of_placed(&gpu, &placed)?,
            predictor: Predictor::new(&gpu, &on_device),
            settler: Settler::new(&gpu, &on_device),
            settings: *hair.settings(),
            strands: hair.strands().clone(),
            on_device,
            grid,
            bodies,
            placed,
            head: start.head,
            time: particles.time,
            steps: particles.steps,
            gpu,
        })
    }

    /// Moves hair that is kept on the processor on by `dt` [s]: [`HairSim::advance`], but on the device, which has the same hair. Its bodies are those
    /// that are moved. Waits for the device, and reads everything back.
    pub fn advance_host(
        &mut self,
        hair: &mut HairSim,
        head: &RigidPose,
        dt: f32,
    ) -> Result<(), GpuHairError<G::Error>> {
        self.advance_past(hair, head, dt)?;
        self.write_back(hair)
    }

    /// [`GpuHairSim::advance`] past the bodies of hair that is kept on the processor, which stays behind.
    pub fn advance_past(
        &mut self,
        hair: &mut HairSim,
        head: &RigidPose,
        dt: f32,
    ) -> Result<(), GpuHairError<G::Error>> {
        std::mem::swap(&mut self.bodies, &mut hair.bodies);
        let advanced = self.advance(head, dt);
        std::mem::swap(&mut self.bodies, &mut hair.bodies);
        advanced
    }

    /// Brings hair on the processor, made of the same strands, to where the device is; bodies are the caller's affair.
    pub fn write_back(&mut self, hair: &mut HairSim) -> Result<(), GpuHairError<G::Error>> {
        self.grid.check(&self.gpu, &self.strands)?;
        self.on_device.read(&self.gpu, &self.strands, &mut hair.state.strands)?;
        hair.state.strands.head = self.head;
        let mut grid = std::mem::take(&mut hair.state.grid);
        self.grid.read(&self.gpu, &mut grid)?;
        (grid.time, grid.steps) = (self.time, self.steps);
        hair.take_up(grid);
        Ok(())
    }

    /// Goes on from hair on the processor, made of the same strands: after a reset, or from a checkpoint.
    pub fn take_up(&mut self, hair: &HairSim) {
        let HairState { strands, grid } = hair.state();
        self.on_device.set_state(&self.gpu, &self.strands, strands);
        self.grid.set(&self.gpu, grid);
        self.bodies.clone_from(&hair.bodies);
        (self.head, self.time, self.steps) = (strands.head, grid.time, grid.steps);
    }

    /// Moves everything on by `dt` [s], while the head goes to `head` at a steady pace: in steps as long as they may be, all of
    /// the same length. Does not wait for the device.
    pub fn advance(&mut self, head: &RigidPose, dt: f32) -> Result<(), GpuHairError<G::Error>> {
        check_time(dt)?;
        let (steps, length) = self.settings.steps_within(dt);
        let h = length * self.settings.substeps as f32;
        step::check(&self.settings.strands, head, h).map_err(HairError::from)?;
        let start = self.head;
        for step in 1..=steps as u64 {
            let shares = [(step - 1) as f64 / steps, step as f64 / steps];
            self.step(&start.towards(head, shares[1]), shares, length, f64::from(dt))?;
        }
        self.bodies.iter_mut().for_each(MovingBody::arrive);
        Ok(())
    }

    /// One step of the strands, with the steps of the grid that belong to it, of `dt` each [s]: see [`HairSim`](crate::sim::HairSim).
    fn step(&mut self, head: &RigidPose, shares: [f64; 2], dt: f32, whole: f64) -> Result<(), GpuHairError<G::Error>> {
        let (params, substeps) = (self.settings.strands, self.settings.substeps);
        let (h, share) = (dt * substeps as f32, 1.0 / substeps as f32);
        let leap = excess(&self.head, head, &params.limits);
        if let Some(motion) = &leap {
            self.grid.vertices().turn_memory(&self.gpu, Mat3::from_quat(motion.rotation.as_quat()));
            // Where the head leaps, everybody does.
            self.bodies.iter_mut().for_each(|body| body.now = motion.of(&body.now));
            self.head = motion.of(&self.head);
        }
        let head_way = Way { from: self.head, to: *head, dt: h.into() };
        let load = Load { vertices: self.grid.vertices(), share };
        self.predictor.predict(&self.gpu, &self.on_device, &params, &HeadMove { to: *head, leap }, Some(load), h);
        self.grid.moved(leap.is_some());
        self.head = *head;
        for substep in 1..=substeps {
            let done = f64::from(substep) / f64::from(substeps);
            self.place_bodies(&head_way, done, shares, whole, h);
            if substep > 1 {
                let t = (substep - 1) as f32 * dt;
                self.grid.vertices().hold_and_hasten(&self.gpu, &self.on_device, t, share);
            }
            self.grid.step(&self.gpu, &self.colliders, dt).map_err(GpuHairError::Grid)?;
        }
        self.bodies.iter_mut().for_each(|body| body.now = body.way(shares[1], 0.0).to);
        let bodies = Bodies { placed: &self.colliders, skin: SKIN * self.settings.grid.cell };
        let vertices = Some(self.grid.vertices());
        self.settler.settle(&self.gpu, &self.on_device, vertices, Some(bodies), params.slack, h);
        self.time += f64::from(h);
        self.steps += u64::from(substeps);
        Ok(())
    }

    /// Tells the device where the bodies are when a part of a step of `h` [s] is done.
    fn place_bodies(&mut self, head: &Way, done: f64, shares: [f64; 2], whole: f64, h: f32) {
        if self.bodies.is_empty() {
            return;
        }
        let own_share = shares[0] + done * (shares[1] - shares[0]);
        self.placed.clear();
        for body in &mut self.bodies {
            body.deform(own_share as f32, whole as f32);
            self.placed.push(body.place(head, &body.way(shares[1], h.into()), done));
        }
        self.colliders.set_placed(&self.gpu, &self.placed);
    }

    /// Where a body is to be at the end of the next advance, relative to the run origin. Bodies are numbered as they were given; those on the
    /// head move by themselves.
    pub fn move_body(&mut self, body: usize, to: RigidPose) {
        self.bodies[body].to = to;
    }

    /// Puts a body somewhere at once, without velocity.
    pub fn place_body(&mut self, body: usize, at: RigidPose) {
        let body = &mut self.bodies[body];
        (body.now, body.from, body.to) = (at, at, at);
    }

    /// Where the vertices of a body that deforms are to be at the end of the next advance, in the body's frame [m].
    pub fn move_vertices(&mut self, body: usize, to: &[Vec3]) -> Result<(), HairError> {
        self.bodies[body].move_vertices(to)
    }

    /// Puts the vertices of a body that deforms somewhere at once, without velocity.
    pub fn place_vertices(&mut self, body: usize, at: &[Vec3]) -> Result<(), HairError> {
        self.bodies[body].place_vertices(at)
    }

    /// Reads back where every vertex is, strand by strand from root to tip, relative to the run origin [m]. What went wrong before is told here.
    pub fn positions(&mut self) -> Result<Vec<Vec3>, GpuHairError<G::Error>> {
        self.grid.check(&self.gpu, &self.strands)?;
        let n = self.on_device.vertex_count();
        let numbers = self.on_device.state().read_range(&self.gpu, POSITION * n..(POSITION + 3) * n)?;
        Ok((0..n).map(|i| Vec3::new(numbers[i], numbers[n + i], numbers[2 * n + i])).collect())
    }

    /// The strands on the device, for what draws them there.
    pub fn on_device(&self) -> &GpuStrands {
        &self.on_device
    }

    /// The strands.
    pub fn strands(&self) -> &Strands {
        &self.strands
    }

    /// The grid.
    pub fn grid(&self) -> &G {
        &self.grid
    }

    /// The grid, to be set.
    pub fn grid_mut(&mut self) -> &mut G {
        &mut self.grid
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu<R> {
        &self.gpu
    }

    /// What the user set.
    pub fn settings(&self) -> &HairSettings {
        &self.settings
    }

    /// Where the head is.
    pub fn head(&self) -> &RigidPose {
        &self.head
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.time
    }
}

impl<R: Runtime> GpuHairSim<R, GpuHairGrid> {
    /// Hair as it is on the processor.
    pub fn from_host(gpu: Gpu<R>, hair: &HairSim) -> Result<Self, GpuHairError<GpuHairGridError>> {
        let room = room_for(hair.strands(), hair.positions(), hair.settings());
        Self::of_host(gpu, hair, |gpu, params, state| GpuHairGrid::new(gpu, params, state, room))
    }
}
