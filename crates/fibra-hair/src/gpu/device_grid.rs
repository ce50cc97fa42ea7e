//! The contact grid on a device: `crate::grid` and the stages of [`fibra_mpm`], without host synchronization.

use crate::error::HairError;
use crate::gpu::grid::{PARTICLE_VELOCITY, STRESS, Vertices};
use crate::gpu::sim::{GpuHairError, HairGrid};
use crate::settings::HairSettings;
use crate::step::not_finite;
use crate::strands::Strands;
use crate::workspace::most_blocks;
use cubecl::Runtime;
use fibra_gpu::block_grid::GridError;
use fibra_gpu::colliders::DeviceColliders;
use fibra_gpu::hash_grid::Capacity;
use fibra_gpu::{DeviceError, Gpu};
use fibra_mpm::internals::gpu::fixed_steps::FixedSteps;
use fibra_mpm::internals::gpu::sim::DeviceRunError;
use fibra_mpm::internals::params::Params;
use fibra_mpm::internals::state::State;
use glam::Vec3;

/// Error of the contact grid.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuHairGridError {
    /// Hair occupies more grid blocks than allocated.
    #[error(transparent)]
    Blocks(#[from] GridError),
    /// The grid cannot be created or run.
    #[error(transparent)]
    Run(#[from] DeviceRunError),
}

/// Strand vertices as particles of a grid.
#[derive(Debug)]
pub struct GpuHairGrid {
    params: Params,
    steps: FixedSteps,
}

impl GpuHairGrid {
    /// Uploads particles to a device and allocates the blocks that they may occupy: see [`block_capacity`].
    pub fn new<R: Runtime>(
        gpu: &Gpu<R>,
        params: &Params,
        state: &State,
        room: Capacity,
    ) -> Result<Self, GpuHairGridError> {
        Ok(GpuHairGrid { params: params.clone(), steps: FixedSteps::new(gpu, params, state, room)? })
    }
}

/// Returns the numbers of grid blocks to allocate for strands. Pinned strands stay near the head; free strands can be anywhere.
pub fn block_capacity(strands: &Strands, positions: &[Vec3], settings: &HairSettings) -> Capacity {
    let (pinned, n) = (strands.pinned(), strands.vertex_count());
    let flies = |strand: usize| !strands.vertices(strand).any(|vertex| pinned[vertex]);
    if (0..strands.len()).any(flies) {
        // An isolated vertex needs 27 blocks; neighboring vertices share most of theirs.
        return Capacity { occupied: n, blocks: (27 * n).min(8 * n + 4096) };
    }
    let (occupied, blocks) = most_blocks(strands, positions, settings);
    // Strands can exceed their maximum length until the settle stage.
    let occupied = (occupied + occupied / 4 + 16).min(n);
    Capacity { occupied, blocks: (blocks + blocks / 4 + 432).min(27 * occupied) }
}

impl<R: Runtime> HairGrid<R> for GpuHairGrid {
    type Error = GpuHairGridError;

    fn vertices(&self) -> Vertices<'_> {
        let particles = self.steps.particles();
        Vertices { fields: &particles.fields, place: &particles.place }
    }

    // The blocks are recomputed in every step, so there is nothing to update.
    fn moved(&mut self, _: bool) {}

    fn step(&mut self, gpu: &Gpu<R>, colliders: &DeviceColliders, dt: f32) -> Result<(), GpuHairGridError> {
        self.steps.step(gpu, &self.params, colliders, dt);
        Ok(())
    }

    fn check(&mut self, gpu: &Gpu<R>, strands: &Strands) -> Result<(), GpuHairError<GpuHairGridError>> {
        if self.steps.is_broken(gpu)? {
            let (particles, n) = (self.steps.particles(), strands.vertex_count());
            let (fields, id) = (particles.fields.read(gpu)?, particles.id.read(gpu)?);
            let components = (PARTICLE_VELOCITY..PARTICLE_VELOCITY + 3).chain(STRESS..STRESS + 6);
            let finite = |i: usize| components.clone().all(|c| fields[c * n + i].is_finite());
            let broken = (0..n).filter(|&i| !finite(i)).map(|i| id[i] as usize);
            return Err(not_finite(strands, broken.min().unwrap_or(0)).into());
        }
        match self.steps.check_blocks(gpu) {
            Ok(()) => Ok(()),
            Err(GridError::OutOfReach) => Err(HairError::OutOfReach.into()),
            Err(GridError::Device(error)) => Err(error.into()),
            Err(error) => Err(GpuHairError::Grid(error.into())),
        }
    }

    fn download(&self, gpu: &Gpu<R>, state: &mut State) -> Result<(), DeviceError> {
        self.steps.download(gpu, state)
    }

    fn upload(&mut self, gpu: &Gpu<R>, state: &State) {
        self.steps.set_state(gpu, &self.params, state);
    }
}
