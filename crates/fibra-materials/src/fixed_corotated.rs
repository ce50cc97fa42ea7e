//! Fixed corotated elasticity [Stomakhin2012]: the default for jelly.

#[cfg(feature = "gpu")]
use super::anisotropy::RespondToStrainExpand;
use super::anisotropy::{PolarStrain, PrincipalStress, RespondToStrain, StrainLaw, StrainResponse, StrainTrial};
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

/// `psi = mu sum_k (sigma_k - 1)^2 + lambda/2 (J - 1)^2`, with `sigma` the singular values of `F`.
/// Energy and restoring force are finite in any configuration, including inverted ones.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct FixedCorotated {
    /// Elastic constants.
    pub lame: Lame,
}

/// `tau = 2 mu (F - R) F^T + lambda J (J - 1) I = U (2 mu (sigma - 1) sigma + lambda J (J - 1)) U^T`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn stress(u: &Mat3, sigma: &Diag3, lame: &Lame) -> Sym3 {
    u.conjugate_diag(&principal_stress(sigma, lame))
}

/// Returns the principal values of [`stress`].
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn principal_stress(sigma: &Diag3, lame: &Lame) -> Diag3 {
    let j = sigma.product();
    let pressure = lame.lambda * j * (j - 1.0);
    Diag3 {
        x: 2.0 * lame.mu * (sigma.x - 1.0) * sigma.x + pressure,
        y: 2.0 * lame.mu * (sigma.y - 1.0) * sigma.y + pressure,
        z: 2.0 * lame.mu * (sigma.z - 1.0) * sigma.z + pressure,
    }
}

#[inline(always)]
pub(super) fn energy(f: &Mat3, lame: &Lame) -> f32 {
    let sigma = left_svd(f).sigma;
    let j = sigma.product();
    let strain = sigma.scale_shift(1.0, -1.0);
    lame.mu * (strain.x * strain.x + strain.y * strain.y + strain.z * strain.z)
        + 0.5 * lame.lambda * (j - 1.0) * (j - 1.0)
}

/// Returns the product of each pair of singular values, stored at the index of the third: the derivatives of `J`.
#[inline(always)]
fn areas(sigma: &Diag3) -> Diag3 {
    Diag3 { x: sigma.y * sigma.z, y: sigma.x * sigma.z, z: sigma.x * sigma.y }
}

/// Derivative of [`energy`]: `psi_i = 2 mu (sigma_i - 1) + lambda (J - 1) J / sigma_i`.
#[inline(always)]
pub(super) fn piola(f: &Mat3, lame: &Lame) -> Mat3 {
    let svd = svd(f);
    let (sigma, area) = (svd.sigma, areas(&svd.sigma));
    let spread = lame.lambda * (sigma.product() - 1.0);
    let first = |s: f32, area: f32| 2.0 * lame.mu * (s - 1.0) + spread * area;
    isotropic::piola(&svd, &Diag3 { x: first(sigma.x, area.x), y: first(sigma.y, area.y), z: first(sigma.z, area.z) })
}

/// Derivative of [`piola`].
#[inline(always)]
pub(super) fn piola_change(f: &Mat3, lame: &Lame, change: &Mat3) -> Mat3 {
    let Lame { mu, lambda } = *lame;
    let svd = svd(f);
    let (sigma, area) = (svd.sigma, areas(&svd.sigma));
    let spread = lambda * (sigma.product() - 1.0);
    // The division cancels in the quotient of differences: (psi_i - psi_j) / (sigma_i - sigma_j) = 2 mu - lambda (J - 1) sigma_k.
    // In the quotient of sums it remains in one term: (psi_i + psi_j) / (sigma_i + sigma_j) = 2 mu (1 - 2 / (sigma_i + sigma_j)) +
    // lambda (J - 1) sigma_k.
    let turn = |s: f32, t: f32, third: f32| {
        isotropic::over_sum([2.0 * mu * (s - 1.0), 2.0 * mu * (t - 1.0)], [s, t]) + spread * third
    };
    let curvature = Curvature {
        own: Diag3 { x: area.x * area.x, y: area.y * area.y, z: area.z * area.z }.scale_shift(lambda, 2.0 * mu),
        mixed: Diag3 {
            x: lambda * area.y * area.z + spread * sigma.x,
            y: lambda * area.x * area.z + spread * sigma.y,
            z: lambda * area.x * area.y + spread * sigma.z,
        },
        over_gap: sigma.scale_shift(-spread, 2.0 * mu),
        over_sum: Diag3 {
            x: turn(sigma.y, sigma.z, sigma.x),
            y: turn(sigma.x, sigma.z, sigma.y),
            z: turn(sigma.x, sigma.y, sigma.z),
        },
    };
    isotropic::piola_change(&svd, &curvature, change)
}

