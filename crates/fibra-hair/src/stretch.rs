//! Stretching of one edge: `EA / (2 l) (|e| - l)^2`, where `l` is the rest length [Huang2023, Eq. 1].
//!
//! The step linearizes the length, as [`fibra_core::rod_joint`] does for its residuals. In addition, it keeps the geometric stiffness of tension
//! against rotating the edge, which is never negative. The geometric stiffness of compression is omitted.

use fibra_core::rod_joint::outer;
use glam::{Mat3, Vec3};

/// Current and rest state of an edge.
#[derive(Clone, Copy, Debug)]
pub struct StretchedEdge {
    /// Vector from the first vertex to the second [m].
    pub edge: Vec3,
    /// Rest length [m].
    pub length: f32,
    /// `EA / l` [N/m].
    pub stiffness: f32,
}

impl StretchedEdge {
    /// Returns the elastic energy [J].
    pub fn energy(&self) -> f32 {
        0.5 * self.stiffness * (self.edge.length() - self.length).powi(2)
    }

    /// Returns the contribution to a step of length `h` [s] from a trial rate of change [m/s]: an impulse on the edge [N s] and a matrix [kg].
    #[inline(always)]
    pub fn system(&self, rate: Vec3, h: f32) -> (Vec3, Mat3) {
        let now = self.edge.length();
        let inverse = 1.0 / if now > 1e-12 { now } else { 1e-12 };
        let t = self.edge * inverse;
        let excess = now - self.length;
        let tension = self.stiffness * if excess > 0.0 { excess * inverse } else { 0.0 };
        let along = rate.dot(t);
        let across = rate - along * t;
        let impulse = -h * (self.stiffness * (excess + h * along) * t + h * tension * across);
        let turning = h * h * tension;
        let matrix = outer((h * h * self.stiffness - turning) * t, t) + Mat3::from_diagonal(Vec3::splat(turning));
        (impulse, matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;
    use glam::{DMat3, DVec3};

    fn force(e: DVec3) -> DVec3 {
        -2.5 * (e.length() - 1.0) * e.normalize()
    }

    /// Under tension, force and matrix are exact. Under compression, the matrix has no transverse stiffness.
    #[test]
    fn force_and_stiffness_agree_with_finite_differences() {
        for seed in 0..100 {
            let rng = CounterRng::new(seed);
            let vector = |k: u64| (2.0 * rng.uniform_in_cube([k, 0, 0]) - DVec3::ONE).as_vec3();
            let edge = StretchedEdge { edge: vector(0), length: 1.0, stiffness: 2.5 };
            let (e, rate, h) = (edge.edge.as_dvec3(), vector(1), 0.3);
            let step = 1e-5;
            let energy = |e: DVec3| 1.25 * (e.length() - 1.0).powi(2);
            let by_difference =
                DVec3::from_array([0, 1, 2].map(|i| step * DVec3::AXES[i]).map(|d| energy(e - d) - energy(e + d)));
            assert!((by_difference / (2.0 * step)).distance(force(e)) < 1e-6);
            let columns =
                [0, 1, 2].map(|i| step * DVec3::AXES[i]).map(|d| (force(e - d) - force(e + d)) / (2.0 * step));
            let t = e.normalize();
            let stiffness = if e.length() > 1.0 {
                DMat3::from_cols_array_2d(&columns.map(|c| c.to_array()))
            } else {
                2.5 * DMat3::from_cols(t * t.x, t * t.y, t * t.z)
            };
            let (impulse, matrix) = edge.system(rate, h);
            let h = f64::from(h);
            let expected = h * (force(e) - h * (stiffness * rate.as_dvec3()));
            assert!(impulse.as_dvec3().distance(expected) < 3e-6, "{impulse} {expected}");
            assert!(matrix.as_dmat3().abs_diff_eq(h * h * stiffness, 1e-6), "{seed}");
            assert!((f64::from(edge.energy()) - energy(e)).abs() < 1e-6);
        }
    }
}
