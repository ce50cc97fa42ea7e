//! Shapes that objects fill and colliders have.

use super::deforming::{DeformingMesh, Shawl};
use super::figure::Figure;
use super::scene::Vec3;
use fibra_core::geometry::{self, Primitive};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use fibra_core::geometry::{
    PlacedCapsule as Capsule, PlacedCuboid as Cuboid, PlacedCylinder as Cylinder, PlacedPlane as Plane,
    PlacedSphere as Sphere,
};

/// The enum, from the shapes that `fibra-core` has and those that are made from files and figures.
macro_rules! define_shape {
    ($(
        $(#[$core_doc:meta])* $Kind:ident($Type:ty)
        $(, in scenes $(#[$doc:meta])* $Name:ident($Placed:ident) = $name:literal)?;
    )*) => {
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
            $($($(#[$doc])* #[serde(rename = $name)] $Name(geometry::$Placed),)?)*
            /// The inside of a closed triangle mesh.
            Mesh(Mesh),
        }

        impl Shape {
            /// The names of all in scenes. The first [`Shape::FOR_COLLIDERS`] are for colliders only.
            pub const NAMES: &[&str] = &["plane", "figure", "shawl", "deforming-mesh", $($($name,)?)* "mesh"];

            /// How many are for colliders only.
            pub const FOR_COLLIDERS: usize = 4;

            /// Its name in scenes.
            pub fn name(&self) -> &'static str {
                match self {
                    Shape::Plane(_) => "plane",
                    Shape::Figure(_) => "figure",
                    Shape::Shawl(_) => "shawl",
                    Shape::DeformingMesh(_) => "deforming-mesh",
                    $($(Shape::$Name(_) => $name,)?)*
                    Shape::Mesh(_) => "mesh",
                }
            }

            /// The shape by how it is made.
            pub fn source(&self) -> ShapeSource<'_> {
                match self {
                    Shape::Plane(plane) => ShapeSource::Primitive(plane),
                    Shape::Figure(figure) => ShapeSource::Figure(figure),
                    Shape::Shawl(shawl) => ShapeSource::Shawl(shawl),
                    Shape::DeformingMesh(mesh) => ShapeSource::DeformingMesh(mesh),
                    $($(Shape::$Name(placed) => ShapeSource::Primitive(placed),)?)*
                    Shape::Mesh(mesh) => ShapeSource::Mesh(mesh),
                }
            }
        }
    };
}

fibra_core::shape_table!(define_shape);

/// A [`Shape`] by how it is made.
#[derive(Clone, Copy)]
pub enum ShapeSource<'a> {
    /// From its sizes alone.
    Primitive(&'a dyn Primitive),
    /// From the parts of a figure.
    Figure(&'a Figure),
    /// From the figure's shoulders.
    Shawl(&'a Shawl),
    /// From a file that moves, or many.
    DeformingMesh(&'a DeformingMesh),
    /// From a file.
    Mesh(&'a Mesh),
}

/// A triangle mesh from a file: scaled, then rotated, then translated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// An OBJ, PLY, USD (`.usd`, `.usda`, `.usdc`) or glTF (`.gltf`, `.glb`) file, relative to the scene file's folder, or
    /// `builtin:NAME.obj` for one that comes with Fibra. USD and glTF are brought to meters with y up, and read at their start.
    pub file: String,
    /// The part of a USD or glTF file that is read, with all that is below it: the path of a prim (`/World/Shirt`) or the name of
    /// a node. Default: all visible meshes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prim: Option<String>,
    /// Meters per unit of length in the file, above 0 [m]; USD and glTF files have their own unit, which is multiplied by it. Default: 1.
    #[serde(default = "meters")]
    pub scale: f64,
    /// Rotation about the file's origin, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Where the file's origin goes [m]. Default: the world's origin.
    #[serde(default)]
    pub translate: Vec3,
}

pub(crate) fn meters() -> f64 {
    1.0
}

impl Shape {
    /// Whether only colliders can have it, a plane apart.
    pub fn is_for_colliders(&self) -> bool {
        matches!(self, Shape::Figure(_) | Shape::Shawl(_) | Shape::DeformingMesh(_))
    }

    /// The point that rotations turn about unless set otherwise [m]: the center, or the plane's point, or where
    /// the figure stands, or where the mesh file's origin goes.
    pub fn center(&self) -> Vec3 {
        match self.source() {
            ShapeSource::Primitive(primitive) => primitive.center(),
            ShapeSource::Figure(figure) => figure.feet,
            ShapeSource::Shawl(shawl) => shawl.feet,
            ShapeSource::DeformingMesh(mesh) => mesh.translate,
            ShapeSource::Mesh(mesh) => mesh.translate,
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
