//! References for the laws: plain `f64` matrices, singular values, energies, and random deformations.

use super::super::{Cloth, Fiber, Lame};
use crate::law::{Law, Response, Trial};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::random::CounterRng;
use glam::{DMat3, DQuat, DVec3};

/// Young's modulus 1e5 Pa, Poisson's ratio 0.3.
pub fn lame() -> Lame {
    Lame::new(1e5, 0.3)
}

/// Returns the law's response to a prescribed deformation.
pub fn static_response(law: &impl Law, f: &Mat3, memory: f32) -> Response {
    law.respond(&Trial { f: *f, grad_v: Mat3::ZERO, memory, dt: 0.0 })
}

/// The exact `f64` copy of a matrix.
pub fn wide(m: &Mat3) -> DMat3 {
    let rows = m.to_rows().map(f64::from);
    DMat3::from_cols_array(&rows).transpose()
}

/// A matrix rounded to `f32`.
pub fn narrow(m: DMat3) -> Mat3 {
    Mat3::from_rows(m.transpose().to_cols_array().map(|x| x as f32))
}

/// A symmetric matrix in `f64`.
pub fn wide_symmetric(s: &Sym3) -> DMat3 {
    wide(&s.to_mat3())
}

/// Largest absolute entry.
pub fn largest(m: DMat3) -> f64 {
    m.to_cols_array().into_iter().fold(0.0, |a, b| a.max(b.abs()))
}

/// Singular values, largest first, the last one negative when `m` reflects: square roots of the eigenvalues of
/// `m^T m`, found by Jacobi rotations. Accurate to 1e-8 of the largest singular value in the worst case.
pub fn singular_values(m: DMat3) -> [f64; 3] {
    let mut s = m.transpose() * m;
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let angle = 0.5 * f64::atan2(2.0 * s.col(q)[p], s.col(p)[p] - s.col(q)[q]);
            let axis = [DVec3::Z, DVec3::NEG_Y, DVec3::X][p + q - 1];
            let turn = DMat3::from_axis_angle(axis, angle);
            s = turn.transpose() * s * turn;
        }
    }
    let mut sigma = [0, 1, 2].map(|k| s.col(k)[k].max(0.0).sqrt());
    sigma.sort_by(|a, b| b.total_cmp(a));
    sigma[2] *= m.determinant().signum();
    sigma
}

/// Returns the condition number of `m`.
pub fn condition(m: DMat3) -> f64 {
    let sigma = singular_values(m);
    sigma[0] / sigma[2].abs()
}

/// `mu sum (sigma - 1)^2 + lambda/2 (J - 1)^2`
pub fn fixed_corotated(f: DMat3, mu: f64, lambda: f64) -> f64 {
    let j = f.determinant();
    singular_values(f).iter().map(|s| mu * (s - 1.0).powi(2)).sum::<f64>() + 0.5 * lambda * (j - 1.0).powi(2)
}

/// `mu sum (sigma - 1)^2 + lambda/2 (sum (sigma - 1))^2`
pub fn corotated_linear(f: DMat3, mu: f64, lambda: f64) -> f64 {
    let strain = singular_values(f).map(|s| s - 1.0);
    mu * strain.iter().map(|e| e * e).sum::<f64>() + 0.5 * lambda * strain.iter().sum::<f64>().powi(2)
}

/// `mu/2 (|F|^2 - 3) - mu ln J + lambda/2 (ln J)^2`, with the logarithm continued by its tangent below 1e-3.
pub fn neo_hookean(f: DMat3, mu: f64, lambda: f64) -> f64 {
    let j = f.determinant();
    let log_j = if j < 1e-3 { 1e-3f64.ln() + j / 1e-3 - 1.0 } else { j.ln() };
    let squares: f64 = f.to_cols_array().iter().map(|x| x * x).sum();
    0.5 * mu * (squares - 3.0) - mu * log_j + 0.5 * lambda * log_j * log_j
}

