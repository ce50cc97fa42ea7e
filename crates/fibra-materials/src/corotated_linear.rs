//! Corotated linear elasticity: Hooke's law for the deformation with its rotation removed.

#[cfg(feature = "gpu")]
use super::anisotropy::RespondToStrainExpand;
use super::anisotropy::{PolarStrain, RespondToStrain, StrainLaw, StrainResponse, StrainTrial};
use super::elastic_params::ElasticParams;
use super::isotropic::{self, Curvature};
use super::model::{Look, MaterialModel};
use super::{Lame, Material};
use crate::law::{ImplicitLaw, Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{left_svd, svd};
use fibra_core::invariants::left_stretch;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// `psi = mu sum_k (sigma_k - 1)^2 + lambda/2 (sum_k (sigma_k - 1))^2`, with `sigma` the singular values of `F`.
/// Finite in any configuration, including inverted ones. Under uniaxial compression the stress never exceeds Hooke's law.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct CorotatedLinear {
    /// Elastic constants.
    pub lame: Lame,
}

/// `psi_i = 2 mu (sigma_i - 1) + lambda tr(sigma - 1)`.
#[inline(always)]
fn first(sigma: &Diag3, lame: &Lame) -> Diag3 {
    sigma.scale_shift(2.0 * lame.mu, lame.lambda * (sigma.sum() - 3.0) - 2.0 * lame.mu)
}

/// Returns the wave modulus. A pressure wave along the principal stretch `s` has `s^2 d^2 psi / ds^2 = (2 mu + lambda) s^2`;
/// `squares` is an upper bound of `s^2`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn modulus(squares: f32, lame: &Lame) -> f32 {
    lame.wave_modulus() * f32::max(1.0, squares)
}

#[cfg_attr(feature = "gpu", cube)]
impl CorotatedLinear {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let b = trial.f.gram_rows();
        // tau = 2 mu (F - R) F^T + lambda tr(U - I) R F^T = 2 mu (b - W) + lambda tr(W - I) W, with W the left stretch.
        let w = left_stretch(&trial.f);
        Response {
            f: trial.f,
            tau: b.combine(2.0 * mu, &w, lambda * (w.trace() - 3.0) - 2.0 * mu),
            memory: trial.memory,
            modulus: modulus(b.eigenvalue_bound(), &self.lame),
        }
    }
}

impl Law for CorotatedLinear {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.evaluate(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        let Lame { mu, lambda } = self.lame;
        let strain = left_svd(f).sigma.scale_shift(1.0, -1.0);
        mu * strain.norm() * strain.norm() + 0.5 * lambda * strain.sum() * strain.sum()
    }
}

impl ImplicitLaw for CorotatedLinear {
    #[inline(always)]
    fn piola(&self, f: &Mat3, _memory: f32) -> Mat3 {
        let svd = svd(f);
        isotropic::piola(&svd, &first(&svd.sigma, &self.lame))
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let svd = svd(f);
        let (sigma, first) = (svd.sigma, first(&svd.sigma, &self.lame));
        let all = |value: f32| Diag3 { x: value, y: value, z: value };
        let curvature = Curvature {
            own: all(2.0 * mu + lambda),
            mixed: all(lambda),
            over_gap: all(2.0 * mu),
            over_sum: Diag3 {
                x: isotropic::over_sum([first.y, first.z], [sigma.y, sigma.z]),
                y: isotropic::over_sum([first.x, first.z], [sigma.x, sigma.z]),
                z: isotropic::over_sum([first.x, first.y], [sigma.x, sigma.y]),
            },
        };
        isotropic::piola_change(&svd, &curvature, change)
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl RespondToStrain for CorotatedLinear {
    #[inline(always)]
    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        StrainResponse {
            flow: Sym3::isotropic(0.0),
            keeps_volume: false,
            stress: self.lame.stress(&trial.strain),
            memory: trial.memory,
            modulus: modulus(trial.square, &self.lame),
        }
    }
}

impl StrainLaw for CorotatedLinear {
    type Measure = PolarStrain;
    const FLOWS: bool = false;

    fn isotropic(&self) -> Material {
        (*self).into()
    }
}

impl MaterialModel for CorotatedLinear {
    type Params = ElasticParams;
    const LOOK: Look = ElasticParams::LOOK;

    fn from_params(params: &ElasticParams) -> CorotatedLinear {
        CorotatedLinear { lame: params.lame() }
    }
}

#[cfg(feature = "gpu")]
impl CorotatedLinear {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 2;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; CorotatedLinear::PACKED_LEN] {
        [self.lame.mu, self.lame.lambda]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl CorotatedLinear {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> CorotatedLinear {
        CorotatedLinear { lame: Lame { mu: table[first], lambda: table[first + 1] } }
    }
}
