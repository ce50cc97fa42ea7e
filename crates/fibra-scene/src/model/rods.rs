//! Settings of the method `rods`, and what its objects are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the method `rods`: elastic rods and rigid balls in contact with exact Coulomb friction [Bertails2011].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rods {
    /// Length of a segment of a rod, at most, where its shape does not say, above 0 [m].
    pub spacing: f64,
    /// Longest time step, above 0 and at most 0.1 [s]. Steps are equal parts of a frame, and are cut further where rods approach
    /// faster than they are thick. Default: 1e-3.
    #[serde(default = "one_millisecond")]
    pub dt: f64,
    /// Seed of the random numbers that shapes are made with, below 2^63 [-]. Default: 0.
    #[serde(default)]
    pub seed: u64,
    /// How impulses at contacts are found. Default: `auto`.
    #[serde(default)]
    pub solver: ContactSolver,
    /// Largest `|f^AC|^2` of the impulses and velocities at all contacts of a step, in units of what weight gives in it, above 0 [-].
    /// Default: 1e-5.
    #[serde(default = "paper_tolerance")]
    pub tolerance: f64,
    /// Most iterations of Newton's method in a step, at least 1 [-]. Default: 200.
    #[serde(default = "paper_iterations")]
    pub newton_iterations: u32,
    /// Most sweeps over the contacts in a step, at least 1 [-]. Default: 4000.
    #[serde(default = "many_sweeps")]
    pub sweeps: u32,
}

fn one_millisecond() -> f64 {
    1e-3
}

fn paper_tolerance() -> f64 {
    1e-5
}

fn paper_iterations() -> u32 {
    200
}

fn many_sweeps() -> u32 {
    4000
}

/// How impulses at contacts are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactSolver {
    /// Both of the others by turns, until the tolerance is met.
    #[default]
    Auto,
    /// Newton's method for all contacts at once, as in the paper.
    Newton,
    /// One contact after the other, again and again.
    GaussSeidel,
}

/// A thin elastic rod with a round section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rod {
    /// What stands for the rod in the computer. Default: `discrete-elastic`.
    pub model: RodModel,
    /// Radius of the section, above 0 [m]. Default: 0.001.
    pub radius: f64,
    /// Mass per volume, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e7.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and at most 0.5; with Young's modulus it gives the stiffness against twist [-]. Default: 0.5.
    pub poisson_ratio: f64,
    /// Rate at which motion dies in still air, 0 or above [1/s]. Default: 0.
    pub drag: f64,
    /// Time over which rates of deformation are resisted as strongly as deformation, 0 or above [s]. Default: 0.
    pub internal_damping: f64,
    /// Coulomb friction coefficient against other rods and balls, of which the smaller one counts, 0 or above; against a
    /// collider the collider's own counts [-]. Default: 0.3.
    pub friction: f64,
    /// Share of its approach velocity that a hit gives back, 0 to 1; of two bodies the smaller one counts [-]. Default: 0.
    pub restitution: f64,
    /// Number of helical pieces of a strand, at least 1 (model `super-helix`) [-]. Default: 10.
    pub elements: u32,
    /// The shape it returns to when nothing acts on it. Default: `as-made`.
    pub natural: NaturalShape,
}

impl Default for Rod {
    fn default() -> Self {
        Rod {
            model: RodModel::DiscreteElastic,
            radius: 1e-3,
            density: 1000.0,
            youngs_modulus: 1e7,
            poisson_ratio: 0.5,
            drag: 0.0,
            internal_damping: 0.0,
            friction: 0.3,
            restitution: 0.0,
            elements: 10,
            natural: NaturalShape::AsMade,
        }
    }
}

/// What stands for a rod in the computer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RodModel {
    /// Masses and springs: bending and stretching, no twist; naturally straight.
    MassSpring,
    /// CORDE: nodes and frames held together by springs.
    Corde,
    /// Pieces of helices: cannot stretch, few unknowns; cannot be closed.
    SuperHelix,
    /// The discrete elastic rod: bending, twisting and stretching, open or closed.
    #[default]
    DiscreteElastic,
}

/// The shape a rod returns to when nothing acts on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NaturalShape {
    /// The one it starts in.
    #[default]
    AsMade,
    /// A straight line.
    Straight,
}

/// A rigid body: a ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rigid {
    /// Mass per volume, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Rate at which motion dies in still air, 0 or above [1/s]. Default: 0.
    pub drag: f64,
    /// Coulomb friction coefficient against rods and balls, of which the smaller one counts, 0 or above; against a collider the
    /// collider's own counts [-]. Default: 0.3.
    pub friction: f64,
    /// Share of its approach velocity that a hit gives back, 0 to 1; of two bodies the smaller one counts [-]. Default: 0.
    pub restitution: f64,
}

impl Default for Rigid {
    fn default() -> Self {
        Rigid { density: 1000.0, drag: 0.0, friction: 0.3, restitution: 0.0 }
    }
}
