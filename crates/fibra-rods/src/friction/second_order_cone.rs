//! Algebra of the second-order cone `|x_T| <= x_N`, for interior-point methods [Alizadeh2003]. Vectors are ordered normal, tangent, tangent.

use super::cone::{join, tangent};
use glam::{DMat3, DVec3};

/// Returns the Jordan product `x o y = (x . y, x_N y_T + y_N x_T)`.
pub fn product(x: DVec3, y: DVec3) -> DVec3 {
    join(x.dot(y), x.x * tangent(y) + y.x * tangent(x))
}

/// Returns the solution `y` of `x o y = c`, for `x` inside the cone.
pub fn divide(x: DVec3, c: DVec3) -> DVec3 {
    let normal = (x.x * c.x - tangent(x).dot(tangent(c))) / determinant(x);
    join(normal, (tangent(c) - normal * tangent(x)) / x.x)
}

/// Returns `x_N^2 - |x_T|^2`, positive inside the cone.
pub fn determinant(x: DVec3) -> f64 {
    let length = tangent(x).length();
    (x.x - length) * (x.x + length)
}

/// Returns the largest step `a` for which `x + a d` is in the cone, for `x` inside the cone.
pub fn longest_step(x: DVec3, d: DVec3) -> f64 {
    // The positive root of `det(x) + 2 half a + det(d) a^2`.
    let half = x.x * d.x - tangent(x).dot(tangent(d));
    let (constant, square) = (determinant(x), determinant(d));
    // Not negative, up to rounding, because `x` is inside the cone.
    let discriminant = (half * half - constant * square).max(0.0);
    if half >= 0.0 && square >= 0.0 {
        return f64::INFINITY;
    }
    // The form without cancellation.
    if half > 0.0 { (half + discriminant.sqrt()) / -square } else { constant / (discriminant.sqrt() - half) }
}

/// Nesterov-Todd scaling of two vectors inside the cone: the symmetric matrix `V` that maps `x` to the same vector as
/// its inverse maps `y`, `V x = V^-1 y`.
#[derive(Clone, Copy, Debug)]
pub struct Scaling {
    /// Direction, with determinant 1.
    w: DVec3,
    size: f64,
}

impl Scaling {
    /// Computes the scaling of two vectors; `None` if one of them is not inside the cone.
    pub fn new(x: DVec3, y: DVec3) -> Option<Scaling> {
        let (det_x, det_y) = (determinant(x), determinant(y));
        if !(det_x > 0.0 && det_y > 0.0 && x.x > 0.0 && y.x > 0.0) {
            return None;
        }
        let (x, y) = (x / det_x.sqrt(), y / det_y.sqrt());
        let w = (y + join(x.x, -tangent(x))) / (2.0 + 2.0 * x.dot(y)).sqrt();
        Some(Scaling { w, size: (det_y / det_x).powf(0.25) })
    }

    /// Returns `V v`.
    pub fn apply(&self, v: DVec3) -> DVec3 {
        boost(self.w, v) * self.size
    }

    /// Returns `V^-1 v`.
    pub fn apply_inverse(&self, v: DVec3) -> DVec3 {
        boost(join(self.w.x, -tangent(self.w)), v) / self.size
    }

    /// Returns `V^2`, which maps `x` to `y`.
    pub fn square(&self) -> DMat3 {
        quadratic(self.w) * (self.size * self.size)
    }

    /// Returns `V^-2`, which maps `y` to `x`.
    pub fn inverse_square(&self) -> DMat3 {
        quadratic(join(self.w.x, -tangent(self.w))) * (self.size * self.size).recip()
    }
}

/// Returns `2 w w^T - diag(1, -1, -1)`.
fn quadratic(w: DVec3) -> DMat3 {
    let reflection = DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0));
    DMat3::from_cols(2.0 * w * w.x, 2.0 * w * w.y, 2.0 * w * w.z) - reflection
}

/// Returns `[w_N w_T^T; w_T I + w_T w_T^T / (1 + w_N)] v`, whose square is `2 w w^T - diag(1, -1, -1)`.
fn boost(w: DVec3, v: DVec3) -> DVec3 {
    let along = tangent(w).dot(tangent(v));
    join(w.x * v.x + along, tangent(v) + tangent(w) * (v.x + along / (1.0 + w.x)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    /// A vector inside the cone; the distance to its boundary spans orders of magnitude.
    fn inside(rng: &CounterRng, i: u64, k: u64) -> DVec3 {
        let t = 2.0 * tangent(rng.uniform_in_cube([i, k, 0])) - glam::DVec2::ONE;
        join(t.length() + 10f64.powf(-4.0 * rng.uniform(&[i, k, 1])), t)
    }

    #[test]
    fn division_inverts_the_product() {
        let rng = CounterRng::new(1);
        for i in 0..1000 {
            let (x, y) = (inside(&rng, i, 0), 2.0 * rng.uniform_in_cube([i, 1, 0]) - DVec3::ONE);
            assert!((divide(x, product(x, y)) - y).length() < 1e-10, "{x} {y}");
        }
    }

    #[test]
    fn the_longest_step_ends_on_the_boundary() {
        let rng = CounterRng::new(2);
        let mut bounded = 0;
        for i in 0..2000 {
            let (x, d) = (inside(&rng, i, 0), 4.0 * rng.uniform_in_cube([i, 1, 0]) - DVec3::splat(2.0));
            let a = longest_step(x, d);
            let margin = |a: f64| {
                let v = x + a * d;
                v.x - tangent(v).length()
            };
            if a.is_finite() {
                bounded += 1;
                assert!(a > 0.0 && margin(a).abs() < 1e-9 * (1.0 + a), "{x} {d} {a}");
                assert!(margin(0.99 * a) > 0.0 && margin(1.01 * a) < 0.0);
            } else {
                assert!([1e-3, 1.0, 1e3].map(margin).into_iter().all(|margin| margin > 0.0), "{x} {d}");
            }
        }
        assert!(bounded > 500 && bounded < 1900, "{bounded}");
    }

    /// The discriminant is then zero. Its rounding error, about 1e-16, must not hide the boundary; it changes the step by its root.
    #[test]
    fn steps_along_the_axis_end_at_the_tip() {
        let rng = CounterRng::new(4);
        for i in 0..1000 {
            let (x, d) = (rng.uniform(&[i, 0]) + 1e-3, rng.uniform(&[i, 1]) + 1e-3);
            let a = longest_step(DVec3::X * x, DVec3::X * -d);
            assert!((a * d - x).abs() < 1e-7 * x, "{x} {d}");
        }
    }

    #[test]
    fn scalings_map_both_vectors_to_the_same_vector() {
        let rng = CounterRng::new(3);
        for i in 0..1000 {
            let (x, y) = (inside(&rng, i, 0), inside(&rng, i, 1));
            let scaling = Scaling::new(x, y).unwrap();
            let scaled = scaling.apply(x);
            assert!((scaled - scaling.apply_inverse(y)).length() < 1e-9 * scaled.length(), "{x} {y}");
            assert!((scaling.square() * x - y).length() < 1e-8 * y.length(), "{x} {y}");
            assert!((scaling.inverse_square() * y - x).length() < 1e-8 * x.length(), "{x} {y}");
            assert!((scaling.apply(scaling.apply(x)) - y).length() < 1e-8 * y.length());
        }
        assert!(Scaling::new(DVec3::new(1.0, 1.0, 0.0), DVec3::X).is_none());
        assert!(Scaling::new(DVec3::X, DVec3::NAN).is_none());
    }
}
