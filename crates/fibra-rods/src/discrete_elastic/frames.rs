//! Directors of edges and their parallel transport.

use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Returns a unit vector perpendicular to `t`.
pub fn any_director(t: DVec3) -> DVec3 {
    t.any_orthonormal_vector()
}

/// Transports a director from one tangent to another by the smallest rotation between them [Bergou2008].
pub fn transport(director: DVec3, from: DVec3, to: DVec3) -> DVec3 {
    let transported = DQuat::from_rotation_arc(from, to) * director;
    // Prevents rounding errors from accumulating over many steps.
    (transported - transported.dot(to) * to).normalize()
}

/// Returns the angle from `a` to `b` about `axis`, in (-pi, pi] [rad]. All three are unit vectors, and `axis` is
/// perpendicular to `a` and `b`.
pub fn angle(a: DVec3, b: DVec3, axis: DVec3) -> f64 {
    a.cross(b).dot(axis).atan2(a.dot(b))
}

/// Returns the angle nearest to `near` among those that differ from `angle` by full turns [rad].
pub fn nearest_turn(angle: f64, near: f64) -> f64 {
    angle + TAU * ((near - angle) / TAU).round()
}

/// Returns both directors of the frame with first director `d1`, rotated by `theta` about the tangent.
pub fn turned(d1: DVec3, t: DVec3, theta: f64) -> [DVec3; 2] {
    let (sin, cos) = theta.sin_cos();
    let d2 = t.cross(d1);
    [cos * d1 + sin * d2, cos * d2 - sin * d1]
}
