//! Anisotropic stiffness from measurable quantities: Young's moduli, Poisson's ratios and shear moduli along three axes.

use super::mandel::Matrix6;
use super::{BadAnisotropy, PAIRS};

/// Elasticity of a material with three planes of symmetry. Axes are numbered 1, 2, 3; pairs are in the order 23, 13, 12.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orthotropic {
    /// Young's moduli `E_i` along the axes [Pa].
    pub youngs_moduli: [f64; 3],
    /// Poisson's ratios `nu_23, nu_13, nu_12` [-]: `nu_ij` is the contraction along `j` over the extension along `i`, under
    /// tension along `i`.
    pub poisson_ratios: [f64; 3],
    /// Reverse ratios `nu_32, nu_31, nu_21` [-], for tension along `j`. Symmetry of the stiffness determines them:
    /// `nu_ij / E_i = nu_ji / E_j`. If they are given, this condition is checked.
    pub reverse_poisson_ratios: Option<[f64; 3]>,
    /// Shear moduli `mu_23, mu_13, mu_12` [Pa]. Default: `sqrt(E_i E_j) / (2 (1 + sqrt(nu_ij nu_ji)))` [Li2015], which is exact
    /// for an isotropic material.
    pub shear_moduli: Option<[f64; 3]>,
}

/// Largest accepted relative difference between the two sides of `nu_ij / E_i = nu_ji / E_j`: measured ratios have few digits.
const RECIPROCITY: f64 = 0.01;

impl Orthotropic {
    /// Creates a material with the same moduli along every axis.
    pub fn isotropic(youngs_modulus: f64, poisson_ratio: f64) -> Orthotropic {
        Orthotropic {
            youngs_moduli: [youngs_modulus; 3],
            poisson_ratios: [poisson_ratio; 3],
            reverse_poisson_ratios: None,
            shear_moduli: None,
        }
    }

    /// Creates a material that is isotropic in the plane perpendicular to axis 3. Axis 3 is the fiber direction or the stacking direction.
    ///
    /// `along` and `across` are Young's moduli [Pa]. `poisson_along` and `poisson_plane` are Poisson's ratios [-]:
    /// `poisson_along` for tension along the axis, `poisson_plane` for tension and contraction within the plane. `shear` is the
    /// shear modulus between axis and plane [Pa].
    pub fn transverse(along: f64, across: f64, poisson_along: f64, poisson_plane: f64, shear: f64) -> Orthotropic {
        let reverse = poisson_along * across / along;
        Orthotropic {
            youngs_moduli: [across, across, along],
            poisson_ratios: [reverse, reverse, poisson_plane],
            reverse_poisson_ratios: None,
            shear_moduli: Some([shear, shear, 0.5 * across / (1.0 + poisson_plane)]),
        }
    }

    /// Returns the shear moduli: the given ones, or the defaults [Pa].
    pub fn shear_moduli(&self) -> [f64; 3] {
        let derived = std::array::from_fn(|pair| {
            let [i, j] = PAIRS[pair];
            let (a, b) = (self.youngs_moduli[i], self.youngs_moduli[j]);
            // sqrt(nu_ij nu_ji) with the common sign of the two ratios.
            let poisson = self.poisson_ratios[pair] * (b / a).sqrt();
            0.5 * (a * b).sqrt() / (1.0 + poisson)
        });
        self.shear_moduli.unwrap_or(derived)
    }

    /// Returns the compliance in Mandel's notation: its columns are the strains due to unit stresses [1/Pa] [Schreck2020, Eq. 7].
    fn compliance(&self) -> Matrix6 {
        let shear = self.shear_moduli();
        let e = self.youngs_moduli;
        let mut m =
            Matrix6::diagonal([1.0 / e[0], 1.0 / e[1], 1.0 / e[2], 0.5 / shear[0], 0.5 / shear[1], 0.5 / shear[2]]);
        for (pair, [i, j]) in PAIRS.into_iter().enumerate() {
            m.0[i][j] = -self.poisson_ratios[pair] / e[i];
            m.0[j][i] = m.0[i][j];
        }
        m
    }