/// The logarithm, continued by its tangent below 0.05.
fn log_stretch(s: f64) -> f64 {
    if s < 0.05 { 0.05f64.ln() + s / 0.05 - 1.0 } else { s.ln() }
}

/// `mu sum ln^2 sigma + lambda/2 (sum ln sigma)^2`, with logarithms continued by their tangents below 0.05.
pub fn hencky(f: DMat3, mu: f64, lambda: f64) -> f64 {
    let strain = singular_values(f).map(log_stretch);
    mu * strain.iter().map(|e| e * e).sum::<f64>() + 0.5 * lambda * strain.iter().sum::<f64>().powi(2)
}

/// `d psi / d F` by central differences.
pub fn gradient(psi: impl Fn(DMat3) -> f64, f: DMat3) -> DMat3 {
    // The step balances a truncation error of h^2 against a rounding error of 1e-16 / h.
    let h = 1e-5 * singular_values(f)[2].abs().min(1.0);
    entrywise(|nudge| (psi(f + nudge * h) - psi(f - nudge * h)) / (2.0 * h))
}

/// `(d psi / d F) F^T` by central differences.
pub fn stress(psi: impl Fn(DMat3) -> f64, f: DMat3) -> DMat3 {
    gradient(psi, f) * f.transpose()
}

/// Returns the change of `d psi / d F` in a direction, by central differences with a step relative to the smallest singular value.
/// The truncation error of these second differences is the step squared, or the step itself where the third derivative jumps. The
/// rounding error is 1e-16 over the squared step, and larger where a small singular value is the root of an eigenvalue.
pub fn gradient_change(psi: impl Fn(DMat3) -> f64, f: DMat3, change: DMat3, step: f64) -> DMat3 {
    let h = step * singular_values(f)[2].abs().min(1.0);
    let mixed =
        |a: DMat3, b: DMat3| psi(f + (a + b) * h) - psi(f + (a - b) * h) - psi(f + (b - a) * h) + psi(f - (a + b) * h);
    entrywise(|nudge| mixed(nudge, change) / (4.0 * h * h))
}

/// Builds a matrix from the values of a function on the nine matrices with a single entry 1.
fn entrywise(of: impl Fn(DMat3) -> f64) -> DMat3 {
    let mut m = DMat3::ZERO;
    for column in 0..3 {
        for row in 0..3 {
            let mut nudge = DMat3::ZERO;
            nudge.col_mut(column)[row] = 1.0;
            m.col_mut(column)[row] = of(nudge);
        }
    }
    m
}

/// Returns `R` of `d = Q R` by the Gram-Schmidt process; `Q` is a rotation.
pub fn triangular(d: DMat3) -> DMat3 {
    let q1 = d.x_axis.normalize();
    let q2 = (d.y_axis - q1 * q1.dot(d.y_axis)).normalize();
    let q = DMat3::from_cols(q1, q2, q1.cross(q2));
    q.transpose() * d
}

/// Returns sum and difference of the singular values of `[a b; 0 c]`: their squares sum to `a^2 + b^2 + c^2`, their product is `a c`.
fn sum_and_difference(a: f64, b: f64, c: f64) -> (f64, f64) {
    let squares = a * a + b * b + c * c;
    ((squares + 2.0 * a * c).sqrt(), (squares - 2.0 * a * c).max(0.0).sqrt())
}

/// `k/2 (r11 - 1)^2 + gamma/2 (r12^2 + r13^2)` and Hencky's energy of the cross-section `[r22 r23; 0 r33]`, with logarithms
/// continued by their tangents below 0.05.
pub fn fiber(law: &Fiber, d: DMat3) -> f64 {
    let (k, gamma) = (f64::from(law.stiffness), f64::from(law.shear_stiffness));
    let (mu, lambda) = (f64::from(law.lame.mu), f64::from(law.lame.lambda));
    let r = triangular(d);
    let (sum, difference) = sum_and_difference(r.y_axis.y, r.z_axis.y, r.z_axis.z);
    let (e1, e2) = (log_stretch(0.5 * (sum + difference)), log_stretch(0.5 * (sum - difference)));
    0.5 * k * (r.x_axis.x - 1.0).powi(2)
        + 0.5 * gamma * (r.y_axis.x.powi(2) + r.z_axis.x.powi(2))
        + mu * (e1 * e1 + e2 * e2)
        + 0.5 * lambda * (e1 + e2).powi(2)
}

