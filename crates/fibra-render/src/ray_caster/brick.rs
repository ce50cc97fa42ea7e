//! Intersection of rays with oriented boxes.
//!
//! Like the other solids, a box is hit only from outside: a ray that starts inside leaves without a hit.

use super::shape::Ray;
use glam::{Quat, Vec3};

/// An oriented box in compact form. There may be millions of shapes, so it must not be larger than a triangle or a cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brick {
    center: Vec3,
    half_extents: Vec3,
    /// Vector part of the rotation's unit quaternion, whose scalar part is not negative.
    rotation_xyz: Vec3,
}

impl Brick {
    /// Creates a box. `rotation` is a unit quaternion that maps the coordinate axes to the axes of the box.
    pub fn new(center: Vec3, rotation: Quat, half_extents: Vec3) -> Brick {
        let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
        Brick { center, half_extents, rotation_xyz: rotation.xyz() }
    }

    fn rotation(&self) -> Quat {
        let w = (1.0 - self.rotation_xyz.length_squared()).max(0.0).sqrt();
        Quat::from_vec4(self.rotation_xyz.extend(w))
    }

    /// Returns half the edge lengths of the axis-aligned bounding box [m].
    pub fn reach(&self) -> Vec3 {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| (self.rotation() * axis).abs());
        (0..3).map(|k| self.half_extents[k] * axes[k]).sum()
    }

    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Returns the distance at which a ray enters the box.
    #[inline]
    pub fn hit(&self, ray: &Ray) -> Option<f32> {
        // Distances are measured from the point of the ray nearest to the center, which preserves precision for distant grains.
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
            // A component of exactly 0 could give 0 times infinity.
            let d = direction[k];
            let inverse = 1.0 / if d.abs() < 1e-12 { 1e-12f32.copysign(d) } else { d };
            let (a, b) = ((-self.half_extents[k] - origin[k]) * inverse, (self.half_extents[k] - origin[k]) * inverse);
            entry = entry.max(a.min(b));
            exit = exit.min(a.max(b));
        }
        (entry <= exit).then_some(shift + entry)
    }

    /// Returns the outward unit normal of the face that contains a point of the surface.
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
    fn hits_agree_with_ray_marching() {
        let mut random = Random::new(31);
        let mut hits = 0;
        for case in 0..2000 {
            let half = Vec3::new(random.between(0.01, 0.5), random.between(0.01, 0.5), random.between(0.01, 0.5));
            let rotation = Quat::from_scaled_axis(3.0 * random.vector());
            let brick = Brick::new(random.vector(), rotation, half);
            let origin = brick.center() + 4.0 * random.vector().normalize();
            let aim = brick.center() + rotation * (1.5 * half * random.vector());
            let ray = Ray { origin, direction: (aim - origin).normalize() };
            // Ray marching finds the first point inside.
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
                // The path through a corner is shorter than a marching step.
                (Some(t), None) => assert!(!inside(t + 3e-3), "case {case}"),
                (None, Some(_)) => panic!("case {case}: missed"),
            }
            let from_inside = Ray { origin: brick.center(), direction: ray.direction };
            assert!(brick.hit(&from_inside).unwrap() < 0.0, "a ray from inside hits the box");
        }
        assert!(hits > 500, "{hits}");
    }
}
