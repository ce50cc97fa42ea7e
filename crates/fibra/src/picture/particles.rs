//! Particles as balls, large enough to close the surface and with the finish of their material.

use super::look::ObjectLook;
use crate::render::{Picture, Sphere};
use fibra_core::frame::Frame;
use fibra_core::random::CounterRng;
use glam::Vec3;

/// Adds the frame's particles to a picture: the points that are no vertices.
pub(super) fn draw(looks: &[ObjectLook], frame: &Frame, picture: &mut Picture) {
    let random = CounterRng::new(0);
    let is_vertex = frame.vertices();
    let points = frame.points.iter().zip(&frame.object).enumerate().filter(|(number, _)| !is_vertex[*number]);
    picture.spheres.extend(points.filter_map(|(number, (point, object))| {
        let look = looks.get(*object as usize)?;
        let shade = match look.variation {
            0.0 => 1.0,
            variation => 1.0 + variation * (2.0 * random.uniform(&[number as u64]) as f32 - 1.0),
        };
        let colour = (shade * look.colour).min(Vec3::ONE);
        Some(Sphere { centre: Vec3::from_array(*point), radius: look.radius, colour, finish: look.finish })
    }));
}
