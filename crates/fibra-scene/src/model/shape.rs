//! Shapes that objects fill and colliders have.

use super::deforming::{DeformingMesh, Shawl};
use super::figure::Figure;
use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shape in space, written as `shape.NAME = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Everything below a plane. Colliders only.
    Plane(Plane),
    /// A human figure of capsules. Colliders only.
    Figure(Figure),
    /// A short cape around the figure's shoulders. Colliders only.
    Shawl(Shawl),
    /// A triangle mesh that deforms. Colliders only.
    DeformingMesh(DeformingMesh),
    /// A cuboid.
    Box(Cuboid),
    /// A ball.
    Sphere(Sphere),
    /// A round column.
    Cylinder(Cylinder),
    /// A rod with round ends.
    Capsule(Capsule),
    /// The inside of a closed triangle mesh.
    Mesh(Mesh),
}

/// Everything on the side of a plane that its normal points away from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point on the plane [m].
    pub point: Vec3,
    /// Direction out of the solid, of any length but 0 [-]. Default: up, `[0, 1, 0]`.
    #[serde(default = "up")]
    pub normal: Vec3,
}

/// A cuboid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Centre [m].
    pub center: Vec3,
    /// Full length of the edges along x, y and z before rotation, each above 0 [m].
    pub size: Vec3,
    /// Rotation about the centre, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
}

/// A ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Centre [m].
    pub center: Vec3,
    /// Radius, above 0 [m].
    pub radius: f64,
}

/// A round column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Centre, halfway up the axis [m].
    pub center: Vec3,
    /// Radius, above 0 [m].
    pub radius: f64,
    /// Full length along the axis, above 0 [m].
    pub height: f64,
    /// Direction of the axis, of any length but 0 [-]. Default: up, `[0, 1, 0]`.
    #[serde(default = "up")]
    pub axis: Vec3,
}

/// A rod with round ends: all points within a radius of a segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// One end of the segment [m].
    pub start: Vec3,
    /// The other end of the segment, at least a hair away from `start` [m].
    pub end: Vec3,
    /// Radius, above 0 [m].
    pub radius: f64,
}

/// A triangle mesh from a file: scaled, then rotated, then translated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// An OBJ, PLY, USD (`.usd`, `.usda`, `.usdc`) or glTF (`.gltf`, `.glb`) file, relative to the scene file's folder, or
    /// `builtin:NAME.obj` for one that comes with Fibra. USD and glTF are brought to metres with y up, and read at their start.
    pub file: String,
    /// The part of a USD or glTF file that is read, with all that is below it: the path of a prim (`/World/Shirt`) or the name of
    /// a node. Default: all visible meshes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prim: Option<String>,
    /// Metres per unit of length in the file, above 0 [m]; USD and glTF files have their own unit, which is multiplied by it. Default: 1.
    #[serde(default = "metres")]
    pub scale: f64,
    /// Rotation about the file's origin, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Where the file's origin goes [m]. Default: the world's origin.
    #[serde(default)]
    pub translate: Vec3,
}

fn up() -> Vec3 {
    [0.0, 1.0, 0.0]
}

pub(crate) fn metres() -> f64 {
    1.0
}

impl Shape {
    /// Whether only colliders can have it, a plane apart.
    pub fn is_for_colliders(&self) -> bool {
        matches!(self, Shape::Figure(_) | Shape::Shawl(_) | Shape::DeformingMesh(_))
    }

    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Plane(_) => "plane",
            Shape::Figure(_) => "figure",
            Shape::Shawl(_) => "shawl",
            Shape::DeformingMesh(_) => "deforming-mesh",
            Shape::Box(_) => "box",
            Shape::Sphere(_) => "sphere",
            Shape::Cylinder(_) => "cylinder",
            Shape::Capsule(_) => "capsule",
            Shape::Mesh(_) => "mesh",
        }
    }

    /// The point that rotations turn about unless told otherwise [m]: the centre, or the plane's point, or where
    /// the figure stands, or where the mesh file's origin goes.
    pub fn center(&self) -> Vec3 {
        match self {
            Shape::Plane(plane) => plane.point,
            Shape::Figure(figure) => figure.feet,
            Shape::Shawl(shawl) => shawl.feet,
            Shape::DeformingMesh(mesh) => mesh.translate,
            Shape::Box(cuboid) => cuboid.center,
            Shape::Sphere(sphere) => sphere.center,
            Shape::Cylinder(cylinder) => cylinder.center,
            Shape::Capsule(capsule) => std::array::from_fn(|i| 0.5 * (capsule.start[i] + capsule.end[i])),
            Shape::Mesh(mesh) => mesh.translate,
        }
    }
    /// The file it is read from, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Shape::Mesh(mesh) => Some(&mut mesh.file),
            Shape::DeformingMesh(mesh) => Some(&mut mesh.file),
            _ => None,
        }
    }
}
