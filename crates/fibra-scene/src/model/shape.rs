//! Solid shapes of objects and colliders.

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

/// Defines [`Shape`] from the shapes of `fibra-core` and those generated from files and figures.
macro_rules! define_shape {
    ($(
        $(#[$core_doc:meta])* $Kind:ident($Type:ty)
        $(, in scenes $(#[$doc:meta])* $Name:ident($Placed:ident) = $name:literal)?;
    )*) => {
        /// A shape in space, written as `shape.NAME = { ... }`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Shape {
            /// The half-space below a plane. Colliders only.
            Plane(Plane),
            /// A human figure of capsules. Colliders only.
            Figure(Figure),
            /// A short cape around the shoulders of the figure. Colliders only.
            Shawl(Shawl),
            /// A deforming triangle mesh. Colliders only.
            DeformingMesh(DeformingMesh),
            $($($(#[$doc])* #[serde(rename = $name)] $Name(geometry::$Placed),)?)*
            /// The interior of a closed triangle mesh.
            Mesh(Mesh),
        }

        impl Shape {
            /// The names of all shapes in scene files. The first [`Shape::FOR_COLLIDERS`] are for colliders only.
            pub const NAMES: &[&str] = &["plane", "figure", "shawl", "deforming-mesh", $($($name,)?)* "mesh"];

            /// The number of shapes for colliders only.
            pub const FOR_COLLIDERS: usize = 4;

            /// Returns the name in scene files.
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

            /// Returns the shape, classified by its source.
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

/// A [`Shape`], classified by its source.
#[derive(Clone, Copy)]
pub enum ShapeSource<'a> {
    /// An analytic shape.
    Primitive(&'a dyn Primitive),
    /// The parts of a figure.
    Figure(&'a Figure),
    /// A cape generated around the figure's shoulders.
    Shawl(&'a Shawl),
    /// An animated file or a sequence of files.
    DeformingMesh(&'a DeformingMesh),
    /// A mesh file.
    Mesh(&'a Mesh),
}

/// A triangle mesh from a file: scaled, then rotated, then translated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// An OBJ, PLY, USD (`.usd`, `.usda`, `.usdc`) or glTF (`.gltf`, `.glb`) file, relative to the scene file's folder, or
    /// `builtin:NAME.obj` for a built-in mesh. USD and glTF are converted to meters with y up, and read at their start time.
    pub file: String,
    /// The subtree of a USD or glTF file to read: the path of a prim (`/World/Shirt`) or the name of a node. Default: all visible meshes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prim: Option<String>,
    /// Meters per length unit of the file, above 0 [m]. For USD and glTF, multiplied by the unit declared in the file. Default: 1.
    #[serde(default = "meters")]
    pub scale: f64,
    /// Rotation about the file's origin, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Position of the file's origin in the scene [m]. Default: the world's origin.
    #[serde(default)]
    pub translate: Vec3,
}

pub(crate) fn meters() -> f64 {
    1.0
}

impl Shape {
    /// Returns whether only colliders can have this shape. Returns false for planes, which are also allowed as regions.
    pub fn is_for_colliders(&self) -> bool {
        matches!(self, Shape::Figure(_) | Shape::Shawl(_) | Shape::DeformingMesh(_))
    }

    /// Returns the default center of rotation [m]: the center of the shape, the point of a plane, the feet of a figure or the `translate` of a mesh.
    pub fn center(&self) -> Vec3 {
        match self.source() {
            ShapeSource::Primitive(primitive) => primitive.center(),
            ShapeSource::Figure(figure) => figure.feet,
            ShapeSource::Shawl(shawl) => shawl.feet,
            ShapeSource::DeformingMesh(mesh) => mesh.translate,
            ShapeSource::Mesh(mesh) => mesh.translate,
        }
    }

    /// Returns the name of the file to read, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Shape::Mesh(mesh) => Some(&mut mesh.file),
            Shape::DeformingMesh(mesh) => Some(&mut mesh.file),
            _ => None,
        }
    }
}
