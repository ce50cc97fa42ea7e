//! Shapes of the scene, which say where they are, as shapes in a frame of their own and the pose of that frame.

use crate::scene::extent::rotation_degrees;
use crate::scene::{LoadedScene, Mesh, SceneError, Shape, builtin};
use fibra_core::geometry::{self, MeshDistance, MeshError, MeshFormat, MeshSurface, RigidPose, TriangleMesh};
use glam::{DQuat, DVec3, Vec3};
use std::sync::Arc;

/// A shape and where it is.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The shape, in its own frame.
    pub(super) shape: geometry::Shape,
    /// Where that frame is. Its origin is the point the scene's motions turn about.
    pub(super) pose: RigidPose,
}

/// The body of the shape written at `path`; distances to a mesh are sampled at `cell` [m].
pub(super) fn body(loaded: &LoadedScene, path: &str, shape: &Shape, cell: f64) -> Result<Body, SceneError> {
    let at = |point: [f64; 3]| RigidPose::at(DVec3::from_array(point));
    let along = |axis: DVec3| DQuat::from_rotation_arc(DVec3::Y, axis.normalize_or(DVec3::Y));
    let (made, pose) = match shape {
        Shape::Plane(plane) => {
            let normal = DVec3::from_array(plane.normal).normalize_or_zero().as_vec3();
            (geometry::Shape::plane(Vec3::ZERO, normal), at(plane.point))
        }
        Shape::Figure(_) => {
            return Err(loaded.error_at(path, "a figure is not one body", "only a `[[collider]]` can be a figure"));
        }
        Shape::Box(cuboid) => {
            let half = 0.5 * DVec3::from_array(cuboid.size);
            let rotation = DQuat::from_mat3(&rotation_degrees(cuboid.rotate_degrees));
            (geometry::Shape::cuboid(half.as_vec3()), RigidPose { rotation, ..at(cuboid.center) })
        }
        Shape::Sphere(sphere) => (geometry::Shape::sphere(sphere.radius as f32), at(sphere.center)),
        Shape::Cylinder(cylinder) => (
            geometry::Shape::cylinder(0.5 * cylinder.height as f32, cylinder.radius as f32),
            RigidPose { rotation: along(DVec3::from_array(cylinder.axis)), ..at(cylinder.center) },
        ),
        Shape::Capsule(capsule) => {
            let axis = DVec3::from_array(capsule.end) - DVec3::from_array(capsule.start);
            (
                geometry::Shape::capsule(0.5 * axis.length() as f32, capsule.radius as f32),
                RigidPose { rotation: along(axis), ..at(shape.center()) },
            )
        }
        Shape::Mesh(mesh) => {
            let rotation = DQuat::from_mat3(&rotation_degrees(mesh.rotate_degrees));
            let made = distances(loaded, path, mesh, cell)?;
            (Ok(made), RigidPose { rotation, ..at(mesh.translate) })
        }
    };
    // The scene's own check has looked at every length; what is left is one that 32 bits cannot hold.
    let shape = made.map_err(|error| loaded.error_at(path, &format!("`{{}}`: {error}"), "write another length [m]"))?;
    Ok(Body { shape, pose })
}

fn distances(loaded: &LoadedScene, path: &str, mesh: &Mesh, cell: f64) -> Result<geometry::Shape, SceneError> {
    let file = format!("{path}.mesh.file");
    let triangles = read_mesh(mesh).map_err(|error| {
        loaded.error_at(&file, &format!("the mesh of `{{}}` cannot be used: {error}"), "repair or export it again")
    })?;
    let surface = MeshSurface::new(&triangles).map_err(|flaw| {
        let problem = format!("{} of `{{}}` is not a solid: {flaw}", mesh.file);
        loaded.error_at(&file, &problem, "a mesh must be closed, with all its triangles wound the same way")
    })?;
    Ok(geometry::Shape::Mesh(Arc::new(MeshDistance::of_surface(surface, cell))))
}

/// The triangles of a mesh, scaled to metres but neither turned nor moved.
pub fn read_mesh(mesh: &Mesh) -> Result<TriangleMesh, MeshError> {
    let read = match mesh.file.strip_prefix(builtin::MESH_PREFIX) {
        Some(name) => {
            let text = builtin::mesh(name).unwrap_or_default();
            TriangleMesh::parse(text.as_bytes(), MeshFormat::Obj, &mesh.file)
        }
        None => TriangleMesh::read(&mesh.file),
    }?;
    let scaled = read.vertices().iter().map(|vertex| mesh.scale * *vertex).collect();
    TriangleMesh::new(scaled, read.triangles().to_vec())
        .map_err(|flaw| MeshError::Flaw { file: mesh.file.clone(), flaw })
}
