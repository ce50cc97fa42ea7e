//! Surfaces as smooth meshes whose two sides can be told apart.

use super::look::ObjectLook;
use super::parts::parts;
use crate::render::{Finish, Mesh, Picture};
use fibra_core::frame::Frame;
use glam::Vec3;

/// How much of its colour the back of a cloth has, and how far that is drawn towards grey [-]: enough to follow a fold
/// over, too little to take it for another cloth.
const BACK: (f32, f32) = (0.7, 0.12);

/// Adds the frame's triangles to a picture.
pub(super) fn draw(looks: &[ObjectLook], frame: &Frame, picture: &mut Picture) {
    picture.meshes.extend(parts(frame, &frame.triangles).into_iter().filter_map(|part| {
        let look = looks.get(part.object as usize)?;
        Some(Mesh {
            positions: part.positions(frame),
            triangles: part.elements,
            colour: look.colour,
            back_colour: Some(back(look.colour)),
            finish: Finish::Cloth,
            ..Mesh::default()
        })
    }));
}

fn back(colour: Vec3) -> Vec3 {
    let (share, fade) = BACK;
    share * colour.lerp(Vec3::splat(colour.element_sum() / 3.0), fade)
}
