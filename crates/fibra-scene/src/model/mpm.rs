//! Settings of the material point method.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the material point method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mpm {
    /// Grid spacing: the edge length of a grid cell, above 0 [m].
    pub dx: f64,
    /// Interpolation kernel between particles and grid. Default: `quadratic`.
    #[serde(default)]
    pub kernel: Kernel,
    /// Velocity transfer between particles and grid. Default: `apic`.
    #[serde(default)]
    pub transfer: Transfer,
    /// Decay rate of the symmetric part of the affine velocity, 0 or above (transfer `apic`) [1/s]. A step of length `dt` removes the fraction
    /// `1 - exp(-damping_rate dt)`: all of it if the rate is far above `1 / dt`. Default: 0.
    #[serde(default)]
    pub damping_rate: f64,
    /// FLIP fraction of the FLIP/PIC blend, 0 to 1 (transfers `flip` and `sflip`) [-]. Default: 0.97.
    #[serde(default = "mostly_flip")]
    pub flip_ratio: f64,
    /// Fractions of the FLIP velocity correction that also move particles: the first where the material is compressed, the second where it separates,
    /// each 0 to 1 (transfer `sflip`) [-]. Default: `[0, 1]`.
    #[serde(default = "only_when_separating")]
    pub trap_breaking: [f64; 2],
    /// Initial number of particles per full cell, from 1 to 512 [-]. Default: 8.
    #[serde(default = "two_per_axis")]
    pub particles_per_cell: u32,
    /// Seed of the random numbers that place the particles, below 2^63 [-]. Default: 0.
    #[serde(default)]
    pub seed: u64,
    /// Initial placement of particles. Default: `jittered`.
    #[serde(default)]
    pub pattern: Pattern,
    /// Time integration scheme. Default: `explicit`.
    #[serde(default)]
    pub integrator: Integrator,
    /// Settings of the integrator `implicit`.
    #[serde(default)]
    pub implicit: Implicit,
}

fn mostly_flip() -> f64 {
    0.97
}

fn only_when_separating() -> [f64; 2] {
    [0.0, 1.0]
}

fn two_per_axis() -> u32 {
    8
}

/// Time integration scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Uses the forces at the start of the step: cheap, but stable only with small steps.
    #[default]
    Explicit,
    /// Uses the forces at the end of the step (backward Euler): expensive, but stable with large steps. Set `time.max_dt`.
    Implicit,
}

/// Solver settings of the integrator `implicit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Implicit {
    /// Maximum number of Newton iterations per step, at least 1 [-]. Default: 5.
    pub newton_iterations: u32,
    /// Maximum number of linear solver iterations per Newton iteration, at least 1 [-]. Default: 100.
    pub linear_iterations: u32,
    /// Tolerance of the Newton residual, relative to the initial residual or the impulse of gravity, whichever is larger, above 0 and below 1 [-].
    /// Use 1e-3 for slopes with friction; 0.1 is sufficient for swinging cloth and takes fewer iterations. Default: 1e-2.
    pub tolerance: f64,
}

impl Default for Implicit {
    fn default() -> Self {
        Implicit { newton_iterations: 5, linear_iterations: 100, tolerance: 1e-2 }
    }
}

/// Interpolation kernels: tensor products of B-splines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// 2 nodes per axis; cheap, but its gradient is discontinuous between cells, and it is unstable at free surfaces.
    Linear,
    /// 3 nodes per axis.
    #[default]
    Quadratic,
    /// 4 nodes per axis; smoothest and slowest.
    Cubic,
}

/// Velocity transfer between particles and grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transfer {
    /// Affine particle-in-cell: conserves angular momentum, little noise.
    #[default]
    Apic,
    /// Particle-in-cell: stable and strongly damped.
    Pic,
    /// Fluid-implicit-particle: hardly damped, noisy.
    Flip,
    /// Separable FLIP: like `flip`, but colliding bodies separate easily.
    Sflip,
}

/// Initial placement of particles inside a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// One particle at the center of each lattice cell.
    Lattice,
    /// One particle at a random position in each lattice cell.
    #[default]
    Jittered,
}
