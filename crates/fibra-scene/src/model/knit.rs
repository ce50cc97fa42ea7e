//! Shapes knitted in stockinette: loops in rows (courses) and columns (wales), each pulled through the one below it.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The yarn of a knit. The `radius` of the material is the radius of one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Yarn {
    /// Width of a wale, above 0 [m]. The distance between courses is 0.764 of this width.
    pub wale_width: f64,
    /// Diameter of the yarn with all its threads, above 0 and at most 0.23 of `wale_width` [m].
    pub diameter: f64,
    /// Number of threads twisted into the yarn, at least 1 [-]. Default: 1.
    #[serde(default = "one")]
    pub threads: u32,
    /// Number of turns of the threads per loop [-]. Default: 2.
    #[serde(default = "two")]
    pub turns: u32,
}

fn one() -> u32 {
    1
}

fn two() -> u32 {
    2
}

/// A flat knitted rectangle with its courses along x and its wales along z before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Knit {
    /// Center [m].
    pub center: Vec3,
    /// Number of rows of loops, at least 2 [-].
    pub courses: u32,
    /// Number of columns of loops, at least 2 [-].
    pub wales: u32,
    /// The yarn.
    pub yarn: Yarn,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length of a thread, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 times `mpm.dx` (method `mpm`) or `rods.spacing`, but at most a quarter of `wale_width`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A knitted tube about the y axis before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnitTube {
    /// Center [m].
    pub center: Vec3,
    /// Number of rows of loops along the axis, at least 2 [-].
    pub courses: u32,
    /// Number of loops around the tube, at least 8 [-].
    pub wales: u32,
    /// The yarn.
    pub yarn: Yarn,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length of a thread, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 times `mpm.dx` (method `mpm`) or `rods.spacing`, but at most a quarter of `wale_width`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// An upright knitted sweater with its sleeves along x and its front toward +z before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweater {
    /// Center [m].
    pub center: Vec3,
    /// Number of rows of loops of the body [-]. It must exceed the number of rows beside an armhole, about a third of `sleeve_wales`, by at least 4.
    pub body_courses: u32,
    /// Number of loops around the body, at least twice `sleeve_wales` [-].
    pub body_wales: u32,
    /// Number of rows of loops of a sleeve, at least 2 [-].
    pub sleeve_courses: u32,
    /// Number of loops around a sleeve, at least 8 [-].
    pub sleeve_wales: u32,
    /// The yarn.
    pub yarn: Yarn,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length of a thread, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 times `mpm.dx` (method `mpm`) or `rods.spacing`, but at most a quarter of `wale_width`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A knitted rectangle with a neck opening, its courses along x and its wales along z before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Poncho {
    /// Center [m].
    pub center: Vec3,
    /// Number of rows of loops, including those of the opening, at least `neck_courses` + 4 [-].
    pub courses: u32,
    /// Number of columns of loops, including those of the opening, at least `neck_wales` + 4 [-].
    pub wales: u32,
    /// Height of the opening in rows, at least 1 [-].
    pub neck_courses: u32,
    /// Width of the opening in columns, at least 1 [-].
    pub neck_wales: u32,
    /// The yarn.
    pub yarn: Yarn,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length of a thread, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 times `mpm.dx` (method `mpm`) or `rods.spacing`, but at most a quarter of `wale_width`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}
