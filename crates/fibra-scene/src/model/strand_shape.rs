//! Curve shapes for rods: bundles, hair on a ball, a knotted rope, rails, a helix.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bundle of parallel rods in hexagonal packing, straight or bent to an arc.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodBundle {
    /// Center [m].
    pub center: Vec3,
    /// Number of rods, at least 1 [-].
    pub rods: u32,
    /// Length of a rod, along y before rotation, above 0 [m].
    pub length: f64,
    /// Distance between the centerlines of neighbors, above 0 and at least the rod diameter plus twice `sway` [m].
    pub pitch: f64,
    /// Largest random shift of a rod along its axis, in either direction, 0 or above [m]. Default: 0.
    #[serde(default)]
    pub shift: f64,
    /// Largest random sideways shift of the ends of a rod, 0 or above [m]. Default: 0.
    #[serde(default)]
    pub sway: f64,
    /// Radius of the arc to which the center line of the bundle is bent, toward -x before rotation [m]. It must exceed the radius of the bundle by a sixth of
    /// the length. Default: straight rods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend_radius: Option<f64>,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// Strands that leave the upper part of a ball along its normal, bend over and hang down around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scalp {
    /// Center of the ball [m].
    pub center: Vec3,
    /// Radius of the ball, above 0 [m].
    pub radius: f64,
    /// Number of strands, at least 1 [-].
    pub strands: u32,
    /// Length of a strand without curls, above 0 [m].
    pub length: f64,
    /// Largest polar angle of a root, measured at the center from the top, above 0 and at most 110 [deg]. Default: 80.
    #[serde(default = "eighty")]
    pub cap_degrees: f64,
    /// Distance from the ball at which the innermost strands hang down, 0 or above [m]. Default: a tenth of the radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Thickness of the layer of hanging hair, 0 or above [m]. Default: a quarter of the radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<f64>,
    /// Radius of the helix that each strand follows, 0 or above [m]. Default: 0, straight hair.
    #[serde(default)]
    pub curl_radius: f64,
    /// Length along the strand of one turn of the helix [m]. Must be above 0 if `curl_radius` is above 0. Default: 0.
    #[serde(default)]
    pub curl_length: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

fn eighty() -> f64 {
    80.0
}

/// A rope along x before rotation, with a loose overhand knot in its middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverhandKnot {
    /// Center of the knot [m].
    pub center: Vec3,
    /// Bend radius of the loop, above 0 and at least three times the radius of the rope [m].
    pub loop_radius: f64,
    /// Length of each straight tail, 0 or above [m].
    pub tail: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// Two parallel rails: a level track along x before rotation, vertical loops one after another, and another level track. Each loop shifts the track
/// sideways, toward +z, so that the track does not intersect itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopRails {
    /// Start of the first loop, midway between the rails [m].
    pub center: Vec3,
    /// Number of loops, 0 for a straight track [-].
    pub loops: u32,
    /// Radius of the loops, above 0 [m].
    pub loop_radius: f64,
    /// Sideways shift of each loop, above `gauge` and at most four times `loop_radius` [m].
    pub pitch: f64,
    /// Distance between the centerlines of the rails, above 0 [m].
    pub gauge: f64,
    /// Length of level track before the first loop, above 0 [m].
    pub run_in: f64,
    /// Length of level track after the last loop, above 0 [m].
    pub run_out: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A helix along y before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Helix {
    /// Center [m].
    pub center: Vec3,
    /// Distance from the axis, above 0 [m].
    pub radius: f64,
    /// Rise of one turn, above 0 [m].
    pub pitch: f64,
    /// Number of turns, above 0 [-].
    pub turns: f64,
    /// Whether the helix is left-handed. Default: false.
    #[serde(default)]
    pub left_handed: bool,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}
