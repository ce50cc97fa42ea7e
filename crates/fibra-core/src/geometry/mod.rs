//! Geometry: triangle meshes, curves, shapes with signed distances, motions, colliders, and particle sampling of shapes.
//!
//! A closed [`TriangleMesh`] is converted to a [`MeshSurface`] (exact distance and inside test, slow). A [`MeshDistance`] samples that
//! surface on a grid (fast) and is one kind of [`Shape`]. A [`Collider`] is a shape with a rest pose, a [`Motion`] and a contact law;
//! [`Collider::place`] evaluates the collider at one time for queries by the grid. [`sampling::fill`] fills a shape with particles.
//!
//! Thin objects are meshes: cloth is a [`TriangleMesh`], open or closed, that [`TriangleMesh::into_cloth`] accepts; hair and yarn are a
//! [`CurveMesh`]. Meshes come from [`generate`] or, through `fibra-exchange`, from files. Hair with distinct roots and tips is a
//! [`StrandSet`]. [`GuidedStrands`] are render strands interpolated from the simulated guide strands.
//!
//! A [`DirectionField`] gives a direction at each point of space. [`principal_axes_of_points`] computes the principal axes of a body.
//!
//! Lengths are in meters. Positions are stored in `f64`; queries use `f32` relative to a nearby origin.

mod attachment;
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
mod farthest_points;
mod figure;
pub mod generate;
mod guided_strands;
mod jump;
mod mesh;
mod mesh_distance;
mod mesh_surface;
mod motion;
mod point_tree;
mod polyline;
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

pub use attachment::Attachment;
pub use bvh::{Bvh, Triangle};
pub use cloth_mesh::ClothFlaw;
pub use collider::{Collider, Contact, Hit, PlacedCollider, Placement, RigidVelocity, collider_response};
pub use curve_cutting::CurveCutError;
pub use curve_mesh::{CurveFlaw, CurveMesh};
pub use dance::Dance;
pub use deformed_mesh::{DeformedMesh, SurfaceNode, SurfacePoint, VertexCounts};
pub use deforming_mesh::{DeformationError, DeformingMesh};
pub use direction_field::{DirectionField, DirectionSample};
pub use display_mesh::DisplayMesh;
pub use distance_grid::DistanceGrid;
pub use driven::Driven;
pub use farthest_points::FarthestPoints;
pub use figure::BodyPart;
pub use guided_strands::{GuideFrames, GuideWeights, GuidedPoint, GuidedStrands, StrandBlend};
pub use jump::Jump;
pub use mesh::{Bounds, MeshFlaw, TriangleMesh};
pub use mesh_distance::MeshDistance;
pub use mesh_surface::MeshSurface;
pub use motion::{Keyframes, Motion, MotionError, RigidState, Spin, nearly_unit};
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
