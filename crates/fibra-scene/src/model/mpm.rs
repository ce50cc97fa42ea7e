//! Settings of the material point method.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the material point method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mpm {
    /// Width of a grid cell [m].
    pub dx: f64,
    /// Weight function between particles and grid. Default: `quadratic`.
    #[serde(default)]
    pub kernel: Kernel,
    /// How velocity goes to the grid and back. Default: `apic`.
    #[serde(default)]
    pub transfer: Transfer,
    /// Share of the symmetric part of the affine velocity removed in each step, 0 to 1 (transfer `apic`) [-]. Default: 0.
    #[serde(default)]
    pub damping: f64,
    /// Share of FLIP against PIC, 0 to 1 (transfers `flip` and `sflip`) [-]. Default: 0.97.
    #[serde(default = "mostly_flip")]
    pub flip_ratio: f64,
    /// Share of the position correction while compressing and while separating, each 0 to 1 (transfer `sflip`) [-].
    /// Default: `[0, 1]`.
    #[serde(default = "only_when_separating")]
    pub trap_breaking: [f64; 2],
    /// Particles in a full cell at the start, at least 1 [-]. Default: 8.
    #[serde(default = "two_per_axis")]
    pub particles_per_cell: u32,
    /// Seed of the random numbers that place the particles, below 2^63 [-]. Default: 0.
    #[serde(default)]
    pub seed: u64,
    /// How particles are placed at the start. Default: `jittered`.
    #[serde(default)]
    pub pattern: Pattern,
    /// How a step finds the new velocities. Default: `explicit`.
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

/// How a step finds the new velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// From the forces before the step: cheap, and stable only with short steps.
    #[default]
    Explicit,
    /// From the forces after the step (backward Euler): dear, and stable with long steps, so give `time.max_dt`.
    Implicit,
}

/// How well the integrator `implicit` solves for the new velocities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Implicit {
    /// Most iterations of Newton's method in a step, at least 1 [-]. Default: 5.
    pub newton_iterations: u32,
    /// Most iterations of the linear solver in one of Newton's, at least 1 [-]. Default: 100.
    pub linear_iterations: u32,
    /// Residual at which Newton's method ends, relative to that at its start or to gravity's impulse, whichever is larger, above 0
    /// and below 1 [-]. Slopes with friction want 1e-3; 0.1 is quickest and still follows a swinging cloth. Default: 1e-2.
    pub tolerance: f64,
}

impl Default for Implicit {
    fn default() -> Self {
        Implicit { newton_iterations: 5, linear_iterations: 100, tolerance: 1e-2 }
    }
}

/// Weight functions: tensor products of B-splines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// 2 nodes per axis; cheap, but its gradient jumps from cell to cell, and it is unstable at free surfaces.
    Linear,
    /// 3 nodes per axis.
    #[default]
    Quadratic,
    /// 4 nodes per axis; smoothest and slowest.
    Cubic,
}

/// How velocity goes from particles to the grid and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transfer {
    /// Affine particle in cell: keeps angular momentum, little noise.
    #[default]
    Apic,
    /// Particle in cell: stable and strongly damped.
    Pic,
    /// Fluid implicit particle: hardly damped, noisy.
    Flip,
    /// Separable FLIP: like `flip`, but colliding bodies come apart easily.
    Sflip,
}

/// How particles are placed inside a shape at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// On a regular lattice.
    Lattice,
    /// One at a random place in each lattice cell.
    #[default]
    Jittered,
}
