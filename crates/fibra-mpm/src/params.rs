//! User parameters, constant during a run.

use crate::display_grains::GrainLot;
pub use crate::materials::Substance;
use crate::mesh::Meshes;
use fibra_core::geometry::{Collider, PlacedCollider};
use glam::DVec3;

/// The B-spline used to interpolate between particles and grid.
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
    /// Returns the number of nodes per axis in a particle's stencil [-].
    pub(crate) fn width(self) -> f32 {
        match self {
            Kernel::Linear => 2.0,
            Kernel::Quadratic => 3.0,
            Kernel::Cubic => 4.0,
        }
    }
}

/// How particles get their velocity from the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transfer {
    /// Interpolated grid velocity: very dissipative.
    Pic,
    /// Interpolated grid velocity with its affine part: conserves angular momentum [Jiang2015].
    Apic {
        /// Decay rate of the symmetric part of the affine velocity [1/s]. A step of length `dt` removes the fraction `nu = 1 - exp(-damping dt)`
        /// [Jiang2017, Eq. 2].
        damping: f32,
    },
    /// The particle's own velocity plus the grid's velocity change: conserves energy, noisy.
    Flip {
        /// Fraction of the particle's own velocity kept [-].
        ratio: f32,
    },
    /// FLIP whose particle positions may deviate from the grid's motion [Fei2021].
    Sflip {
        /// Fraction of the particle's own velocity kept [-].
        ratio: f32,
        /// Fractions of the FLIP velocity correction that are also applied to positions [-]: the first where the material compresses, the second
        /// where it separates.
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
    /// APIC that removes the symmetric part completely in each step of 2e-8 s or more, `nu = 1` [Jiang2017, Eq. 2].
    pub const RIGID: Transfer = Transfer::Apic { damping: 1e9 };

    /// Returns the fraction `nu` of the symmetric part of the affine velocity that a step of length `dt` [s] removes [-].
    pub fn removed_share(&self, dt: f32) -> f32 {
        match self {
            Transfer::Apic { damping } => -(-damping * dt).exp_m1(),
            Transfer::Pic | Transfer::Flip { .. } | Transfer::Sflip { .. } => 0.0,
        }
    }

    /// Whether the grid velocity before the forces is needed.
    pub fn needs_old_velocity(&self) -> bool {
        matches!(self, Transfer::Flip { .. } | Transfer::Sflip { .. })
    }
}

/// Properties shared by all particles of an object.
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
    /// CFL number: largest number of cells that a particle may cross in a step [-], below 1.
    pub cfl: f32,
    /// Largest number of cells that a sound wave may cross in a step [-].
    pub sound_cfl: f32,
    /// Largest time step [s].
    pub max_dt: f64,
    /// Smallest time step [s]: the run fails if stability requires a smaller one.
    pub min_dt: f64,
}

impl Default for StepLimits {
    /// 0.4 cells per step for particles and for sound; steps from 1e-7 s to 1/24 s.
    fn default() -> Self {
        StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 1.0 / 24.0, min_dt: 1e-7 }
    }
}

/// Time integration of the grid velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Integrator {
    /// Forces at the start of the step (symplectic Euler): cheap steps, limited by the speed of sound.
    #[default]
    Explicit,
    /// Forces at the end of the step (backward Euler): long steps, each with a nonlinear solve.
    Implicit(Implicit),
}

/// Iteration limits and tolerance of the nonlinear solve in an implicit step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Implicit {
    /// Maximum Newton iterations per step, at least 1.
    pub newton_iterations: u32,
    /// Maximum iterations of the linear solver per Newton iteration.
    pub linear_iterations: u32,
    /// Residual at which the solve stops [-], relative to the initial residual or to gravity's impulse, whichever is larger.
    pub tolerance: f32,
}

impl Default for Implicit {
    /// At most 5 Newton iterations with 100 linear iterations each; stops at a relative residual of 0.01.
    fn default() -> Self {
        Implicit { newton_iterations: 5, linear_iterations: 100, tolerance: 1e-2 }
    }
}

/// All user parameters.
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
    /// Bounds on the time step.
    pub limits: StepLimits,
    /// Objects, indexed by the particles' `object`.
    pub objects: Vec<Object>,
    /// Materials, indexed by the objects' `material`.
    pub substances: Vec<Substance>,
    /// Meshes of the curves and surfaces.
    pub meshes: Meshes,
    /// Display-only grains, in the order of the state's grains.
    pub grains: Vec<GrainLot>,
    /// Colliders, with one-way coupling: they push material and are not pushed back.
    pub colliders: Vec<Collider>,
    /// Origin of the particles' coordinates [m]; keeps precision in scenes far from the world's origin.
    pub origin: DVec3,
}

impl Params {
    /// Returns the material of an object's particles.
    #[inline(always)]
    pub fn substance_of(&self, object: u32) -> &Substance {
        &self.substances[self.objects[object as usize].material as usize]
    }

    /// Returns the colliders at time `t` [s].
    pub(crate) fn place_colliders(&self, t: f64) -> Vec<PlacedCollider> {
        self.colliders.iter().map(|collider| collider.place(t, self.origin)).collect()
    }
}
