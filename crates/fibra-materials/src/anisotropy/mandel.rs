//! Symmetric tensors as vectors of six components, and linear maps between them as 6x6 matrices, in `f64`. They are used
//! only before a run, to compute the maps of a material.
//!
//! Mandel's notation: `(xx, yy, zz, sqrt2 yz, sqrt2 xz, sqrt2 xy)`. It preserves inner products: symmetric maps are symmetric
//! matrices, and the inverse map is the inverse matrix.

use super::super::Lame;

/// A linear map of symmetric tensors in Mandel's notation, in row-major order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix6(pub [[f64; 6]; 6]);

impl Matrix6 {
    /// The identity.
    pub const IDENTITY: Matrix6 = Matrix6::diagonal([1.0; 6]);

    /// A diagonal map.
    pub const fn diagonal(values: [f64; 6]) -> Matrix6 {
        let mut m = [[0.0; 6]; 6];
        let mut i = 0;
        while i < 6 {
            m[i][i] = values[i];
            i += 1;
        }
        Matrix6(m)
    }

    /// Builds a symmetric map from the 21 entries of its upper triangle, row by row.
    pub fn symmetric(upper: &[f64; 21]) -> Matrix6 {
        // The rows before row i have 6, 5, ... entries.
        let at = |i: usize, j: usize| i * (11 - i) / 2 + j;
        Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| upper[at(i.min(j), i.max(j))])))
    }

    /// Returns the upper triangle, row by row.
    pub fn upper(&self) -> [f64; 21] {
        let mut entries = (0..6).flat_map(|i| (i..6).map(move |j| self.0[i][j]));
        std::array::from_fn(|_| entries.next().unwrap_or_default())
    }

    /// Returns the stiffness of an isotropic material: `2 mu E + lambda tr(E) I` [Pa].
    pub fn isotropic(lame: &Lame) -> Matrix6 {
        let (mu, lambda) = (f64::from(lame.mu), f64::from(lame.lambda));
        let mut m = Matrix6::diagonal([2.0 * mu; 6]);
        for i in 0..3 {
            for j in 0..3 {
                m.0[i][j] += lambda;
            }
        }
        m
    }

    /// Returns `self * other`: applies `other` first, then `self`.
    pub fn mul(&self, o: &Matrix6) -> Matrix6 {
        Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| (0..6).map(|k| self.0[i][k] * o.0[k][j]).sum())))
    }

    /// Returns `self + other`.
    pub fn add(&self, o: &Matrix6) -> Matrix6 {
        Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| self.0[i][j] + o.0[i][j])))
    }

    /// Multiplies every entry by `k`.
    pub fn scale(&self, k: f64) -> Matrix6 {
        Matrix6(self.0.map(|row| row.map(|value| k * value)))
    }

    /// Returns the transpose.
    pub fn transpose(&self) -> Matrix6 {
        Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| self.0[j][i])))
    }

    /// Applies the map to a tensor.
    pub fn apply(&self, v: &[f64; 6]) -> [f64; 6] {
        self.0.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    /// Returns the largest absolute value of all entries.
    pub fn largest(&self) -> f64 {
        self.0.iter().flatten().fold(0.0, |a, b| a.max(b.abs()))
    }

    /// Returns the first row whose pivot in the elimination is not clearly positive, or `None` for a positive definite map.
    /// The leading block up to that row is the smallest one that is not positive definite.
    pub fn first_bad_pivot(&self) -> Option<usize> {
        let mut m = self.0;
        for k in 0..6 {
            // Rows may differ in stiffness by orders of magnitude, so each pivot is compared with its own diagonal entry.
            if !(m[k][k] > 1e-9 * self.0[k][k].abs() && m[k][k].is_finite()) {
                return Some(k);
            }
            for i in k + 1..6 {
                let factor = m[i][k] / m[k][k];
                for j in k..6 {
                    m[i][j] -= factor * m[k][j];
                }
            }
        }
        None
    }

    /// Inverts an invertible map by Gauss-Jordan elimination with partial pivoting.
    pub fn inverse(&self) -> Matrix6 {
        let (mut m, mut inverse) = (self.0, Matrix6::IDENTITY.0);
        for k in 0..6 {
            let best = (k..6).fold(k, |best, i| if m[i][k].abs() > m[best][k].abs() { i } else { best });
            m.swap(k, best);
            inverse.swap(k, best);
            let pivot = 1.0 / m[k][k];
            m[k] = m[k].map(|value| value * pivot);
            inverse[k] = inverse[k].map(|value| value * pivot);
            for i in (0..6).filter(|&i| i != k) {
                let factor = m[i][k];
                for j in 0..6 {
                    m[i][j] -= factor * m[k][j];
                    inverse[i][j] -= factor * inverse[k][j];
                }
            }
        }
        Matrix6(inverse)
    }

    /// Returns the positive definite `B` with `B self B = other`, for positive definite `self` and `other`: the geometric mean of
    /// `other` and the inverse of `self`.
    ///
    /// Computed as the limit of the arithmetic-harmonic mean iteration, which converges quadratically.
    pub fn congruence_to(&self, other: &Matrix6) -> Matrix6 {
        let (mut a, mut b) = (self.inverse(), *other);
        // The iteration converges fastest if both matrices start with the same magnitude.
        let scale = (b.largest() / a.largest()).sqrt();
        (a, b) = (a.scale(scale), b.scale(1.0 / scale));
        for _ in 0..64 {
            let arithmetic = a.add(&b).scale(0.5);
            let harmonic = a.inverse().add(&b.inverse()).inverse().scale(2.0);
            let gap = arithmetic.add(&harmonic.scale(-1.0)).largest();
            (a, b) = (arithmetic, harmonic);
            if gap <= 1e-15 * a.largest() {
                break;
            }
        }
        a.add(&a.transpose()).scale(0.5)
    }

    /// Returns the modulus of the fastest wave in a material with this stiffness [Pa]. This is the largest eigenvalue of the
    /// acoustic tensor `n C n` over all directions `n`.
    pub fn wave_modulus(&self) -> f64 {
        // Directions on a spiral over a hemisphere. Between neighboring directions the modulus changes by less than one percent,
        // which the safety margin covers.
        const DIRECTIONS: usize = 800;
        let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let along = |k: usize| {
            let z = (k as f64 + 0.5) / DIRECTIONS as f64;
            let (sin, cos) = (golden * k as f64).sin_cos();
            let r = (1.0 - z * z).sqrt();
            self.largest_acoustic([r * cos, r * sin, z])
        };
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|n| self.largest_acoustic(n));
        (0..DIRECTIONS).map(along).chain(axes).fold(0.0, f64::max)
    }

    fn largest_acoustic(&self, n: [f64; 3]) -> f64 {
        // The strain of a wave that propagates along n and is polarized along e: sym(n e^T).
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let strain = |e: usize| -> [f64; 6] {
            let u: [f64; 3] = std::array::from_fn(|a| if a == e { 1.0 } else { 0.0 });
            let pair = |a: usize, b: usize| h * (n[a] * u[b] + n[b] * u[a]);
            [n[0] * u[0], n[1] * u[1], n[2] * u[2], pair(1, 2), pair(0, 2), pair(0, 1)]
        };
        let strains = [strain(0), strain(1), strain(2)];
        let stresses = strains.map(|e| self.apply(&e));
        let acoustic = |i: usize, j: usize| -> f64 { strains[i].iter().zip(&stresses[j]).map(|(a, b)| a * b).sum() };
        let m = glam::DMat3::from_cols_array_2d(&std::array::from_fn(|i| std::array::from_fn(|j| acoustic(i, j))));
        largest_eigenvalue(&m)
    }
}

