//! The head that hair grows on.

use super::PictureError;
use crate::render::{Finish, Mesh, Picture, Sphere};
use crate::scene::{Scene, Vec3 as SceneVec3};
use fibra_core::frame::Frame;
use fibra_core::geometry::generate::Head;
use glam::{DVec3, Quat, Vec3};

/// Edges of its mesh over its largest half axis [-].
const EDGE: f64 = 0.05;
/// Radius of the nose over the half depth of the head [-]: it tells which way the head looks.
const NOSE: f32 = 0.14;

/// How the head looks.
pub(super) struct HeadLook {
    mesh: Mesh,
    half_axes: Vec3,
}

impl HeadLook {
    /// The head of a scene, if it has one to be seen.
    pub(super) fn new(scene: &Scene) -> Result<Option<HeadLook>, PictureError> {
        let Some(hair) = scene.hair.as_ref().filter(|_| scene.head_has_skin()) else { return Ok(None) };
        let half_axes = 0.5 * DVec3::from_array(hair.head.size);
        let head = Head { half_axes, ..Head::ADULT };
        let skin = head.mesh(EDGE * half_axes.max_element())?;
        // The gradient of what is 1 on an ellipsoid.
        let normal = |vertex: &DVec3| (*vertex / (half_axes * half_axes)).normalize_or_zero().as_vec3();
        let mesh = Mesh {
            positions: skin.vertices().iter().map(|vertex| vertex.as_vec3()).collect(),
            normals: skin.vertices().iter().map(normal).collect(),
            triangles: skin.triangles().to_vec(),
            ..Mesh::default()
        };
        let mesh = mesh.painted(linear(hair.head.color), Finish::Matte);
        Ok(Some(HeadLook { mesh, half_axes: half_axes.as_vec3() }))
    }

    /// Adds the head to a picture. In frames it comes after the colliders.
    pub(super) fn draw(&self, frame: &Frame, picture: &mut Picture) {
        let Some(pose) = frame.colliders.last() else { return };
        let (at, turn) = (Vec3::from_array(pose.translation), Quat::from_array(pose.rotation));
        picture.meshes.push(self.mesh.clone().placed(turn, at));
        let nose = self.half_axes * Vec3::new(0.0, -0.15, 0.98);
        let radius = NOSE * self.half_axes.z;
        picture.spheres.push(Sphere {
            centre: at + turn * nose,
            radius,
            colour: self.mesh.colour,
            finish: Finish::Matte,
        });
    }
}

fn linear(color: SceneVec3) -> Vec3 {
    Vec3::from_array(color.map(|c| c as f32))
}
