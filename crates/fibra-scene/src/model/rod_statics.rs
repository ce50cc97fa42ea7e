//! Static solutions of scenes of rods, and the outputs of rods.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Analysis of a scene of rods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RodAnalysis {
    /// Equations of motion, with contact.
    #[default]
    Dynamic,
    /// Static equilibrium at the time of each frame, without contact. Frame 0 shows the initial shape.
    Static,
}

/// A parameter of the scene that changes from frame to frame of a static analysis: a load, a stiffness, or any other number that does not change the number
/// of points. Each frame starts from the equilibrium of the previous one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Continuation {
    /// Path of the number, as for `--set`: `gravity.1`, `object.beam.pull.0.force.1`.
    pub parameter: String,
    /// Value at frame 0, in the unit of the parameter.
    pub from: f64,
    /// Value at the last frame, in the unit of the parameter.
    pub to: f64,
}

/// Attributes of the points of rods that are written to frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RodOutput {
    /// `tension` [N], `shear_1` and `shear_2` [N] along the axes of the section.
    Forces,
    /// `bending_1` and `bending_2` [N m], `EI` times the curvature toward the axes of the section; `twisting` [N m].
    Moments,
    /// `axis_x`, `axis_y`, `axis_z` [-]: the first axis of the section.
    Frames,
    /// `reaction_x`, `reaction_y`, `reaction_z` [N] and `reaction_moment_x`, `reaction_moment_y`, `reaction_moment_z` [N m] at held ends.
    Reactions,
    /// `contact_force_x`, `contact_force_y`, `contact_force_z` [N]: the sum of the contact forces.
    Contacts,
}