/// `f(r33) + gamma/2 (r13^2 + r23^2)` and fixed corotated energy of the surface `[r11 r12; 0 r22]`, with
/// `f = k/3 (1 - r33)^3` below 1.
pub fn cloth(law: &Cloth, d: DMat3) -> f64 {
    let (k, gamma) = (f64::from(law.normal_stiffness), f64::from(law.shear_stiffness));
    let (mu, lambda) = (f64::from(law.lame.mu), f64::from(law.lame.lambda));
    let r = triangular(d);
    let (sum, difference) = sum_and_difference(r.x_axis.x, r.y_axis.x, r.y_axis.y);
    let (s1, s2) = (0.5 * (sum + difference), 0.5 * (sum - difference));
    k / 3.0 * (1.0 - r.z_axis.z).max(0.0).powi(3)
        + 0.5 * gamma * (r.z_axis.x.powi(2) + r.z_axis.y.powi(2))
        + mu * ((s1 - 1.0).powi(2) + (s2 - 1.0).powi(2))
        + 0.5 * lambda * (s1 * s2 - 1.0).powi(2)
}

/// Random rotations and stretches, one for each index.
pub struct Draw {
    rng: CounterRng,
}

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw { rng: CounterRng::new(seed) }
    }

    /// A uniform number between two.
    pub fn between(&self, [from, to]: [f64; 2], index: &[u64]) -> f64 {
        from + (to - from) * self.rng.uniform(index)
    }

    /// Returns a random unit vector. Directions near the diagonals are slightly too frequent, which does not matter here.
    pub fn direction(&self, index: u64, which: u64) -> DVec3 {
        let c = |k| self.between([-1.0, 1.0], &[index, which, k]);
        DVec3::new(c(0), c(1), c(2)).normalize()
    }

    /// Returns a rotation by a random angle of up to 180 degrees.
    pub fn rotation(&self, index: u64, which: u64) -> DMat3 {
        let half_turn = std::f64::consts::PI;
        let angle = self.between([-half_turn, half_turn], &[index, which, 3]);
        DMat3::from_quat(DQuat::from_axis_angle(self.direction(index, which), angle))
    }

    /// Random entries between two bounds.
    pub fn matrix(&self, range: [f64; 2], index: u64) -> Mat3 {
        Mat3::from_rows(std::array::from_fn(|k| self.between(range, &[index, 90, k as u64]) as f32))
    }

    /// `U diag(s) V^T` with random rotations and the logarithms of `s` uniform in the range given.
    pub fn deformation(&self, [low, high]: [f64; 2], index: u64) -> Mat3 {
        let s = [0, 1, 2].map(|k| self.between([low.ln(), high.ln()], &[index, 91, k]).exp());
        self.stretched(s, index)
    }

    /// `U diag(s) V^T` with random rotations.
    pub fn stretched(&self, s: [f64; 3], index: u64) -> Mat3 {
        let s = DMat3::from_diagonal(DVec3::from_array(s));
        narrow(self.rotation(index, 92) * s * self.rotation(index, 93).transpose())
    }
}

#[test]
fn singular_values_are_recovered() {
    let draw = Draw::new(1);
    for (i, s) in [[3.0, 2.0, 1.0], [1.0, 1.0, 1.0], [2.0, 2.0, -0.5], [1.0, 0.1, 1e-3]].into_iter().enumerate() {
        let d = DMat3::from_diagonal(DVec3::from_array(s));
        let m = draw.rotation(i as u64, 0) * d * draw.rotation(i as u64, 1);
        for (a, b) in singular_values(m).into_iter().zip(s) {
            assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        }
    }
}