    /// Returns the stiffness in Mandel's notation [Pa].
    pub fn stiffness(&self) -> Result<Matrix6, BadAnisotropy> {
        let name = |pair: usize| PAIRS[pair].map(|axis| axis + 1);
        for (axis, &value) in self.youngs_moduli.iter().enumerate() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(BadAnisotropy::YoungsModulus { axis: axis + 1, value });
            }
        }
        for pair in 0..3 {
            let [i, j] = PAIRS[pair];
            let (forth, e) = (self.poisson_ratios[pair], self.youngs_moduli);
            let expected = forth * e[j] / e[i];
            if let Some(back) = self.reverse_poisson_ratios {
                let back = back[pair];
                let apart = (back - expected).abs();
                if apart.is_nan() || apart > RECIPROCITY * expected.abs().max(1e-6) {
                    return Err(BadAnisotropy::NotReciprocal { pair: name(pair), given: back, expected });
                }
            }
            // The 2x2 block of this pair must be positive definite by itself: 1 - nu_ij nu_ji > 0.
            if !(forth * expected < 1.0 && forth.is_finite()) {
                return Err(BadAnisotropy::Poisson { pair: name(pair), value: forth, product: forth * expected });
            }
        }
        for (pair, value) in self.shear_moduli().into_iter().enumerate() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(BadAnisotropy::ShearModulus { pair: name(pair), value });
            }
        }
        let compliance = self.compliance();
        match compliance.first_bad_pivot() {
            None => Ok(compliance.inverse()),
            // Each pair alone is admissible, but the three together are not positive definite. The error names the most strongly coupled pair.
            Some(_) => {
                let coupling = |pair: usize| {
                    let [i, j] = PAIRS[pair];
                    (self.poisson_ratios[pair].powi(2) * self.youngs_moduli[j] / self.youngs_moduli[i]).abs()
                };
                let pair = (0..3).fold(0, |worst, pair| if coupling(pair) > coupling(worst) { pair } else { worst });
                Err(BadAnisotropy::PoissonTogether { pair: name(pair), value: self.poisson_ratios[pair] })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lame;

    fn wood() -> Orthotropic {
        Orthotropic {
            youngs_moduli: [1e9, 5e8, 1e10],
            poisson_ratios: [0.02, 0.03, 0.4],
            reverse_poisson_ratios: None,
            shear_moduli: None,
        }
    }

    #[test]
    fn isotropic_moduli_give_lames_stiffness() {
        let stiffness = Orthotropic::isotropic(1e5, 0.3).stiffness().unwrap();
        let off = stiffness.add(&Matrix6::isotropic(&Lame::new(1e5, 0.3)).scale(-1.0)).largest();
        assert!(off < 1e-2, "{off} Pa");
    }

    #[test]
    fn a_transverse_material_is_isotropic_around_its_axis() {
        let stiffness = Orthotropic::transverse(1e6, 1e5, 0.3, 0.25, 3e4).stiffness().unwrap();
        // In axes rotated about axis 3 by 45 degrees, extension along x is extension along x and y plus shear.
        let work = |strain: [f64; 6]| -> f64 { stiffness.apply(&strain).iter().zip(&strain).map(|(a, b)| a * b).sum() };
        let straight = work([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let turned = work([0.5, 0.5, 0.0, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2]);
        assert!((straight / turned - 1.0).abs() < 1e-12);
        let compliance = stiffness.inverse().0;
        assert!((-compliance[0][2] / compliance[2][2] - 0.3).abs() < 1e-12, "contraction under tension along the axis");
    }

    #[test]
    fn impossible_moduli_are_rejected_by_name() {
        let message = |change: &dyn Fn(&mut Orthotropic)| {
            let mut bad = wood();
            change(&mut bad);
            bad.stiffness().unwrap_err().to_string()
        };
        assert!(wood().stiffness().is_ok());
        assert!(Orthotropic { reverse_poisson_ratios: Some([0.4, 0.3, 0.2]), ..wood() }.stiffness().is_ok());
        let text = message(&|m| m.reverse_poisson_ratios = Some([0.4, 0.3, 0.4]));
        assert!(text.contains("nu_21 is 0.4") && text.contains("0.2"), "{text}");
        let text = message(&|m| m.youngs_moduli[1] = 0.0);
        assert!(text.contains("E_2 is 0"), "{text}");
        let text = message(&|m| m.shear_moduli = Some([1e8, -1.0, 1e8]));
        assert!(text.contains("mu_13 is -1"), "{text}");
        let text = message(&|m| m.poisson_ratios[2] = 1.6);
        assert!(text.contains("nu_12 is 1.6"), "{text}");
        let text = message(&|m| m.youngs_moduli = [f64::NAN; 3]);
        assert!(text.contains("E_1 is NaN"), "{text}");
        // Each pair alone is admissible, the three together are not.
        let together = Orthotropic { poisson_ratios: [0.6, 0.6, 0.7], ..Orthotropic::isotropic(1e5, 0.0) };
        let text = together.stiffness().unwrap_err().to_string();
        assert!(text.contains("nu_12 of 0.7"), "{text}");
    }
}