#[cfg_attr(feature = "gpu", cube)]
impl FixedCorotated {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let b = trial.f.gram_rows();
        let j = trial.f.det();
        // (F - R) F^T = b - W with the left stretch W: no eigenvectors are needed, which makes this law cheap.
        let w = left_stretch(&trial.f);
        Response {
            f: trial.f,
            tau: b.combine(2.0 * mu, &w, -2.0 * mu).add_isotropic(lambda * j * (j - 1.0)),
            memory: trial.memory,
            // Waves travel faster through stretched material: a pressure wave along the principal stretch s has the modulus
            // s^2 d^2 psi / ds^2 = 2 mu s^2 + lambda J^2.
            modulus: 2.0 * mu * f32::max(1.0, b.eigenvalue_bound()) + lambda * f32::max(1.0, j * j),
        }
    }
}

impl Law for FixedCorotated {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.evaluate(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        energy(f, &self.lame)
    }
}

impl ImplicitLaw for FixedCorotated {
    #[inline(always)]
    fn piola(&self, f: &Mat3, _memory: f32) -> Mat3 {
        piola(f, &self.lame)
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        piola_change(f, &self.lame, change)
    }
}

/// Returns cofactor and determinant of the stretch `I + x`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn volume(x: &Sym3) -> (Sym3, f32) {
    let stretch = x.add_isotropic(1.0);
    let cofactor = stretch.cofactor();
    (cofactor, stretch.det_from(&cofactor))
}

#[cfg_attr(feature = "gpu", cube)]
impl RespondToStrain for FixedCorotated {
    #[inline(always)]
    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        let Lame { mu, lambda } = self.lame;
        let x = &trial.strain;
        let (cofactor, j) = volume(x);
        StrainResponse {
            flow: Sym3::isotropic(0.0),
            keeps_volume: false,
            // 2 mu x + lambda (J - 1) cof(I + x).
            stress: x.combine(2.0 * mu, &cofactor, lambda * (j - 1.0)),
            memory: trial.memory,
            modulus: 2.0 * mu * f32::max(1.0, trial.square) + lambda * f32::max(1.0, j * j),
        }
    }
}

impl StrainLaw for FixedCorotated {
    type Measure = PolarStrain;
    const FLOWS: bool = false;

    fn isotropic(&self) -> Material {
        (*self).into()
    }

    fn principal_stress(&self, strain: &[f32; 3], _memory: f32) -> PrincipalStress {
        let Lame { mu, lambda } = self.lame;
        let s = strain.map(|x| 1.0 + x);
        let j = s[0] * s[1] * s[2];
        // Derivative of the volume with respect to a stretch.
        let other = [s[1] * s[2], s[0] * s[2], s[0] * s[1]];
        PrincipalStress::new(
            |i| 2.0 * mu * strain[i] + lambda * (j - 1.0) * other[i],
            |_| 2.0 * mu,
            |i, k| lambda * (other[i] * other[k] + if i == k { 0.0 } else { (j - 1.0) * s[3 - i - k] }),
            |i, k| 2.0 * mu - lambda * (j - 1.0) * s[3 - i - k],
        )
    }

    fn strain_energy(&self, strain: &Sym3, _memory: f32) -> f32 {
        let (_, j) = volume(strain);
        self.lame.mu * strain.inner(strain) + 0.5 * self.lame.lambda * (j - 1.0) * (j - 1.0)
    }
}

impl MaterialModel for FixedCorotated {
    type Params = ElasticParams;
    const LOOK: Look = ElasticParams::LOOK;

    fn from_params(params: &ElasticParams) -> FixedCorotated {
        FixedCorotated { lame: params.lame() }
    }
}

#[cfg(feature = "gpu")]
impl FixedCorotated {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 2;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; FixedCorotated::PACKED_LEN] {
        [self.lame.mu, self.lame.lambda]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl FixedCorotated {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> FixedCorotated {
        FixedCorotated { lame: Lame { mu: table[first], lambda: table[first + 1] } }
    }
}
