//! What the user sets: constant during a run.

use crate::display_grains::GrainLot;
pub use crate::materials::Substance;
use crate::mesh::Meshes;
use fibra_core::geometry::{Collider, PlacedCollider};
use glam::DVec3;

/// Which B-spline carries values between particles and grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernel {
    /// Two nodes per axis: cheapest, noisy when particles cross cells, and unstable at free surfaces.
    Linear,
    /// Three nodes per axis: the usual choice.
    #[default]
    Quadratic,
    /// Four nodes per axis: smoothest.
    Cubic,
}

impl Kernel {
    /// Nodes per axis that a particle has weights for [-].
    pub(crate) fn width(self) -> f32 {
        match self {
            Kernel::Linear => 2.0,
            Kernel::Quadratic => 3.0,
            Kernel::Cubic => 4.0,
        }
    }
}

/// How particles take their velocity back from the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transfer {
    /// Grid velocity as it is: very dissipative.
    Pic,
    /// Grid velocity with its affine part: keeps angular momentum [Jiang2015].
    Apic {
        /// Share of the symmetric part of the affine velocity removed per step [-] [Jiang2017, Eq. 2].
        damping: f32,
    },
    /// The particle's own velocity plus the grid's change of it: keeps energy, noisy.
    Flip {
        /// Share of the particle's own velocity kept [-].
        ratio: f32,
    },
    /// FLIP whose positions may separate from the grid's motion [Fei2021].
    Sflip {
        /// Share of the particle's own velocity kept [-].
        ratio: f32,
        /// Share of that correction given to positions too: where the material compresses, and where it separates [-].
        trap_breaking: [f32; 2],
    },
}

impl Default for Transfer {
    /// APIC without damping.
    fn default() -> Self {
        Transfer::Apic { damping: 0.0 }
    }
}

impl Transfer {
    /// Whether the grid's velocity before the forces is needed.
    pub fn needs_old_velocity(&self) -> bool {
        matches!(self, Transfer::Flip { .. } | Transfer::Sflip { .. })
    }
}

/// What every particle of an object shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Name in the scene.
    pub name: String,
    /// Index into the materials.
    pub material: u32,
}

/// Bounds on the time step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLimits {
    /// Cells a particle may cross in a step [-], below 1.
    pub cfl: f32,
    /// Cells a sound wave may cross in a step [-].
    pub sound_cfl: f32,
    /// Longest step [s].
    pub max_dt: f64,
    /// The run fails when stability asks for a shorter step [s].
    pub min_dt: f64,
}

impl Default for StepLimits {
    /// 0.4 cells per step for particles and for sound; steps from 1e-7 s to 1/24 s.
    fn default() -> Self {
        StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 1.0 / 24.0, min_dt: 1e-7 }
    }
}

/// How the grid's velocities are advanced.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Integrator {
    /// Forces at the start of the step (symplectic Euler): cheap steps, as short as sound demands.
    #[default]
    Explicit,
    /// Forces at the end of the step (backward Euler): long steps, each a nonlinear solve.
    Implicit(Implicit),
}

/// When the nonlinear solve of an implicit step is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Implicit {
    /// Most Newton iterations in a step, at least 1.
    pub newton_iterations: u32,
    /// Most iterations of the linear solver in a Newton iteration.
    pub linear_iterations: u32,
    /// Residual below which the solve ends, relative to that at the start of the solve or to the impulse of gravity, whichever
    /// is larger [-].
    pub tolerance: f32,
}

impl Default for Implicit {
    /// At most 5 Newton iterations of 100 linear ones each, to a hundredth of the residual.
    fn default() -> Self {
        Implicit { newton_iterations: 5, linear_iterations: 100, tolerance: 1e-2 }
    }
}

/// Everything the user sets.
#[derive(Clone, Debug)]
pub struct Params {
    /// Node spacing [m].
    pub dx: f32,
    /// B-spline.
    pub kernel: Kernel,
    /// Transfer.
    pub transfer: Transfer,
    /// Gravity [m/s^2].
    pub gravity: [f32; 3],
    /// Time integration.
    pub integrator: Integrator,
    /// Bounds on the step.
    pub limits: StepLimits,
    /// Objects, by the index particles carry.
    pub objects: Vec<Object>,
    /// Materials, by the index objects carry.
    pub substances: Vec<Substance>,
    /// Meshes of the curves and surfaces.
    pub meshes: Meshes,
    /// Grains that are only drawn, in the order in which the state has them.
    pub grains: Vec<GrainLot>,
    /// Bodies that push and are not pushed.
    pub colliders: Vec<Collider>,
    /// Where the particles' coordinates start from [m]; far scenes keep their precision this way.
    pub origin: DVec3,
}

impl Params {
    /// The material of an object's particles.
    #[inline(always)]
    pub fn substance_of(&self, object: u32) -> &Substance {
        &self.substances[self.objects[object as usize].material as usize]
    }

    /// The colliders at time `t` [s].
    pub(crate) fn place_colliders(&self, t: f64) -> Vec<PlacedCollider> {
        self.colliders.iter().map(|collider| collider.place(t, self.origin)).collect()
    }
}
