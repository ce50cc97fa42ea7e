//! Directors of edges, and how they are carried along.

use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// A unit vector perpendicular to `t`.
pub fn any_director(t: DVec3) -> DVec3 {
    t.any_orthonormal_vector()
}

/// Carries a director from one tangent to another by the smallest rotation between them [Bergou2008].
pub fn transport(director: DVec3, from: DVec3, to: DVec3) -> DVec3 {
    let carried = DQuat::from_rotation_arc(from, to) * director;
    // Rounding must not add up over many steps.
    (carried - carried.dot(to) * to).normalize()
}

/// Angle from `a` to `b` about `axis`, all of them unit vectors and `axis` perpendicular to both, in (-pi, pi] [rad].
pub fn angle(a: DVec3, b: DVec3, axis: DVec3) -> f64 {
    a.cross(b).dot(axis).atan2(a.dot(b))
}

/// Of all angles that differ from `angle` by full turns the one nearest to `near` [rad].
pub fn nearest_turn(angle: f64, near: f64) -> f64 {
    angle + TAU * ((near - angle) / TAU).round()
}

/// The two directors of a frame with first director `d1`, turned by `theta` about the tangent.
pub fn turned(d1: DVec3, t: DVec3, theta: f64) -> [DVec3; 2] {
    let (sin, cos) = theta.sin_cos();
    let d2 = t.cross(d1);
    [cos * d1 + sin * d2, cos * d2 - sin * d1]
}
