//! Knitted shapes: loops in rows (courses) and columns (wales), each pulled through the one below it.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The yarn of a knit. The `radius` of the material is the radius of one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Yarn {
    /// Width of a wale, above 0 [m]. The distance between courses is 0.764 of this width, in lace 0.796, in cables 1.114.
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

/// Knitting pattern, written as `pattern = "stockinette"` or `pattern.NAME = { ... }`. Loops at borders are those of stockinette where a
/// neighbor is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Knit stitches only.
    #[default]
    Stockinette,
    /// Columns of knit stitches alternate with columns of purl stitches.
    Rib(Rib),
    /// The halves of groups of knit columns cross over each other, on a ground of purl columns.
    Cable(Cable),
    /// Yarn-overs and decreases leave holes.
    Lace(Lace),
}

/// A rib. Knit columns are in front of purl columns and overlap them by 0.4 of a wale width, so that the rib stretches easily across.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rib {
    /// Number of knit columns side by side, at least 1 [-]. Default: 2.
    pub knit: u32,
    /// Number of purl columns side by side, at least 1 [-]. Default: 2.
    pub purl: u32,
}

impl Default for Rib {
    fn default() -> Self {
        Rib { knit: 2, purl: 2 }
    }
}

/// Cables. In one row, only pairs of adjacent columns cross, so the halves of a cable of n columns change places over n - 1 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cable {
    /// Number of knit columns of a cable, at least 2 [-]. It must be even. Default: 4.
    pub width: u32,
    /// Number of purl columns between cables, at least 1 [-]. Default: 2.
    pub ground: u32,
    /// Number of rows without crossings between two crossings, at least 1 [-]. Default: 3.
    pub rows: u32,
    /// The half that crosses in front. Default: `left`.
    pub front: CableHalf,
}

/// A half of a cable, before it crosses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CableHalf {
    /// The left half.
    #[default]
    Left,
    /// The right half.
    Right,
}

impl Default for Cable {
    fn default() -> Self {
        Cable { width: 4, ground: 2, rows: 3, front: CableHalf::Left }
    }
}

/// Lace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lace {
    /// Arrangement of the holes. Default: `eyelets`.
    pub motif: LaceMotif,
    /// Number of columns from hole to hole, at least 2 [-]. Default: 4.
    pub wales: u32,
    /// Number of rows from one row with holes to the next, at least 2 [-]. Default: 4.
    pub courses: u32,
}

/// Arrangement of the holes of lace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LaceMotif {
    /// Every second row of holes is shifted by half of the distance between holes.
    #[default]
    Eyelets,
    /// Holes above each other.
    Columns,
    /// Each row of holes is shifted by one column.
    Diagonal,
    /// As `diagonal`, but the direction of the shift alternates.
    Chevron,
}

impl Default for Lace {
    fn default() -> Self {
        Lace { motif: LaceMotif::Eyelets, wales: 4, courses: 4 }
    }
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
    /// Pattern. Default: `stockinette`.
    #[serde(default)]
    pub pattern: Pattern,
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
    /// Pattern. Default: `stockinette`.
    #[serde(default)]
    pub pattern: Pattern,
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
    /// Pattern. Default: `stockinette`.
    #[serde(default)]
    pub pattern: Pattern,
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
    /// Pattern. Default: `stockinette`.
    #[serde(default)]
    pub pattern: Pattern,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length of a thread, above 0 and at most a quarter of the yarn's `wale_width` [m].
    /// Default: 0.7 times `mpm.dx` (method `mpm`) or `rods.spacing`, but at most a quarter of `wale_width`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}
