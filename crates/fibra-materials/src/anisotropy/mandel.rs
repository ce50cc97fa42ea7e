//! Symmetric tensors as six numbers, and linear maps between them as 6x6 matrices, in `f64`: what the maps of a material are
//! put together from before a run.
//!
//! Mandel's notation: `(xx, yy, zz, sqrt2 yz, sqrt2 xz, sqrt2 xy)`. The inner product of two tensors is that of their six
//! numbers, so that symmetric maps are symmetric matrices and the inverse map is the inverse matrix.

use super::super::Lame;

/// A linear map of symmetric tensors in Mandel's notation, row after row.
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

    /// The symmetric map of 21 numbers: the upper triangle, row after row.
    pub fn symmetric(upper: &[f64; 21]) -> Matrix6 {
        // Row i starts after the rows before it, of 6, 5, ... numbers.
        let at = |i: usize, j: usize| i * (11 - i) / 2 + j;
        Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| upper[at(i.min(j), i.max(j))])))
    }

    /// The upper triangle, row after row.
    pub fn upper(&self) -> [f64; 21] {
        let mut entries = (0..6).flat_map(|i| (i..6).map(move |j| self.0[i][j]));
        std::array::from_fn(|_| entries.next().unwrap_or_default())
    }

    /// The stiffness of an isotropic material: `2 mu E + lambda tr(E) I` [Pa].
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

    /// `self * other`: first `other`, then `self`.
    pub fn mul(&self, o: &Matrix6) -> Matrix6 {
        Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| (0..6).map(|k| self.0[i][k] * o.0[k][j]).sum())))
    }

    /// `self + other`.
    pub fn add(&self, o: &Matrix6) -> Matrix6 {
        Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| self.0[i][j] + o.0[i][j])))
    }

    /// Every entry times `k`.
    pub fn scale(&self, k: f64) -> Matrix6 {
        Matrix6(self.0.map(|row| row.map(|value| k * value)))
    }

    /// The transpose.
    pub fn transpose(&self) -> Matrix6 {
        Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| self.0[j][i])))
    }

    /// The map of one tensor.
    pub fn apply(&self, v: &[f64; 6]) -> [f64; 6] {
        self.0.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    /// The largest entry, regardless of sign.
    pub fn largest(&self) -> f64 {
        self.0.iter().flatten().fold(0.0, |a, b| a.max(b.abs()))
    }

    /// The first row in which elimination meets a pivot that is not clearly positive: `None` for a positive definite map.
    /// Its leading block up to that row is the smallest that is not positive definite.
    pub fn first_bad_pivot(&self) -> Option<usize> {
        let mut m = self.0;
        for k in 0..6 {
            // Rows may have very different units of stiffness; each pivot is compared with its own diagonal.
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

    /// The inverse of an invertible map, by Gauss and Jordan with pivots from the whole column.
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

    /// The positive definite `B` with `B self B = other`: the geometric mean of the inverse of `self` and `other`, both positive
    /// definite.
    ///
    /// `B` is the limit of the arithmetic-harmonic mean of the two, which converges quadratically.
    pub fn bridge_to(&self, other: &Matrix6) -> Matrix6 {
        let (mut a, mut b) = (self.inverse(), *other);
        // The means meet fastest when both start at the same size.
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

    /// Stiffness of the fastest wave in any direction [Pa], of a material with this stiffness: the largest eigenvalue of the acoustic
    /// tensor `n C n` over directions `n`.
    pub fn wave_modulus(&self) -> f64 {
        // A spiral of directions over half a sphere; between them the modulus changes by less than a percent, which the margin
        // covers.
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
        // The strain of a wave along n that moves along e: sym(n e^T).
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

/// Of a symmetric matrix, in closed form.
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
    fn inverses_and_bridges_do_what_they_say() {
        for seed in 0..20 {
            let (a, b) = (positive(2 * seed), positive(2 * seed + 1));
            close(&a.mul(&a.inverse()), &Matrix6::IDENTITY, 1e-12);
            let bridge = a.bridge_to(&b);
            close(&bridge.mul(&a).mul(&bridge), &b, 1e-12);
            assert_eq!(bridge.first_bad_pivot(), None);
            close(&a.bridge_to(&a), &Matrix6::IDENTITY, 1e-12);
            assert_eq!(Matrix6::symmetric(&bridge.upper()), bridge);
        }
    }

    #[test]
    fn sound_in_an_isotropic_material_feels_lambda_plus_2_mu() {
        let lame = Lame::new(1e5, 0.3);
        let modulus = Matrix6::isotropic(&lame).wave_modulus();
        assert!((modulus / f64::from(lame.wave_modulus()) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_row_that_spoils_definiteness_is_found() {
        assert_eq!(positive(3).first_bad_pivot(), None);
        assert_eq!(Matrix6::diagonal([1.0, 2.0, -1.0, 1.0, 1.0, 1.0]).first_bad_pivot(), Some(2));
        let mut m = Matrix6::IDENTITY;
        (m.0[1][4], m.0[4][1]) = (1.5, 1.5);
        assert_eq!(m.first_bad_pivot(), Some(4));
    }
}
