//! Settings and materials of method `rods`.

use super::rod_section::RodSection;
use super::rod_statics::{Continuation, RodAnalysis, RodOutput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of method `rods`: elastic rods and rigid balls in contact with exact Coulomb friction [Bertails2011].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rods {
    /// Default maximum segment length of rods, for shapes that do not set their own, above 0 [m].
    pub spacing: f64,
    /// Largest time step, above 0 and at most 0.1 [s]. Frames are divided into equal steps. Steps are subdivided further if rods would approach by
    /// more than their thickness. Default: 1e-3.
    #[serde(default = "one_millisecond")]
    pub dt: f64,
    /// Seed of the random numbers used to generate shapes, below 2^63 [-]. Default: 0.
    #[serde(default)]
    pub seed: u64,
    /// Contact solver. Default: `auto`.
    #[serde(default)]
    pub solver: ContactSolver,
    /// Time integrator. Default: `euler`.
    #[serde(default)]
    pub integrator: Integrator,
    /// Solver tolerance: largest error of the contact force at any contact, above 0, relative to the larger of two forces [-]: the weight of the
    /// lighter body, and the largest tension in the bodies. The error is the Alart-Curnier function `|f^AC|`, divided by the step. Default: 1e-4.
    #[serde(default = "ten_thousandth")]
    pub tolerance: f64,
    /// Maximum number of iterations of Newton's and the interior-point method per step and island, at least 1 [-]. Default: 200.
    #[serde(default = "paper_iterations")]
    pub newton_iterations: u32,
    /// Maximum number of Gauss-Seidel sweeps per step and island, at least 1 [-]. Default: 4000.
    #[serde(default = "many_sweeps")]
    pub sweeps: u32,
    /// Friction and restitution of certain pairs: one `[[rods.pair]]` each. All other pairs have the smaller value of both sides. Default: none.
    #[serde(default, rename = "pair", skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
    /// Analysis. Default: `dynamic`.
    #[serde(default, skip_serializing_if = "is_dynamic")]
    pub analysis: RodAnalysis,
    /// Parameter that changes from frame to frame of a static analysis. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuation: Option<Continuation>,
    /// Attributes written to frames, in addition to `contact_force`. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<RodOutput>,
}

fn is_dynamic(analysis: &RodAnalysis) -> bool {
    *analysis == RodAnalysis::Dynamic
}

/// Friction and restitution between two objects, or between an object and a collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// Names of two objects, or of an object and a collider. The same object twice means contacts among its own bodies.
    pub between: [String; 2],
    /// Coulomb friction coefficient, 0 or above [-].
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1 [-]. Default: the smaller value of both sides; a collider has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

/// Time integrator of rods and balls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Linearly implicit Euler: first order in time. It damps vibrations that the step does not resolve.
    #[default]
    Euler,
    /// Linearly implicit midpoint rule: second order in time, without numerical damping. Super-helices use `euler` nevertheless.
    Midpoint,
}

fn one_millisecond() -> f64 {
    1e-3
}

fn ten_thousandth() -> f64 {
    1e-4
}

fn paper_iterations() -> u32 {
    200
}

fn many_sweeps() -> u32 {
    4000
}

/// Solver for contact impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactSolver {
    /// Alternates between the other two solvers until the tolerance is met.
    #[default]
    Auto,
    /// Newton's method for all contacts at once, as in the paper.
    Newton,
    /// Gauss-Seidel iteration: solves one contact after another, in repeated sweeps.
    GaussSeidel,
}

/// A thin elastic rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rod {
    /// Discrete rod model. Default: `discrete-elastic`.
    pub model: RodModel,
    /// Radius of the circular cross section, above 0 [m]. For other sections, the radius of contact. Default: 0.001.
    pub radius: f64,
    /// Shape and orientation of the cross section. Default: a circle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<RodSection>,
    /// Density, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e7.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and at most 0.5 [-]. Together with Young's modulus it determines the torsional stiffness. Default: 0.5.
    pub poisson_ratio: f64,
    /// Decay rate of velocity due to air drag, 0 or above [1/s]. Default: 0.
    pub drag: f64,
    /// Internal damping time: ratio of damping to elastic stiffness, 0 or above [s]. Default: 0.
    pub internal_damping: f64,
    /// Coulomb friction coefficient, 0 or above [-]. Between two bodies, or a body and a collider, the smaller value applies, unless `rods.pair` sets
    /// another. Default: 0.3.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1 [-]. Between two bodies, the smaller value applies, unless `rods.pair` sets another. Default: 0.
    pub restitution: f64,
    /// Number of helical elements of a strand, at least 1 (model `super-helix`) [-]. Default: 10.
    pub elements: u32,
    /// Rest shape. Default: `as-made`.
    pub natural: NaturalShape,
    /// Initial twist, distributed uniformly, in total [rad]. A closed rod keeps it, as if its ends were rotated against each other before they were joined
    /// (models `corde` and `discrete-elastic`). Default: 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub twist: f64,
    /// Linking number of a closed rod: sets its initial twist to the linking number minus the writhe of the curve, in turns. Excludes `twist` [-]. Default:
    /// not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<f64>,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Default for Rod {
    fn default() -> Self {
        Rod {
            model: RodModel::DiscreteElastic,
            radius: 1e-3,
            section: None,
            density: 1000.0,
            youngs_modulus: 1e7,
            poisson_ratio: 0.5,
            drag: 0.0,
            internal_damping: 0.0,
            friction: 0.3,
            restitution: 0.0,
            elements: 10,
            natural: NaturalShape::AsMade,
            twist: 0.0,
            link: None,
        }
    }
}

/// Discrete rod model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RodModel {
    /// Mass-spring chain: bending and stretching, no twist. The rest shape is straight.
    MassSpring,
    /// CORDE: nodes and material frames coupled by springs.
    Corde,
    /// Super-helix: inextensible helical elements with few unknowns. Cannot be closed.
    SuperHelix,
    /// Discrete elastic rod: bending, twisting and stretching, open or closed.
    #[default]
    DiscreteElastic,
}

/// Rest shape of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NaturalShape {
    /// The initial shape.
    #[default]
    AsMade,
    /// A straight line.
    Straight,
}

/// A rigid ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rigid {
    /// Density, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Decay rate of velocity due to air drag, 0 or above [1/s]. Default: 0.
    pub drag: f64,
    /// Coulomb friction coefficient, 0 or above [-]. Between two bodies, or a body and a collider, the smaller value applies, unless `rods.pair` sets
    /// another. Default: 0.3.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1 [-]. Between two bodies, the smaller value applies, unless `rods.pair` sets another. Default: 0.
    pub restitution: f64,
}

impl Default for Rigid {
    fn default() -> Self {
        Rigid { density: 1000.0, drag: 0.0, friction: 0.3, restitution: 0.0 }
    }
}
