//! Where a ray meets a box that lies any way round.
//!
//! Like the other solids it is seen from outside only: a ray that starts inside leaves it unhindered.

use super::shape::Ray;
use glam::{Quat, Vec3};

/// A box in the form that is kept for every ray: no larger than a triangle or a cone, of which there may be millions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brick {
    center: Vec3,
    half_extents: Vec3,
    /// The first three numbers of the rotation's quaternion; the fourth is positive, and makes its length 1.
    turn: Vec3,
}

impl Brick {
    /// The box of half the edge lengths `half_extents` [m] along the axes that a unit quaternion turns the coordinate axes to.
    pub fn new(center: Vec3, rotation: Quat, half_extents: Vec3) -> Brick {
        let turn = if rotation.w < 0.0 { -rotation } else { rotation };
        Brick { center, half_extents, turn: turn.xyz() }
    }

    fn rotation(&self) -> Quat {
        let w = (1.0 - self.turn.length_squared()).max(0.0).sqrt();
        Quat::from_vec4(self.turn.extend(w))
    }

    /// Half of the edge lengths of the upright box about it [m].
    pub fn reach(&self) -> Vec3 {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| (self.rotation() * axis).abs());
        (0..3).map(|k| self.half_extents[k] * axes[k]).sum()
    }

    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Distance at which a ray enters.
    #[inline]
    pub fn hit(&self, ray: &Ray) -> Option<f32> {
        // Counted from the ray's point nearest the center: a grain seen from afar keeps its digits.
        let to_center = self.center - ray.origin;
        let shift = to_center.dot(ray.direction);
        let miss = shift * ray.direction - to_center;
        if miss.length_squared() > self.half_extents.length_squared() {
            return None;
        }
        let back = self.rotation().conjugate();
        let (origin, direction) = (back * miss, back * ray.direction);
        let (mut entry, mut exit) = (f32::NEG_INFINITY, f32::INFINITY);
        for k in 0..3 {
            // A direction of exactly 0 would make 0 times infinity.
            let d = direction[k];
            let inverse = 1.0 / if d.abs() < 1e-12 { 1e-12f32.copysign(d) } else { d };
            let (a, b) = ((-self.half_extents[k] - origin[k]) * inverse, (self.half_extents[k] - origin[k]) * inverse);
            entry = entry.max(a.min(b));
            exit = exit.min(a.max(b));
        }
        (entry <= exit).then_some(shift + entry)
    }

    /// Outward unit normal of the face that a point of the surface lies on.
    pub fn normal(&self, point: Vec3) -> Vec3 {
        let rotation = self.rotation();
        let local = rotation.conjugate() * (point - self.center) / self.half_extents;
        let face = local.abs().max_position();
        let mut normal = Vec3::ZERO;
        normal[face] = 1f32.copysign(local[face]);
        (rotation * normal).normalize_or(Vec3::Y)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sampler::Random;
    use super::*;

    #[test]
    fn rays_enter_through_the_face_they_aim_at() {
        let mut random = Random::new(31);
        let mut hits = 0;
        for case in 0..2000 {
            let half = Vec3::new(random.between(0.01, 0.5), random.between(0.01, 0.5), random.between(0.01, 0.5));
            let rotation = Quat::from_scaled_axis(3.0 * random.vector());
            let brick = Brick::new(random.vector(), rotation, half);
            let origin = brick.center() + 4.0 * random.vector().normalize();
            let aim = brick.center() + rotation * (1.5 * half * random.vector());
            let ray = Ray { origin, direction: (aim - origin).normalize() };
            // Marching along the ray: the first place inside.
            let inside = |t: f32| {
                let local = rotation.inverse() * (ray.at(t) - brick.center());
                local.abs().cmple(half).all()
            };
            let marched = (0..8000).map(|k| 0.001 * k as f32).find(|&t| inside(t));
            match (brick.hit(&ray), marched) {
                (Some(t), Some(near)) => {
                    hits += 1;
                    assert!((t - near).abs() < 2e-3, "case {case}: {t}, not {near}");
                    let normal = brick.normal(ray.at(t));
                    let local = rotation.inverse() * (ray.at(t) - brick.center());
                    let side = rotation.inverse() * normal;
                    assert!(normal.dot(ray.direction) < 1e-3, "case {case}");
                    assert!((local.dot(side) - half.dot(side.abs())).abs() < 1e-4, "case {case}: {local} of {half}");
                    assert!((ray.at(t) - brick.center()).abs().cmple(brick.reach() + 1e-4).all(), "case {case}");
                }
                (None, None) => {}
                // Corners that are cut by less than the march sees.
                (Some(t), None) => assert!(!inside(t + 3e-3), "case {case}"),
                (None, Some(_)) => panic!("case {case}: missed"),
            }
            let from_inside = Ray { origin: brick.center(), direction: ray.direction };
            assert!(brick.hit(&from_inside).unwrap() < 0.0, "leaves unhindered");
        }
        assert!(hits > 500, "{hits}");
    }
}
