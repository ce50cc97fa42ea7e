//! Curve shapes of fibers, rods and hair: hair, pile, yarn, ropes. The shape in the scene file is the rest shape.

use super::hair_shape::{HairFile, Hairstyle};
use super::knit::{Knit, KnitTube, Poncho, Sweater, Yarn};
use super::scene::Vec3;
use super::strand_shape::{Helix, LoopRails, OverhandKnot, RodBundle, Scalp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Default ratio of the longest segment of a knit's threads to the wale width [-]. Longer segments do not resolve the loops.
const SHARE_OF_WALE: f64 = 0.25;
/// Approximate ratio of the thread length of a loop to the wale width [-].
const LOOP: f64 = 4.0;
/// Approximate ratio of the rope length of an overhand knot, without its tails, to the loop radius [-].
const ROPE_IN_KNOT: f64 = 25.0;

/// Curves, written as `shape.NAME = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CurveShape {
    /// Polylines through given points.
    Strands(Strands),
    /// Parallel strands in a cylinder.
    HairTube(HairTube),
    /// A shag carpet: a net with a pile of strands.
    Carpet(Carpet),
    /// A bundle of short fibers, like cotton wool.
    FiberBundle(FiberBundle),
    /// A knitted rectangle.
    Knit(Knit),
    /// A knitted tube.
    KnitTube(KnitTube),
    /// A knitted sweater.
    Sweater(Sweater),
    /// A knitted poncho.
    Poncho(Poncho),
    /// A bundle of parallel rods.
    RodBundle(RodBundle),
    /// Hair that grows from a ball and hangs down around it.
    Scalp(Scalp),
    /// A rope with an overhand knot.
    OverhandKnot(OverhandKnot),
    /// Two rails with vertical loops.
    LoopRails(LoopRails),
    /// Curves from a file.
    CurveFile(CurveFile),
    /// A generated hairstyle (method `hair`).
    Hairstyle(Hairstyle),
    /// Hair from a file (method `hair`).
    HairFile(HairFile),
    /// A helix.
    Helix(Helix),
}

/// Polylines through given points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Strands {
    /// Points of each curve, at least two, or three if the curves are closed [m].
    pub curves: Vec<Vec<Vec3>>,
    /// Whether the last point of each curve is connected to its first. Default: false.
    #[serde(default)]
    pub closed: bool,
    /// Maximum segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// Parallel strands in a cylinder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HairTube {
    /// Center of the cylinder [m].
    pub center: Vec3,
    /// Number of strands, at least 1 [-].
    pub strands: u32,
    /// Radius of the cylinder, above 0 [m].
    pub radius: f64,
    /// Inner radius of a hollow cylinder, 0 or above [m]. Default: 0, not hollow.
    #[serde(default)]
    pub hollow: f64,
    /// Length of the cylinder, along y before rotation, above 0 [m].
    pub length: f64,
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

/// A rectangular net with tufts of strands that grow up from its junctions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Carpet {
    /// Center of the net [m].
    pub center: Vec3,
    /// Length of the net along x before rotation, above 0 [m].
    pub width: f64,
    /// Length of the net along z before rotation, above 0 [m].
    pub depth: f64,
    /// Longest edge of the net's squares, above 0 [m].
    pub mesh_size: f64,
    /// Number of strands per junction of the net; 0 for a bare net [-].
    pub strands: u32,
    /// Mean length of the strands, above 0 [m]. Each strand is up to a fifth longer or shorter than this.
    pub pile: f64,
    /// Largest angle between a strand's tip and the vertical, 0 or above and below 90 [deg]. Default: 30.
    #[serde(default = "thirty")]
    pub lean_degrees: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

fn thirty() -> f64 {
    30.0
}

/// Overlapping fibers in a box, roughly along the x axis before rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FiberBundle {
    /// Center [m].
    pub center: Vec3,
    /// Lengths of the box along x, y and z before rotation, each above 0 [m].
    pub size: Vec3,
    /// Number of fibers, at least 1 [-].
    pub fibers: u32,
    /// Length of the shortest fibers, above 0 [m].
    pub min_length: f64,
    /// Length of the longest fibers, at least `min_length` [m]. They must fit into the box.
    pub max_length: f64,
    /// Largest angle between a fiber and the x axis, 0 or above and below 90 [deg]. Default: 15.
    #[serde(default = "fifteen")]
    pub spread_degrees: f64,
    /// Angle by which a fiber bends from one end to the other, from 0 to 180 [deg]. Default: 30.
    #[serde(default = "thirty")]
    pub bend_degrees: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Maximum segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

