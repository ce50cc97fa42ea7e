//! Appearance of the head that hair grows on.

use super::AppearanceError;
use crate::{Method, Scene};
use fibra_core::appearance::{BodyAppearance, BodyShape};
use fibra_core::geometry::TriangleMesh;
use fibra_core::geometry::generate::{GenerateError, Head};
use glam::{DVec3, Vec3};

/// Edge length of the head's mesh relative to its largest half axis [-].
const EDGE: f64 = 0.05;
/// Edge length of the nose relative to its radius [-].
const NOSE_EDGE: f64 = 0.25;
/// Radius of the nose relative to the half depth of the head [-]. The nose shows which way the head faces.
const NOSE: f64 = 0.14;

/// Returns the appearance of the head, or `None` if the method is not `hair`.
pub(super) fn body(scene: &Scene) -> Result<Option<BodyAppearance>, AppearanceError> {
    let Some(hair) = scene.hair.as_ref().filter(|_| scene.method == Method::Hair) else { return Ok(None) };
    let shape = if scene.head_has_skin() { skin(hair.head.size)? } else { BodyShape::Unseen };
    let color = Vec3::from_array(hair.head.color.map(|c| c as f32));
    Ok(Some(BodyAppearance { name: "head".to_owned(), color, shape }))
}

fn skin(size: [f64; 3]) -> Result<BodyShape, GenerateError> {
    let half_axes = 0.5 * DVec3::from_array(size);
    let radius = NOSE * half_axes.z;
    let face = ellipsoid(half_axes, EDGE * half_axes.max_element())?;
    let nose = ellipsoid(DVec3::splat(radius), NOSE_EDGE * radius)?;
    let place = half_axes * DVec3::new(0.0, -0.15, 0.98);
    let positions = face.vertices().iter().copied().chain(nose.vertices().iter().map(|vertex| place + *vertex));
    let first = face.vertices().len() as u32;
    let nose_triangles = nose.triangles().iter().map(|corners| corners.map(|corner| first + corner));
    let triangles = face.triangles().iter().copied().chain(nose_triangles).collect();
    Ok(BodyShape::Mesh { positions: positions.map(|vertex| vertex.as_vec3()).collect(), triangles })
}

fn ellipsoid(half_axes: DVec3, edge: f64) -> Result<TriangleMesh, GenerateError> {
    Head { half_axes, ..Head::ADULT }.mesh(edge)
}
