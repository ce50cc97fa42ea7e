//! The shapes of colliders and objects, one file each.
//!
//! A shape is a struct in its own frame that implements [`ShapeKind`]; the enum [`Shape`](super::Shape) holds a shape of any kind. The same
//! file defines the shape's scene syntax, with keys, defaults, units and allowed values: a second struct that implements [`Primitive`].
//!
//! To add a shape, write a file like `sphere.rs`, declare its module here and add a row to [`shape_table`](crate::shape_table). Colliders,
//! sampling, scenes with their schema and validation, rendering, the viewer and export then support it. GPUs need its distance as a kernel
//! function: `fibra-gpu` does not compile without one.

mod capsule;
mod cuboid;
mod cylinder;
mod deforming;
mod ellipsoid;
mod mesh;
mod plane;
mod primitive;
mod shape_kind;
mod sphere;

pub use capsule::{Capsule, PlacedCapsule};
pub use cuboid::{Cuboid, PlacedCuboid};
pub use cylinder::{Cylinder, PlacedCylinder};
pub use ellipsoid::Ellipsoid;
pub use plane::{PlacedPlane, Plane};
pub use primitive::{Primitive, Rule};
pub use shape_kind::ShapeKind;
pub use sphere::{PlacedSphere, Sphere};

/// All shapes, one row each. A row holds the variant of [`geometry::Shape`](crate::geometry::Shape). For shapes available to objects and
/// colliders of scenes, it also holds the variant and the key of the scene's enum. Expands to `$define! { rows }`.
///
/// Planes and shapes read from files are declared in the scene's enum itself, because not all objects can have them.
#[macro_export]
macro_rules! shape_table {
    ($define:ident) => {
        $define! {
            /// A half-space below a plane. For colliders only: its volume is infinite.
            Plane(Plane);
            /// A box centered at the origin.
            Cuboid(Cuboid), in scenes
                /// A box.
                Box(PlacedCuboid) = "box";
            /// A ball centered at the origin.
            Sphere(Sphere), in scenes
                /// A ball.
                Sphere(PlacedSphere) = "sphere";
            /// A cylinder centered at the origin, along y.
            Cylinder(Cylinder), in scenes
                /// A cylinder.
                Cylinder(PlacedCylinder) = "cylinder";
            /// All points within a radius of a segment centered at the origin, along y.
            Capsule(Capsule), in scenes
                /// A capsule: a cylinder with hemispherical ends.
                Capsule(PlacedCapsule) = "capsule";
            /// An ellipsoid centered at the origin.
            Ellipsoid(Ellipsoid);
            /// A closed triangle mesh.
            Mesh(Arc<MeshDistance>);
            /// A triangle mesh, closed or open, with its vertices at one time, relative to the frame's origin. To move it in place, hold
            /// the only reference: `Arc::get_mut`, then [`DeformedMesh::set_vertices`].
            Deformed(Arc<DeformedMesh>);
            /// A triangle mesh, closed or open, that deforms over time. Queries use its initial state.
            Deforming(Arc<DeformingMesh>);
        }
    };
}
