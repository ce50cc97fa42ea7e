//! Hair on a device, beside a [`HairSim`] on the host: see [`fibra_gpu::device_sim`].
//!
//! The state stays on the device. The host has the time and the poses of the head and the colliders; [`DeviceHair::download`] updates its strands. A
//! strand step takes two launches (a few more for very many strands), plus one per grid substep after the first, plus those of the grid.

use crate::collider::{MovingCollider, RigidPath};
use crate::error::HairError;
use crate::gpu::device_grid::{GpuHairGrid, GpuHairGridError, block_capacity};
use crate::gpu::grid::Vertices;
use crate::gpu::interpolation::GpuGuidedStrands;
use crate::gpu::predict::{HeadMove, Load, Predictor};
use crate::gpu::settle::{Bodies, Settler};
use crate::gpu::strands::{GpuStrands, POSITION};
use crate::head::excess;
use crate::predict;
use crate::settings::{HairSettings, check_time};
use crate::settle::SKIN;
use crate::sim::{HairSim, HairState};
use crate::step::StepPlan;
use crate::strands::Strands;
use cubecl::Runtime;
use fibra_core::StepsTaken;
use fibra_core::geometry::{GuidedStrands, PlacedCollider, RigidPose};
use fibra_gpu::colliders::{ColliderError, DeviceColliders};
use fibra_gpu::{DeviceError, Gpu};
use fibra_mpm::internals::params::Params as GridParams;
use fibra_mpm::internals::state::State as GridState;
use glam::{Mat3, Quat, Vec3};

/// Contact grid on a device. Its particles are the strand vertices.
pub trait HairGrid<R: Runtime> {
    /// Error of the grid.
    type Error;

    /// Returns the particles.
    fn vertices(&self) -> Vertices<'_>;

    /// Notifies the grid that the strands have moved the particles. If `jumped`, the particles of strands on the head moved rigidly with it, by an unbounded distance.
    fn moved(&mut self, jumped: bool);

    /// Takes one substep of `dt` [s] with colliders.
    fn step(&mut self, gpu: &Gpu<R>, colliders: &DeviceColliders, dt: f32) -> Result<(), Self::Error>;

    /// Waits for the device, and returns the first error of the steps so far.
    fn check(&mut self, gpu: &Gpu<R>, strands: &Strands) -> Result<(), GpuHairError<Self::Error>>;

    /// Copies the particles into a state on the host.
    fn download(&self, gpu: &Gpu<R>, state: &mut GridState) -> Result<(), DeviceError>;

    /// Replaces the particles by those of a state on the host.
    fn upload(&mut self, gpu: &Gpu<R>, state: &GridState);
}

