//! Draws grains: rods and fibers as capsules, cards and bricks as boxes, each in a slightly different shade.

use super::look::ObjectLook;
use crate::ray_caster::{Brick, Capsule, Finish, Picture};
use fibra_core::frame::Frame;
use fibra_core::random::CounterRng;
use glam::{Quat, Vec3};

/// Maximum variation of brightness and of color temperature between grains [-].
const SHADES: (f32, f32) = (0.22, 0.06);

/// Adds the frame's instances to a picture.
pub(super) fn draw(looks: &[ObjectLook], frame: &Frame, picture: &mut Picture) {
    for (number, (pose, object)) in frame.instances.iter().zip(&frame.instance_object).enumerate() {
        let Some(look) = looks.get(*object as usize) else { continue };
        let Some(grain) = look.grain else { continue };
        let (center, rotation) = (Vec3::from_array(pose.translation), Quat::from_array(pose.rotation));
        let size = grain.size;
        let color = shade(look.color, number as u64);
        if grain.is_round {
            let radius = 0.25 * (size.x + size.y);
            let reach = (0.5 * size.z - radius).max(0.0) * (rotation * Vec3::Z);
            picture.capsules.push(Capsule {
                ends: [center - reach, center + reach],
                radii: [radius; 2],
                color,
                finish: look.grain_finish,
            });
        } else {
            let half_extents = 0.5 * size;
            picture.bricks.push(Brick { center, rotation, half_extents, color, finish: Finish::Matte });
        }
    }
}

fn shade(color: Vec3, grain: u64) -> Vec3 {
    let random = CounterRng::new(2);
    let [brightness, warmth] = [0, 1].map(|which| 2.0 * random.uniform(&[grain, which]) as f32 - 1.0);
    let tint = Vec3::new(1.0 + SHADES.1 * warmth, 1.0, 1.0 - SHADES.1 * warmth);
    ((1.0 + SHADES.0 * brightness) * tint * color).min(Vec3::ONE)
}
