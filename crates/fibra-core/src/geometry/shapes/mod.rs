//! The shapes of colliders and objects, a file each.
//!
//! A shape is a struct in its own frame that implements [`ShapeKind`]; the enum [`Shape`](super::Shape) holds one of any kind. The
//! same file has what scenes write for it, with keys, defaults, units and allowed values: a second struct that
//! implements [`Primitive`].
//!
//! To add a shape, write a file like `sphere.rs`, name its module here and add a row to
//! [`shape_table`](crate::shape_table). Colliders, sampling, scenes, their schema and checks, pictures, the viewer and export take it
//! from there. Graphics cards need its distance as a kernel function: `fibra-gpu` does not compile without one.

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

/// All shapes, a row each: the variant of [`geometry::Shape`](crate::geometry::Shape) and, for those that objects and
/// colliders of scenes can have, the variant and key of the scene's own enum. Expands to `$define! { rows }`.
///
/// A plane and what is read from files are written out in the scene's enum: not all objects can have them.
#[macro_export]
macro_rules! shape_table {
    ($define:ident) => {
        $define! {
            /// Everything below a plane. For colliders; it has no volume to fill.
            Plane(Plane);
            /// A box about the origin.
            Cuboid(Cuboid), in scenes
                /// A cuboid.
                Box(PlacedCuboid) = "box";
            /// A ball about the origin.
            Sphere(Sphere), in scenes
                /// A ball.
                Sphere(PlacedSphere) = "sphere";
            /// A cylinder about the origin, along y.
            Cylinder(Cylinder), in scenes
                /// A round column.
                Cylinder(PlacedCylinder) = "cylinder";
            /// All points within a radius of a segment about the origin, along y.
            Capsule(Capsule), in scenes
                /// A rod with round ends.
                Capsule(PlacedCapsule) = "capsule";
            /// An ellipsoid about the origin.
            Ellipsoid(Ellipsoid);
            /// A closed triangle mesh.
            Mesh(Arc<MeshDistance>);
            /// A triangle mesh, closed or open, with the vertices it has at one time, relative to the frame's origin. Whoever moves
            /// it in place holds the only reference meanwhile: `Arc::get_mut`, then [`DeformedMesh::set_vertices`].
            Deformed(Arc<DeformedMesh>);
            /// A triangle mesh, closed or open, that deforms with time; queries use its start.
            Deforming(Arc<DeformingMesh>);
        }
    };
}
