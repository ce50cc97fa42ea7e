//! Draws particles as spheres that are large enough to form a closed surface, and rigid balls with a pattern.

use super::collider::patterned_ball;
use super::look::ObjectLook;
use crate::ray_caster::{Picture, Sphere};
use fibra_core::frame::Frame;
use fibra_core::random::CounterRng;
use fibra_run::methods::rods::ROTATION;
use glam::{Quat, Vec3};

/// Adds the frame's particles to a picture: points that are neither vertices nor replaced by grains.
pub(super) fn draw(looks: &[ObjectLook], frame: &Frame, picture: &mut Picture) {
    let random = CounterRng::new(0);
    let is_vertex = frame.vertices();
    let points = frame.points.iter().zip(&frame.object).enumerate().filter(|(number, _)| !is_vertex[*number]);
    for (number, (point, object)) in points {
        let Some(look) = looks.get(*object as usize) else { continue };
        if look.grain.is_some() {
            continue;
        }
        let center = Vec3::from_array(*point);
        if look.turns {
            picture.meshes.push(patterned_ball(look.point_radius, look.color).placed(rotation(frame, number), center));
            continue;
        }
        let shade = match look.variation {
            0.0 => 1.0,
            variation => 1.0 + variation * (2.0 * random.uniform(&[number as u64]) as f32 - 1.0),
        };
        let color = (shade * look.color).min(Vec3::ONE);
        picture.spheres.push(Sphere { center, radius: look.point_radius, color, finish: look.finish });
    }
}

/// Returns the rotation of the ball at a point; the identity if the frame does not contain it.
fn rotation(frame: &Frame, point: usize) -> Quat {
    let part = |name: &str| {
        let attribute = frame.attributes.iter().find(|attribute| attribute.name == name)?;
        attribute.values.get(point).copied()
    };
    let parts = ROTATION.map(|name| part(name).unwrap_or(0.0));
    let rotation = Quat::from_array(parts).normalize();
    if rotation.is_finite() { rotation } else { Quat::IDENTITY }
}
