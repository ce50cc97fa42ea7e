//! Appearance of colliders, by shape.

use super::AppearanceError;
use crate::setup::{deforming_mesh, read_mesh};
use crate::{Collider, Motion, ShapeSource};
use fibra_core::appearance::{BodyAppearance, BodyShape, GROUND_COLOR};
use glam::Vec3;

/// Default color of colliders, linear RGB.
const STONE: Vec3 = Vec3::new(0.36, 0.36, 0.38);

/// Returns the appearance of a collider.
pub(super) fn body(collider: &Collider) -> Result<BodyAppearance, AppearanceError> {
    let shape = shape(collider)?;
    let color = match (collider.color, &shape) {
        (Some(color), _) => Vec3::from_array(color.map(|c| c as f32)),
        (None, BodyShape::Plane { normal }) if normal.y > 0.1 => GROUND_COLOR,
        (None, _) => STONE,
    };
    Ok(BodyAppearance { name: collider.name.clone(), color, shape })
}

fn shape(collider: &Collider) -> Result<BodyShape, AppearanceError> {
    if !collider.visible {
        return Ok(BodyShape::Unseen);
    }
    Ok(match collider.shape.source() {
        // A figure is drawn part by part.
        ShapeSource::Figure(_) => BodyShape::Unseen,
        ShapeSource::Primitive(primitive) => {
            let shape = primitive
                .display()
                .map_err(|source| AppearanceError::Shape { collider: collider.name.clone(), source })?;
            match shape {
                BodyShape::Ball { radius, .. } => BodyShape::Ball { radius, turns: collider.motion != Motion::Still },
                other => other,
            }
        }
        ShapeSource::Shawl(_) | ShapeSource::DeformingMesh(_) => {
            let made = deforming_mesh(&collider.shape, &collider.motion).map_err(|source| {
                AppearanceError::Deforming { collider: collider.name.clone(), source: Box::new(source) }
            })?;
            made.map_or(BodyShape::Unseen, |mesh| BodyShape::Deforming(Box::new(mesh)))
        }
        ShapeSource::Mesh(mesh) => {
            let read = read_mesh(mesh)
                .map_err(|source| AppearanceError::Mesh { collider: collider.name.clone(), source: source.into() })?;
            BodyShape::Mesh {
                positions: read.vertices().iter().map(|vertex| vertex.as_vec3()).collect(),
                triangles: read.triangles().to_vec(),
            }
        }
    })
}