/// Error of uploading or advancing hair on a device.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuHairError<E> {
    /// The same error as on the CPU.
    #[error(transparent)]
    Hair(#[from] HairError),
    /// A collider cannot be uploaded.
    #[error(transparent)]
    Collider(#[from] ColliderError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The grid failed.
    #[error("the grid between the strands failed")]
    Grid(E),
}

/// Hair on a device, with render strands.
pub struct DeviceHair<R: Runtime, G: HairGrid<R> = GpuHairGrid> {
    gpu: Gpu<R>,
    settings: HairSettings,
    strands: Strands,
    on_device: GpuStrands,
    predictor: Predictor,
    settler: Settler,
    grid: G,
    colliders: DeviceColliders,
    /// Render strands, and the index of the first vertex of their guides.
    render_strands: Vec<(GpuGuidedStrands, usize)>,
    /// Workspace.
    placed: Vec<PlacedCollider>,
    head: RigidPose,
    /// Time of the grid [s], and number of its steps.
    grid_time: f64,
    steps: u64,
}

impl<R: Runtime> DeviceHair<R> {
    /// Allocates on a device and uploads the host's hair.
    pub fn new(gpu: Gpu<R>, host: &HairSim) -> Result<Self, GpuHairError<GpuHairGridError>> {
        let room = block_capacity(host.strands(), host.positions(), host.settings());
        Self::with_grid(gpu, host, |gpu, params, state| GpuHairGrid::new(gpu, params, state, room))
    }
}

impl<R: Runtime, G: HairGrid<R>> DeviceHair<R, G> {
    /// Like [`DeviceHair::new`], with another grid that is built for the host's particles.
    pub fn with_grid(
        gpu: Gpu<R>,
        host: &HairSim,
        grid: impl FnOnce(&Gpu<R>, &GridParams, &GridState) -> Result<G, G::Error>,
    ) -> Result<Self, GpuHairError<G::Error>> {
        let HairState { strands: start, grid: particles, .. } = host.state();
        let grid = grid(&gpu, &host.grid, particles).map_err(GpuHairError::Grid)?;
        let on_device = GpuStrands::upload(&gpu, host.strands(), start);
        let placed: Vec<PlacedCollider> = host.placed_colliders().collect();
        Ok(DeviceHair {
            colliders: DeviceColliders::of_placed(&gpu, &placed)?,
            predictor: Predictor::new(&gpu, &on_device),
            settler: Settler::new(&gpu, &on_device),
            settings: *host.settings(),
            strands: host.strands().clone(),
            on_device,
            grid,
            render_strands: Vec::new(),
            placed,
            head: start.head,
            grid_time: particles.time,
            steps: particles.steps,
            gpu,
        })
    }

    /// Replaces the state on the device by that of the host, which must have the same strands.
    pub fn upload(&mut self, host: &HairSim) {
        let HairState { strands, grid, .. } = host.state();
        self.on_device.set_state(&self.gpu, &self.strands, strands);
        self.grid.upload(&self.gpu, grid);
        (self.head, self.grid_time, self.steps) = (strands.head, grid.time, grid.steps);
    }

    /// Advances the strands on the device by `dt` [s], while the head moves uniformly to `head`: [`HairSim::advance`]. The colliders and the time of
    /// the host advance, too; the strands on the host are unchanged until [`DeviceHair::download`]. Does not wait for the device.
    pub fn advance(
        &mut self,
        host: &mut HairSim,
        head: &RigidPose,
        dt: f64,
    ) -> Result<StepsTaken, GpuHairError<G::Error>> {
        check_time(dt)?;
        let taken = self.advance_steps(&mut host.colliders, head, dt as f32)?;
        host.state.time += dt;
        Ok(taken)
    }

    /// Takes one step on the device that ends no later than `until` [s]: [`HairSim::step`]. Returns the step length [s]. Does not wait for the
    /// device.
    pub fn step(&mut self, host: &mut HairSim, head: &RigidPose, until: f64) -> Result<f64, GpuHairError<G::Error>> {
        let next = host.next_step(until)?;
        self.advance_steps(&mut host.colliders, head, next.dt as f32)?;
        host.state.time = next.end;
        Ok(next.dt)
    }

    fn advance_steps(
        &mut self,
        colliders: &mut [MovingCollider],
        head: &RigidPose,
        dt: f32,
    ) -> Result<StepsTaken, GpuHairError<G::Error>> {
        let (steps, length) = self.settings.steps_within(dt);
        let h = length * self.settings.substeps as f32;
        predict::check(&self.settings.strands, head, h).map_err(HairError::from)?;
        let start = self.head;
        for number in 1..=steps as u64 {
            let progress = [(number - 1) as f64 / steps, number as f64 / steps];
            let head = start.towards(head, progress[1]);
            self.start_step(colliders, &StepPlan { head, progress, dt: length, advance_dt: dt.into() })?;
        }
        colliders.iter_mut().for_each(MovingCollider::arrive);
        Ok(StepsTaken { count: steps as u64, shortest: h.into(), longest: h.into() })
    }

    /// Launches one strand step with its grid substeps: the stages of `step.rs`.
    fn start_step(&mut self, colliders: &mut [MovingCollider], plan: &StepPlan) -> Result<(), GpuHairError<G::Error>> {
        let (params, substeps, dt) = (self.settings.strands, self.settings.substeps, plan.dt);
        let (h, share) = (dt * substeps as f32, 1.0 / substeps as f32);
        let jump = excess(&self.head, &plan.head, &params.limits);
        if let Some(motion) = &jump {
            self.grid.vertices().rotate_history(&self.gpu, &self.on_device, Mat3::from_quat(motion.rotation.as_quat()));
            colliders.iter_mut().for_each(|collider| collider.jump(motion, plan.progress[1]));
            self.head = motion.of(&self.head);
        }
        let head_path = RigidPath { from: self.head, to: plan.head, dt: h.into() };
        let load = Load { vertices: self.grid.vertices(), share };
        self.predictor.predict(&self.gpu, &self.on_device, &params, &HeadMove { to: plan.head, jump }, Some(load), h);
        self.grid.moved(jump.is_some());
        self.head = plan.head;
        for substep in 1..=substeps {
            let done = f64::from(substep) / f64::from(substeps);
            self.place_colliders(colliders, &head_path, plan, done);
            if substep > 1 {
                let t = (substep - 1) as f32 * dt;
                self.grid.vertices().pin_and_accelerate(&self.gpu, &self.on_device, t, share);
            }
            self.grid.step(&self.gpu, &self.colliders, dt).map_err(GpuHairError::Grid)?;
        }
        colliders.iter_mut().for_each(|collider| collider.now = collider.path(plan.progress[1], 0.0).to);
        let bodies = Bodies { placed: &self.colliders, skin: SKIN * self.settings.grid.cell };
        let vertices = Some(self.grid.vertices());
        self.settler.settle(&self.gpu, &self.on_device, vertices, Some(bodies), params.slack, h);
        self.grid_time += f64::from(h);
        self.steps += u64::from(substeps);
        Ok(())
    }

    /// Uploads the poses of the colliders at a fraction `share` of a step.
    fn place_colliders(
        &mut self,
        colliders: &mut [MovingCollider],
        head_path: &RigidPath,
        plan: &StepPlan,
        share: f64,
    ) {
        if colliders.is_empty() {
            return;
        }
        self.placed.clear();
        self.placed.extend(colliders.iter_mut().map(|collider| collider.placed_during(head_path, plan, share)));
        self.colliders.set_placed(&self.gpu, &self.placed);
    }

    /// Waits for the device and downloads the state into the host.
    pub fn download(&mut self, host: &mut HairSim) -> Result<(), GpuHairError<G::Error>> {
        self.grid.check(&self.gpu, &self.strands)?;
        self.on_device.read(&self.gpu, &self.strands, &mut host.state.strands)?;
        host.state.strands.head = self.head;
        let mut grid = std::mem::take(&mut host.state.grid);
        self.grid.download(&self.gpu, &mut grid)?;
        (grid.time, grid.steps) = (self.grid_time, self.steps);
        host.set_grid_state(grid);
        Ok(())
    }

    /// Waits for the device and downloads only the vertex positions: [`HairSim::positions`] [m].
    pub fn positions(&mut self) -> Result<Vec<Vec3>, GpuHairError<G::Error>> {
        self.grid.check(&self.gpu, &self.strands)?;
        let n = self.on_device.vertex_count();
        let numbers = self.on_device.state().read_range(&self.gpu, POSITION * n..(POSITION + 3) * n)?;
        Ok((0..n).map(|i| Vec3::new(numbers[i], numbers[n + i], numbers[2 * n + i])).collect())
    }

    /// Uploads render strands. Their guides are the vertices starting at index `first`.
    pub fn add_render_strands(&mut self, strands: &GuidedStrands, first: usize) {
        self.render_strands.push((GpuGuidedStrands::upload(&self.gpu, strands), first));
    }

    /// Interpolates all render strands on the device, for a head rotated by `turn` since the start. Does not wait for the device.
    pub fn place_render_strands(&mut self, turn: Quat) {
        for (strands, first) in &self.render_strands {
            strands.place(&self.gpu, &self.on_device, *first, turn);
        }
    }

    /// Returns the render strands on the device, in insertion order.
    pub fn render_strands(&self) -> impl Iterator<Item = &GpuGuidedStrands> {
        self.render_strands.iter().map(|(strands, _)| strands)
    }

    /// Returns the strands in device memory, for renderers.
    pub fn on_device(&self) -> &GpuStrands {
        &self.on_device
    }

    /// Returns the device.
    pub fn gpu(&self) -> &Gpu<R> {
        &self.gpu
    }

    /// Returns the pose of the head at the end of the last advance.
    pub fn head(&self) -> &RigidPose {
        &self.head
    }
}
