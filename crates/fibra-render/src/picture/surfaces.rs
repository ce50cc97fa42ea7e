//! Draws surfaces as smooth meshes: cloth and shells with two distinguishable sides, and surfaces of solids.

use super::look::ObjectLook;
use crate::ray_caster::{Finish, Mesh, Picture};
use fibra_core::frame::Frame;
use fibra_core::frame_parts::parts;
use glam::Vec3;

/// Brightness of the back of a cloth relative to the front, and its desaturation [-]: enough to see folds, too little to look like
/// another cloth.
const BACK: (f32, f32) = (0.7, 0.12);

/// Adds the frame's triangles to a picture.
pub(super) fn draw(looks: &[ObjectLook], frame: &Frame, picture: &mut Picture) {
    picture.meshes.extend(parts(frame, &frame.triangles).into_iter().filter_map(|part| {
        let look = looks.get(part.object as usize)?;
        let (back_color, finish) =
            if look.is_skin { (None, look.finish) } else { (Some(back(look.color)), Finish::Cloth) };
        let mesh = Mesh {
            positions: part.positions(frame),
            triangles: part.elements,
            color: look.color,
            back_color,
            finish,
            ..Mesh::default()
        };
        Some(if look.is_skin { mesh.with_sharp_edges() } else { mesh })
    }));
}

fn back(color: Vec3) -> Vec3 {
    let (share, fade) = BACK;
    share * color.lerp(Vec3::splat(color.element_sum() / 3.0), fade)
}
