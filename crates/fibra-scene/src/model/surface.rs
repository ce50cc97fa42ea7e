//! Surfaces that cloth can be cut from. As they are written is how they rest: a curtain is folded, not stretched.

use super::scene::Vec3;
use super::shape::Mesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Area of a teddy bear over the square of its height: about [-].
const BEAR_AREA: f64 = 3.0;

/// A surface, written as `shape.NAME = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceShape {
    /// A flat rectangle.
    Sheet(Sheet),
    /// A rectangle in folds.
    Curtain(Curtain),
    /// The skin of a teddy bear, open between its ears.
    Bear(Bear),
    /// A triangle mesh, closed or with borders.
    SurfaceMesh(Mesh),
    /// A tube, open at both ends.
    Tube(Tube),
}

/// A rectangle of cloth that lies flat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Center [m].
    pub center: Vec3,
    /// Length along x before rotation, above 0 [m].
    pub width: f64,
    /// Length along z before rotation, above 0 [m].
    pub depth: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Distance between neighboring vertices, above 0 [m]. Default: 0.7 `mpm.dx`, or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A rectangle of cloth that hangs in folds, as from a rail along x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Curtain {
    /// Middle of the upper edge [m].
    pub top: Vec3,
    /// Width of the cloth when it is spread out, above 0 [m].
    pub width: f64,
    /// Height, above 0 [m].
    pub height: f64,
    /// Width that it hangs in, from a quarter of `width` to all of it [m].
    pub span: f64,
    /// Number of folds, at least 1 [-]. Default: 8.
    #[serde(default = "eight")]
    pub folds: u32,
    /// Rotation about `top`, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Distance between neighboring vertices, above 0 [m]. Default: 0.7 `mpm.dx`, or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

fn eight() -> u32 {
    8
}

/// The skin of a sitting teddy bear that looks along z before rotation, open between its ears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bear {
    /// The middle between its feet, on what it sits on [m].
    pub bottom: Vec3,
    /// Height, above 0 [m].
    pub height: f64,
    /// Rotation about `bottom`, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Distance between neighboring vertices, above 0 and at most 0.026 of the height [m]. Default: 0.7 `mpm.dx`, or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A tube that is open at both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tube {
    /// Center, halfway up the axis [m].
    pub center: Vec3,
    /// Radius, above 0 [m].
    pub radius: f64,
    /// Length along the axis, which is y before rotation, above 0 [m].
    pub height: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Distance between neighboring vertices, above 0 [m]. Default: 0.7 `mpm.dx`, or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

impl SurfaceShape {
    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            SurfaceShape::Sheet(_) => "sheet",
            SurfaceShape::Curtain(_) => "curtain",
            SurfaceShape::Bear(_) => "bear",
            SurfaceShape::SurfaceMesh(_) => "surface-mesh",
            SurfaceShape::Tube(_) => "tube",
        }
    }

    /// Where the origin of its own frame goes [m], and by which angles about the fixed x, then y, then z axis that frame is
    /// turned [deg].
    pub fn place(&self) -> [Vec3; 2] {
        match self {
            SurfaceShape::Sheet(sheet) => [sheet.center, sheet.rotate_degrees],
            SurfaceShape::Curtain(curtain) => [curtain.top, curtain.rotate_degrees],
            SurfaceShape::Bear(bear) => [bear.bottom, bear.rotate_degrees],
            SurfaceShape::SurfaceMesh(mesh) => [mesh.translate, mesh.rotate_degrees],
            SurfaceShape::Tube(tube) => [tube.center, tube.rotate_degrees],
        }
    }

    /// The file it is read from, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            SurfaceShape::SurfaceMesh(mesh) => Some(&mut mesh.file),
            _ => None,
        }
    }

    /// Distance between neighboring vertices [m], where it can be chosen; `length` [m] unless the scene says.
    pub fn spacing(&self, length: f64) -> Option<f64> {
        match self {
            SurfaceShape::Sheet(sheet) => Some(sheet.spacing.unwrap_or(length)),
            SurfaceShape::Curtain(curtain) => Some(curtain.spacing.unwrap_or(length)),
            SurfaceShape::Bear(bear) => Some(bear.spacing.unwrap_or(length)),
            SurfaceShape::SurfaceMesh(_) => None,
            SurfaceShape::Tube(tube) => Some(tube.spacing.unwrap_or(length)),
        }
    }

    /// About how many vertices and triangles it has, where that is known before it is made [-].
    pub(crate) fn particles(&self, length: f64) -> f64 {
        let area = match self {
            SurfaceShape::Sheet(sheet) => sheet.width * sheet.depth,
            SurfaceShape::Curtain(curtain) => curtain.width * curtain.height,
            SurfaceShape::Bear(bear) => BEAR_AREA * bear.height.powi(2),
            SurfaceShape::SurfaceMesh(_) => 0.0,
            SurfaceShape::Tube(tube) => TAU * tube.radius * tube.height,
        };
        // A square has one vertex of its own and two triangles.
        self.spacing(length).map_or(0.0, |spacing| 3.0 * area / spacing.powi(2))
    }
}
