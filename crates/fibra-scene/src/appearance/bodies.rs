//! How colliders look, by their shape.

use super::AppearanceError;
use crate::setup::{deforming_mesh, read_mesh};
use crate::{Collider, Motion, Shape};
use fibra_core::appearance::{BodyAppearance, BodyShape, GROUND_COLOR};
use fibra_core::geometry::DisplayMesh;
use glam::{DVec3, Vec3};

/// Colour of colliders that the scene gives none, linear RGB.
const STONE: Vec3 = Vec3::new(0.36, 0.36, 0.38);

/// How a collider looks.
pub(super) fn body(collider: &Collider) -> Result<BodyAppearance, AppearanceError> {
    let shape = shape(collider)?;
    let colour = match (collider.color, &shape) {
        (Some(color), _) => Vec3::from_array(color.map(|c| c as f32)),
        (None, BodyShape::Plane { normal }) if normal.y > 0.1 => GROUND_COLOR,
        (None, _) => STONE,
    };
    Ok(BodyAppearance { name: collider.name.clone(), colour, shape })
}

fn shape(collider: &Collider) -> Result<BodyShape, AppearanceError> {
    Ok(match &collider.shape {
        _ if !collider.visible => BodyShape::Unseen,
        // Its parts are seen.
        Shape::Figure(_) => BodyShape::Unseen,
        Shape::Plane(plane) => {
            BodyShape::Plane { normal: DVec3::from_array(plane.normal).normalize_or(DVec3::Y).as_vec3() }
        }
        Shape::Shawl(_) | Shape::DeformingMesh(_) => {
            let made = deforming_mesh(&collider.shape, &collider.motion).map_err(|source| {
                AppearanceError::Deforming { collider: collider.name.clone(), source: Box::new(source) }
            })?;
            made.map_or(BodyShape::Unseen, |mesh| BodyShape::Deforming(Box::new(mesh)))
        }
        Shape::Sphere(sphere) => {
            BodyShape::Ball { radius: sphere.radius as f32, turns: collider.motion != Motion::Still }
        }
        Shape::Box(cuboid) => bare(DisplayMesh::cuboid(0.5 * DVec3::from_array(cuboid.size).as_vec3())),
        Shape::Cylinder(cylinder) => bare(DisplayMesh::cylinder(cylinder.radius as f32, 0.5 * cylinder.height as f32)),
        Shape::Capsule(capsule) => BodyShape::Capsule {
            half_height: 0.5 * DVec3::from_array(capsule.start).distance(DVec3::from_array(capsule.end)) as f32,
            radius: capsule.radius as f32,
        },
        Shape::Mesh(mesh) => {
            let read = read_mesh(mesh)
                .map_err(|source| AppearanceError::Mesh { collider: collider.name.clone(), source: source.into() })?;
            BodyShape::Mesh {
                positions: read.vertices().iter().map(|vertex| vertex.as_vec3()).collect(),
                triangles: read.triangles().to_vec(),
            }
        }
    })
}

fn bare(mesh: DisplayMesh) -> BodyShape {
    BodyShape::Mesh { positions: mesh.positions, triangles: mesh.triangles }
}
