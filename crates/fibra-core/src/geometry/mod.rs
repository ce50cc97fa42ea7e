//! Bodies: triangle meshes, shapes with signed distances, motions, colliders, and filling a shape with
//! particles.
//!
//! A closed [`TriangleMesh`] becomes a [`MeshSurface`] (exact distance and inside test, slow)
//! and from that a [`MeshDistance`] (the same on a grid, quick), which is one kind of [`Shape`]. A [`Collider`] is a
//! shape with a rest pose, a [`Motion`] and a contact law; [`Collider::place`] fixes it at one time for the grid to
//! query. [`sampling::fill`] turns a shape into particles.
//!
//! What is thin is a mesh itself: cloth a [`TriangleMesh`], open or closed, that [`TriangleMesh::into_cloth`] accepts;
//! hair and yarn a [`CurveMesh`]. They come from [`generate`] or, through `fibra-exchange`, from files. Hair whose roots and tips matter is a
//! [`StrandSet`]; [`GuidedStrands`] are drawn where the few that are simulated
//! lead them.
//!
//! A [`DirectionField`] says which way things lie from place to place; [`principal_axes_of_points`] which way a body lies.
//!
//! Lengths are in meters. Where things are is kept in `f64`; queries are in `f32` relative to an origin nearby.

mod broken_line;
mod bvh;
mod cloth_mesh;
mod collider;
mod curve_builder;
mod curve_cutting;
mod curve_mesh;
mod dance;
mod deformed_mesh;
mod deforming_mesh;
mod direction_field;
mod display_mesh;
mod distance_grid;
mod driven;
mod figure;
pub mod generate;
mod guided_strands;
mod mesh;
mod mesh_distance;
mod mesh_surface;
mod motion;
mod point_tree;
mod polylines;
mod pose;
mod principal_axes;
mod random_trajectory;
mod refine;
pub mod sampling;
mod shape;
mod shapes;
mod shepard;
mod smooth_normals;
mod spline;
mod strand_set;
mod strands;
#[cfg(test)]
mod test_meshes;

pub use bvh::{Bvh, Triangle};
pub use cloth_mesh::ClothFlaw;
pub use collider::{Collider, Contact, Hit, PlacedCollider, Placement, RigidVelocity, collider_response};
pub use curve_cutting::CurveCutError;
pub use curve_mesh::{CurveFlaw, CurveMesh};
pub use dance::Dance;
pub use deformed_mesh::{DeformedMesh, SurfaceNode, SurfacePoint, VertexCounts};
pub use deforming_mesh::{DeformationError, DeformingMesh};
pub use direction_field::{DirectionField, DirectionFieldError};
pub use display_mesh::DisplayMesh;
pub use distance_grid::DistanceGrid;
pub use driven::Driven;
pub use figure::BodyPart;
pub use guided_strands::{GuideFrames, GuidedPoint, GuidedStrands, OnGuide, StrandBlend};
pub use mesh::{Bounds, MeshFlaw, TriangleMesh};
pub use mesh_distance::MeshDistance;
pub use mesh_surface::MeshSurface;
pub use motion::{Keyframes, Motion, MotionError, RigidState, Spin};
pub use point_tree::{NearestTwo, PointNode, PointTree, Scales};
pub use polylines::polylines;
pub use pose::{RigidPose, rotation_degrees};
pub use principal_axes::{principal_axes, principal_axes_of_points};
pub use random_trajectory::RandomTrajectory;
pub use refine::halve_long_edges;
pub use shape::{Nearest, Shape, ShapeError};
pub use shapes::*;
pub use smooth_normals::smooth_normals;
pub use spline::{CurveLine, Spline};
pub use strand_set::{StrandFlaw, StrandRepairs, StrandSet};
pub use strands::{Junction, Strand};