/// Returns the largest eigenvalue of a symmetric matrix, in closed form.
fn largest_eigenvalue(m: &glam::DMat3) -> f64 {
    let mean = (m.x_axis.x + m.y_axis.y + m.z_axis.z) / 3.0;
    let deviator = *m - glam::DMat3::from_diagonal(glam::DVec3::splat(mean));
    let size = (deviator.to_cols_array().iter().map(|x| x * x).sum::<f64>() / 6.0).sqrt();
    if size <= 1e-300 {
        return mean;
    }
    let angle = (deviator.determinant() / (2.0 * size.powi(3))).clamp(-1.0, 1.0).acos() / 3.0;
    mean + 2.0 * size * angle.cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positive(seed: u64) -> Matrix6 {
        let rng = fibra_core::random::CounterRng::new(seed);
        let a = Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| rng.uniform(&[i as u64, j as u64]) - 0.5)));
        a.mul(&a.transpose()).add(&Matrix6::IDENTITY.scale(0.3))
    }

    fn close(a: &Matrix6, b: &Matrix6, tolerance: f64) {
        let off = a.add(&b.scale(-1.0)).largest();
        assert!(off < tolerance * b.largest(), "{a:?} is not {b:?}");
    }

    #[test]
    fn inverses_and_congruences_satisfy_their_equations() {
        for seed in 0..20 {
            let (a, b) = (positive(2 * seed), positive(2 * seed + 1));
            close(&a.mul(&a.inverse()), &Matrix6::IDENTITY, 1e-12);
            let congruence = a.congruence_to(&b);
            close(&congruence.mul(&a).mul(&congruence), &b, 1e-12);
            assert_eq!(congruence.first_bad_pivot(), None);
            close(&a.congruence_to(&a), &Matrix6::IDENTITY, 1e-12);
            assert_eq!(Matrix6::symmetric(&congruence.upper()), congruence);
        }
    }

    #[test]
    fn isotropic_wave_modulus_is_lambda_plus_2_mu() {
        let lame = Lame::new(1e5, 0.3);
        let modulus = Matrix6::isotropic(&lame).wave_modulus();
        assert!((modulus / f64::from(lame.wave_modulus()) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_first_row_without_a_positive_pivot_is_found() {
        assert_eq!(positive(3).first_bad_pivot(), None);
        assert_eq!(Matrix6::diagonal([1.0, 2.0, -1.0, 1.0, 1.0, 1.0]).first_bad_pivot(), Some(2));
        let mut m = Matrix6::IDENTITY;
        (m.0[1][4], m.0[4][1]) = (1.5, 1.5);
        assert_eq!(m.first_bad_pivot(), Some(4));
    }
}
