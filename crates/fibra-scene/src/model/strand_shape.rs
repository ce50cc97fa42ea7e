//! Curves made for rods: bundles, hair on a head, a knotted rope, rails, a coil.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rods side by side, packed as closely as rods can be: straight, or bent together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodBundle {
    /// Center [m].
    pub center: Vec3,
    /// Number of rods, at least 1 [-].
    pub rods: u32,
    /// Length of a rod, along y before rotation, above 0 [m].
    pub length: f64,
    /// Distance between the lines of neighbors, above 0; at least the diameter of rods and twice `sway` [m].
    pub pitch: f64,
    /// How far, at most, a rod is moved along itself by chance, either way, 0 or above [m]. Default: 0.
    #[serde(default)]
    pub shift: f64,
    /// How far, at most, the ends of a rod are moved sideways by chance, 0 or above [m]. Default: 0.
    #[serde(default)]
    pub sway: f64,
    /// Radius of the arc, toward -x before rotation, that the middle of the bundle is bent to; it must exceed the radius of the bundle by
    /// a sixth of the length [m]. Default: straight rods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend_radius: Option<f64>,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment, at most, above 0 [m]. Default: 0.7 `mpm.dx`, `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// Strands that leave the upper part of a ball at right angles, bend over and hang down around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scalp {
    /// Center of the ball [m].
    pub center: Vec3,
    /// Radius of the ball, above 0 [m].
    pub radius: f64,
    /// Number of strands, at least 1 [-].
    pub strands: u32,
    /// Length of a strand, curls left out, above 0 [m].
    pub length: f64,
    /// Largest angle between a root and the top, seen from the center, above 0 and at most 110 [deg]. Default: 80.
    #[serde(default = "eighty")]
    pub cap_degrees: f64,
    /// Distance from the ball at which the innermost strands hang down, 0 or above [m]. Default: a tenth of the radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Thickness of the hair that hangs down, 0 or above [m]. Default: a quarter of the radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<f64>,
    /// Radius of the helix that each strand follows, 0 or above [m]. Default: 0, straight hair.
    #[serde(default)]
    pub curl_radius: f64,
    /// Length along the strand of one turn of the helix, above 0 where `curl_radius` is [m]. Default: 0.
    #[serde(default)]
    pub curl_length: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment, at most, above 0 [m]. Default: 0.7 `mpm.dx`, `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
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
    /// Radius of the bends of the loop, above 0; at least three times that of the rope [m].
    pub loop_radius: f64,
    /// Length of each straight end, 0 or above [m].
    pub tail: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment, at most, above 0 [m]. Default: 0.7 `mpm.dx`, `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// Two rails side by side: a level track along x before rotation, upright loops one after the other, and level track again. Each loop leads
/// sideways, toward +z, so that the track does not meet itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopRails {
    /// Where the first loop begins, halfway between the rails [m].
    pub center: Vec3,
    /// Number of loops; 0 is a straight track [-].
    pub loops: u32,
    /// Radius of the loops, above 0 [m].
    pub loop_radius: f64,
    /// How far each loop leads sideways, above `gauge` and at most four times `loop_radius` [m].
    pub pitch: f64,
    /// Distance between the lines of the rails, above 0 [m].
    pub gauge: f64,
    /// Length of level track before the first loop, above 0 [m].
    pub run_in: f64,
    /// Length of level track after the last loop, above 0 [m].
    pub run_out: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment, at most, above 0 [m]. Default: 0.7 `mpm.dx`, `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A coil along y before rotation.
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
    /// Whether it turns like a left-handed screw. Default: false.
    #[serde(default)]
    pub left_handed: bool,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment, at most, above 0 [m]. Default: 0.7 `mpm.dx`, `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}
