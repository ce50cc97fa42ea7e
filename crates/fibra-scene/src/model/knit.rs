//! Things knitted in stockinette: loops in rows (courses) and columns (wales), each pulled through the one below it.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The yarn of a knit. The material's `radius` is that of one of its threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Yarn {
    /// Width of a loop, from wale to wale, above 0; courses are 0.764 of it apart [m].
    pub wale_width: f64,
    /// Diameter of the yarn with all its threads, above 0 and at most 0.23 of `wale_width` [m].
    pub diameter: f64,
    /// Threads twisted around each other in the yarn, at least 1 [-]. Default: 1.
    #[serde(default = "one")]
    pub threads: u32,
    /// Turns that the threads make along one loop [-]. Default: 2.
    #[serde(default = "two")]
    pub turns: u32,
}

fn one() -> u32 {
    1
}

fn two() -> u32 {
    2
}

/// A knitted rectangle that lies flat, its courses along x and its wales along z before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Knit {
    /// Center [m].
    pub center: Vec3,
    /// Rows of loops, at least 2 [-].
    pub courses: u32,
    /// Columns of loops, at least 2 [-].
    pub wales: u32,
    /// What it is knitted from.
    pub yarn: Yarn,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment of a thread, at most, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 `mpm.dx` or `rods.spacing`, or that quarter if it is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A knitted tube about the y axis before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnitTube {
    /// Center [m].
    pub center: Vec3,
    /// Rows of loops along the axis, at least 2 [-].
    pub courses: u32,
    /// Loops around the tube, at least 8 [-].
    pub wales: u32,
    /// What it is knitted from.
    pub yarn: Yarn,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment of a thread, at most, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 `mpm.dx` or `rods.spacing`, or that quarter if it is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A knitted sweater, upright, its arms stretched out along x and its front toward z before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweater {
    /// Center [m].
    pub center: Vec3,
    /// Rows of loops of the body [-].
    pub body_courses: u32,
    /// Loops around the body, at least twice `sleeve_wales` [-].
    pub body_wales: u32,
    /// Rows of loops of a sleeve, at least 2 [-].
    pub sleeve_courses: u32,
    /// Loops around a sleeve, at least 8 [-].
    pub sleeve_wales: u32,
    /// What it is knitted from.
    pub yarn: Yarn,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment of a thread, at most, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 `mpm.dx` or `rods.spacing`, or that quarter if it is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A knitted rectangle with an opening for the neck, its courses along x and its wales along z before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Poncho {
    /// Center [m].
    pub center: Vec3,
    /// Rows of loops, those of the opening included [-].
    pub courses: u32,
    /// Columns of loops, those of the opening included [-].
    pub wales: u32,
    /// Rows that the opening takes, at least 1 and 4 fewer than `courses` [-].
    pub neck_courses: u32,
    /// Columns that the opening takes, at least 1 and 4 fewer than `wales` [-].
    pub neck_wales: u32,
    /// What it is knitted from.
    pub yarn: Yarn,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Length of a segment of a thread, at most, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 `mpm.dx` or `rods.spacing`, or that quarter if it is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}
