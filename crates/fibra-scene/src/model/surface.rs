//! Surface shapes of cloth. The shape in the scene file is the rest shape: a curtain is folded, not stretched.

use super::scene::Vec3;
use super::shape::Mesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Approximate ratio of the area of a teddy bear to the square of its height [-].
const BEAR_AREA: f64 = 3.0;

/// A surface, written as `shape.NAME = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceShape {
    /// A flat rectangle.
    Sheet(Sheet),
    /// A rectangle that hangs in folds.
    Curtain(Curtain),
    /// The skin of a teddy bear, open between its ears.
    Bear(Bear),
    /// A triangle mesh, closed or with borders.
    SurfaceMesh(Mesh),
    /// A tube, open at both ends.
    Tube(Tube),
}

/// A flat rectangle of cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Center [m].
    pub center: Vec3,
    /// Length along x before rotation, above 0 [m].
    pub width: f64,
    /// Length along z before rotation, above 0 [m].
    pub depth: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Distance between neighboring vertices, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`) or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A rectangle of cloth that hangs in folds, as from a rail along x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Curtain {
    /// Midpoint of the upper edge [m].
    pub top: Vec3,
    /// Width of the unfolded cloth, above 0 [m].
    pub width: f64,
    /// Height, above 0 [m].
    pub height: f64,
    /// Width of the folded curtain, from a quarter of `width` to `width` [m].
    pub span: f64,
    /// Number of folds, at least 1 [-]. Default: 8.
    #[serde(default = "eight")]
    pub folds: u32,
    /// Rotation about `top`, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Distance between neighboring vertices, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`) or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

fn eight() -> u32 {
    8
}

/// The skin of a sitting teddy bear that faces +z before rotation, open between its ears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bear {
    /// Midpoint between its feet, at the height of the ground [m].
    pub bottom: Vec3,
    /// Height, above 0 [m].
    pub height: f64,
    /// Rotation about `bottom`, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Distance between neighboring vertices, above 0 and at most 0.026 of the height [m]. Default: 0.7 times `mpm.dx` (method `mpm`) or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

/// A tube, open at both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tube {
    /// Center of the tube [m].
    pub center: Vec3,
    /// Radius, above 0 [m].
    pub radius: f64,
    /// Length, along y before rotation, above 0 [m].
    pub height: f64,
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Distance between neighboring vertices, above 0 [m]. Default: 0.7 times `mpm.dx` (method `mpm`) or `elastons.spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
}

impl SurfaceShape {
    /// Returns the name in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            SurfaceShape::Sheet(_) => "sheet",
            SurfaceShape::Curtain(_) => "curtain",
            SurfaceShape::Bear(_) => "bear",
            SurfaceShape::SurfaceMesh(_) => "surface-mesh",
            SurfaceShape::Tube(_) => "tube",
        }
    }

    /// Returns the position [m] of its local origin and its rotation: angles about the fixed x, then y, then z axis [deg].
    pub fn place(&self) -> [Vec3; 2] {
        match self {
            SurfaceShape::Sheet(sheet) => [sheet.center, sheet.rotate_degrees],
            SurfaceShape::Curtain(curtain) => [curtain.top, curtain.rotate_degrees],
            SurfaceShape::Bear(bear) => [bear.bottom, bear.rotate_degrees],
            SurfaceShape::SurfaceMesh(mesh) => [mesh.translate, mesh.rotate_degrees],
            SurfaceShape::Tube(tube) => [tube.center, tube.rotate_degrees],
        }
    }

    /// Returns the name of the file to read, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            SurfaceShape::SurfaceMesh(mesh) => Some(&mut mesh.file),
            _ => None,
        }
    }

    /// Returns the distance between neighboring vertices [m], with `length` [m] as the default. Returns `None` for a mesh from a file, whose vertices
    /// are given.
    pub fn spacing(&self, length: f64) -> Option<f64> {
        match self {
            SurfaceShape::Sheet(sheet) => Some(sheet.spacing.unwrap_or(length)),
            SurfaceShape::Curtain(curtain) => Some(curtain.spacing.unwrap_or(length)),
            SurfaceShape::Bear(bear) => Some(bear.spacing.unwrap_or(length)),
            SurfaceShape::SurfaceMesh(_) => None,
            SurfaceShape::Tube(tube) => Some(tube.spacing.unwrap_or(length)),
        }
    }

    /// Estimates the number of vertices plus triangles [-], with `length` [m] as the default distance of vertices. Returns 0 for a mesh from a file.
    pub(crate) fn particles(&self, length: f64) -> f64 {
        let area = match self {
            SurfaceShape::Sheet(sheet) => sheet.width * sheet.depth,
            SurfaceShape::Curtain(curtain) => curtain.width * curtain.height,
            SurfaceShape::Bear(bear) => BEAR_AREA * bear.height.powi(2),
            SurfaceShape::SurfaceMesh(_) => 0.0,
            SurfaceShape::Tube(tube) => TAU * tube.radius * tube.height,
        };
        // Each square has one vertex and two triangles.
        self.spacing(length).map_or(0.0, |spacing| 3.0 * area / spacing.powi(2))
    }
}
