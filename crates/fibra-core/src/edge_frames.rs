//! Parallel transport of edge directors. The code is branch-free so that it vectorizes.

use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// Transports a director from one tangent to another by the smallest rotation between them [Bergou2008]. Normalizes the result and makes it
/// perpendicular to the new tangent, so that rounding does not accumulate.
#[inline(always)]
pub fn transport(director: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    // Rotation about b = from x to by the angle with cosine c: d -> c d + b x d + (b . d) b / (1 + c).
    let b = from.cross(to);
    let c = from.dot(to);
    // |from + to|^2 / 2 computes 1 + c without cancellation for nearly opposite tangents. For opposite tangents, a half turn about any perpendicular axis is valid.
    let opening = 0.5 * (from + to).length_squared();
    let opening = if opening > 1e-10 { opening } else { 1e-10 };
    let carried = c * director + b.cross(director) + (b.dot(director) / opening) * b;
    perpendicular(carried, to)
}

/// Returns the unit vector perpendicular to the tangent that is nearest to `v`, or any perpendicular unit vector if `v` is parallel to the tangent.
/// The result is finite for any finite `v` that is not huge and any tangent of length one or zero.
#[inline(always)]
pub fn perpendicular(v: Vec3, tangent: Vec3) -> Vec3 {
    let across = v - v.dot(tangent) * tangent;
    // An axis that is not along the tangent.
    let axis = if tangent.x.abs() < 0.7 { Vec3::X } else { Vec3::Y };
    let other = axis - axis.dot(tangent) * tangent;
    let chosen = if across.length_squared() > 1e-6 { across } else { other };
    chosen * (1.0 / chosen.length())
}

/// Rotates a director about its tangent by an angle [rad]. The result is a rotation for any angle. The angle is exact to `f32` up to a quarter turn,
/// accurate to 1e-3 up to half a turn, and inaccurate beyond.
#[inline(always)]
pub fn rotated(director: Vec3, tangent: Vec3, angle: f32) -> Vec3 {
    // Pade approximation of order (5, 4) of the tangent of half the angle: tan(x) = p / q.
    let x = 0.5 * angle.clamp(-TAU, TAU);
    let y = x * x;
    let (p, q) = (x * (945.0 + y * (y - 105.0)), 945.0 + y * (15.0 * y - 420.0));
    let scale = 1.0 / (p * p + q * q);
    let (cos, sin) = ((q * q - p * p) * scale, 2.0 * p * q * scale);
    cos * director + sin * tangent.cross(director)
}

/// Returns the angle from `a` to `b` about `axis` in [-pi, pi] [rad]. All are unit vectors, and `axis` is perpendicular to the others.
#[inline(always)]
pub fn angle(a: Vec3, b: Vec3, axis: Vec3) -> f32 {
    atan2(a.cross(b).dot(axis), a.dot(b))
}

/// Returns the angle nearest to `near` that differs from `angle` by full turns [rad], for less than a million turns.
#[inline(always)]
pub fn nearest_turn(angle: f32, near: f32) -> f32 {
    // Adding 1.5 * 2^23 rounds to an integer.
    const ROUND: f32 = 12_582_912.0;
    let turns = ((near - angle) * (1.0 / TAU) + ROUND) - ROUND;
    angle + TAU * turns
}

/// Returns the angle of the point `(x, y)` in [-pi, pi], within 4e-7; zero at the origin [rad].
#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let (small, large) = if ax < ay { (ax, ay) } else { (ay, ax) };
    let z = small / if large > f32::MIN_POSITIVE { large } else { f32::MIN_POSITIVE };
    // atan(z) / z on [0, 1] [Abramowitz1964, 4.4.49].
    let q = z * z;
    let p = 0.002_866_225_7;
    let p = p * q - 0.016_165_737;
    let p = p * q + 0.042_909_614;
    let p = p * q - 0.075_289_64;
    let p = p * q + 0.106_562_64;
    let p = p * q - 0.142_089;
    let p = p * q + 0.199_935_51;
    let p = p * q - 0.333_331_45;
    let first = z + z * (p * q);
    let second = if ax < ay { FRAC_PI_2 - first } else { first };
    let third = if x < 0.0 { PI - second } else { second };
    if y < 0.0 { -third } else { third }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::CounterRng;

    fn unit(rng: CounterRng, k: u64) -> Vec3 {
        (2.0 * rng.uniform_in_cube([k, 0, 0]).as_vec3() - Vec3::ONE).normalize()
    }

    #[test]
    fn angles_agree_with_f64() {
        for i in 0..20_000 {
            let exact = (f64::from(i) / 10_000.0 - 1.0) * std::f64::consts::PI;
            for size in [1e-20, 1.0, 1e10] {
                let (y, x) = ((size * exact.sin()) as f32, (size * exact.cos()) as f32);
                let error = f64::from(atan2(y, x)) - f64::from(y).atan2(f64::from(x));
                assert!(error.abs() < 4e-7, "{exact}: {error}");
            }
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
    }

    #[test]
    fn transport_is_the_smallest_rotation() {
        let rng = CounterRng::new(1);
        for k in 0..1000 {
            let (from, to) = (unit(rng, 3 * k), unit(rng, 3 * k + 1));
            // Applied twice, because for a vector nearly parallel to the tangent the first result is only roughly perpendicular.
            let director = perpendicular(perpendicular(unit(rng, 3 * k + 2), from), from);
            let exact = glam::DQuat::from_rotation_arc(from.as_dvec3().normalize(), to.as_dvec3().normalize())
                * director.as_dvec3();
            // Rounding dominates the direction of the axis as the tangents become opposite.
            let tolerance = 2e-6 / from.as_dvec3().distance(-to.as_dvec3());
            let error = transport(director, from, to).as_dvec3().distance(exact);
            assert!(error < tolerance, "{k}: {error} {tolerance}");
        }
    }

    #[test]
    fn directors_stay_unit_vectors_for_any_input() {
        let rng = CounterRng::new(2);
        for k in 0..200 {
            let from = unit(rng, 2 * k);
            let director = perpendicular(unit(rng, 2 * k + 1), from);
            let nearly_back = (1e-4 * unit(rng, 1000 + k) - from).normalize();
            for to in [-from, nearly_back, from, Vec3::ZERO] {
                let carried = transport(director, from, to);
                assert!((carried.length() - 1.0).abs() < 1e-5 && carried.dot(to).abs() < 1e-5, "{k} {to}");
            }
            let spun = rotated(director, from, 1e18 * rng.uniform(&[k]) as f32);
            assert!((spun.length() - 1.0).abs() < 1e-5);
            for (most, tolerance) in [(FRAC_PI_2, 2e-6), (PI, 1e-3)] {
                let by = most * (2.0 * rng.uniform(&[k]) as f32 - 1.0);
                let exact = by.cos() * director + by.sin() * from.cross(director);
                assert!(rotated(director, from, by).distance(exact) < tolerance, "{by}");
            }
        }
    }

    #[test]
    fn turns_are_counted() {
        assert!((nearest_turn(0.1, 20.0) - (0.1 + 3.0 * TAU)).abs() < 1e-5);
        assert!((nearest_turn(-3.0, 3.0) - (TAU - 3.0)).abs() < 1e-6);
        assert_eq!(nearest_turn(1.0, 1.0), 1.0);
    }
}
