//! Lame's constants.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::mat3::Sym3;

/// Lame's constants of an isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Lame {
    /// Shear modulus [Pa].
    pub mu: f32,
    /// First constant [Pa].
    pub lambda: f32,
}

impl Lame {
    /// Creates the constants from Young's modulus [Pa] and Poisson's ratio [-], which must lie in (-1, 0.5).
    pub fn new(youngs_modulus: f64, poisson_ratio: f64) -> Lame {
        let (e, nu) = (youngs_modulus, poisson_ratio);
        Lame { mu: (e / (2.0 * (1.0 + nu))) as f32, lambda: (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))) as f32 }
    }
}

impl Lame {
    /// Creates the constants of a surface whose normal stress is zero, for an energy of the in-plane strain alone: a free strip then has the given
    /// Young's modulus [Pa] and Poisson's ratio [-].
    pub fn plane_stress(youngs_modulus: f64, poisson_ratio: f64) -> Lame {
        let (e, nu) = (youngs_modulus, poisson_ratio);
        Lame { mu: (e / (2.0 * (1.0 + nu))) as f32, lambda: (e * nu / (1.0 - nu * nu)) as f32 }
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Lame {
    /// Returns `2 mu s + lambda tr(s) I` [Pa].
    #[inline(always)]
    pub fn stress(&self, strain: &Sym3) -> Sym3 {
        strain.combine(2.0 * self.mu, strain, 0.0).add_isotropic(self.lambda * strain.trace())
    }

    /// Returns the modulus of a pressure wave, `lambda + 2 mu` [Pa].
    #[inline(always)]
    pub fn wave_modulus(&self) -> f32 {
        self.lambda + 2.0 * self.mu
    }
}