fn fifteen() -> f64 {
    15.0
}

/// Curves from a file: scaled, then rotated, then translated, and resampled into segments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurveFile {
    /// A `.hair`, `.bcc` or USD (`.usd`, `.usda`, `.usdc`) file, relative to the scene file's folder. USD is converted to meters with y up, and read
    /// at its start time.
    pub file: String,
    /// The subtree of a USD file to read: the path of a prim (`/World/Hair`). Default: all visible curves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prim: Option<String>,
    /// Meters per length unit of the file, above 0 [m]. For USD, multiplied by the unit declared in the file. Default: 1.
    #[serde(default = "super::shape::meters")]
    pub scale: f64,
    /// Rotation about the file's origin, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Position of the file's origin in the scene [m]. Default: the world's origin.
    #[serde(default)]
    pub translate: Vec3,
    /// Approximate segment length, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`), `rods.spacing`, `hair.grid.cell` or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

impl CurveShape {
    /// Returns the name in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            CurveShape::Strands(_) => "strands",
            CurveShape::HairTube(_) => "hair-tube",
            CurveShape::Carpet(_) => "carpet",
            CurveShape::FiberBundle(_) => "fiber-bundle",
            CurveShape::Knit(_) => "knit",
            CurveShape::KnitTube(_) => "knit-tube",
            CurveShape::Sweater(_) => "sweater",
            CurveShape::Poncho(_) => "poncho",
            CurveShape::RodBundle(_) => "rod-bundle",
            CurveShape::Scalp(_) => "scalp",
            CurveShape::OverhandKnot(_) => "overhand-knot",
            CurveShape::LoopRails(_) => "loop-rails",
            CurveShape::CurveFile(_) => "curve-file",
            CurveShape::Hairstyle(_) => "hairstyle",
            CurveShape::HairFile(_) => "hair-file",
            CurveShape::Helix(_) => "helix",
        }
    }

    /// Returns the position [m] of its local origin and its rotation: angles about the fixed x, then y, then z axis [deg].
    pub fn place(&self) -> [Vec3; 2] {
        match self {
            CurveShape::Strands(_) => [[0.0; 3]; 2],
            CurveShape::HairTube(tube) => [tube.center, tube.rotate_degrees],
            CurveShape::Carpet(carpet) => [carpet.center, carpet.rotate_degrees],
            CurveShape::FiberBundle(bundle) => [bundle.center, bundle.rotate_degrees],
            CurveShape::Knit(knit) => [knit.center, knit.rotate_degrees],
            CurveShape::KnitTube(tube) => [tube.center, tube.rotate_degrees],
            CurveShape::Sweater(sweater) => [sweater.center, sweater.rotate_degrees],
            CurveShape::Poncho(poncho) => [poncho.center, poncho.rotate_degrees],
            CurveShape::RodBundle(bundle) => [bundle.center, bundle.rotate_degrees],
            CurveShape::Scalp(scalp) => [scalp.center, scalp.rotate_degrees],
            CurveShape::OverhandKnot(knot) => [knot.center, knot.rotate_degrees],
            CurveShape::LoopRails(rails) => [rails.center, rails.rotate_degrees],
            CurveShape::CurveFile(file) => [file.translate, file.rotate_degrees],
            CurveShape::Hairstyle(_) => [[0.0; 3]; 2],
            CurveShape::HairFile(file) => [file.translate, file.rotate_degrees],
            CurveShape::Helix(helix) => [helix.center, helix.rotate_degrees],
        }
    }

    /// Returns whether the shape is placed relative to the head of method `hair`.
    pub fn grows_on_head(&self) -> bool {
        matches!(self, CurveShape::Hairstyle(_) | CurveShape::HairFile(_))
    }

    /// Returns the yarn, if the shape is knitted.
    pub fn yarn(&self) -> Option<&Yarn> {
        match self {
            CurveShape::Knit(knit) => Some(&knit.yarn),
            CurveShape::KnitTube(tube) => Some(&tube.yarn),
            CurveShape::Sweater(sweater) => Some(&sweater.yarn),
            CurveShape::Poncho(poncho) => Some(&poncho.yarn),
            _ => None,
        }
    }

    /// Returns the maximum segment length [m]: the value in the scene, otherwise `length` [m]. For knits, the default is at most a quarter of the
    /// wale width.
    pub fn spacing(&self, length: f64) -> f64 {
        let given = match self {
            CurveShape::Strands(strands) => strands.spacing,
            CurveShape::HairTube(tube) => tube.spacing,
            CurveShape::Carpet(carpet) => carpet.spacing,
            CurveShape::FiberBundle(bundle) => bundle.spacing,
            CurveShape::Knit(knit) => knit.spacing,
            CurveShape::KnitTube(tube) => tube.spacing,
            CurveShape::Sweater(sweater) => sweater.spacing,
            CurveShape::Poncho(poncho) => poncho.spacing,
            CurveShape::RodBundle(bundle) => bundle.spacing,
            CurveShape::Scalp(scalp) => scalp.spacing,
            CurveShape::OverhandKnot(knot) => knot.spacing,
            CurveShape::LoopRails(rails) => rails.spacing,
            CurveShape::CurveFile(file) => file.spacing,
            CurveShape::HairFile(file) => file.spacing,
            CurveShape::Helix(helix) => helix.spacing,
            // A hairstyle sets its number of points instead of a segment length.
            CurveShape::Hairstyle(_) => None,
        };
        let finest = self.yarn().map_or(f64::INFINITY, |yarn| SHARE_OF_WALE * yarn.wale_width);
        given.unwrap_or_else(|| length.min(finest))
    }

    /// Estimates the number of vertices plus segments [-], with `element` [m] as the default segment length. Returns 0 for shapes from points or
    /// files.
    pub(crate) fn particles(&self, element: f64) -> f64 {
        let loops = |courses: u32, wales: u32| f64::from(courses) * f64::from(wales);
        let knitted = |yarn: &Yarn, loops: f64| LOOP * yarn.wale_width * f64::from(yarn.threads) * loops;
        let length = match self {
            CurveShape::Hairstyle(style) => {
                return 2.0 * (style.points_of(style.strands()) + style.points_of(style.interpolated));
            }
            CurveShape::Strands(_) | CurveShape::CurveFile(_) | CurveShape::HairFile(_) => 0.0,
            CurveShape::HairTube(tube) => f64::from(tube.strands) * tube.length,
            CurveShape::Carpet(carpet) => {
                let junctions = carpet.width * carpet.depth / carpet.mesh_size.powi(2);
                junctions * (2.0 * carpet.mesh_size + f64::from(carpet.strands) * carpet.pile)
            }
            CurveShape::FiberBundle(bundle) => f64::from(bundle.fibers) * bundle.max_length,
            CurveShape::Knit(knit) => knitted(&knit.yarn, loops(knit.courses, knit.wales)),
            CurveShape::KnitTube(tube) => knitted(&tube.yarn, loops(tube.courses, tube.wales)),
            CurveShape::Sweater(sweater) => {
                let sleeves = 2.0 * loops(sweater.sleeve_courses, sweater.sleeve_wales);
                knitted(&sweater.yarn, loops(sweater.body_courses, sweater.body_wales) + sleeves)
            }
            CurveShape::Poncho(poncho) => knitted(&poncho.yarn, loops(poncho.courses, poncho.wales)),
            CurveShape::RodBundle(bundle) => f64::from(bundle.rods) * bundle.length,
            CurveShape::Scalp(scalp) => f64::from(scalp.strands) * scalp.length,
            CurveShape::Helix(helix) => helix.turns * (TAU * helix.radius).hypot(helix.pitch),
            CurveShape::OverhandKnot(knot) => 2.0 * knot.tail + ROPE_IN_KNOT * knot.loop_radius,
            CurveShape::LoopRails(rails) => {
                2.0 * (rails.run_in + rails.run_out + f64::from(rails.loops) * TAU * rails.loop_radius)
            }
        };
        2.0 * length / self.spacing(element)
    }
}
