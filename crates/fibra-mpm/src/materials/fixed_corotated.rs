//! Fixed corotated elasticity [Stomakhin2012]: the default for jelly.

use super::Lame;
use super::anisotropy::{StrainLaw, StrainResponse, expm1, stretched};
use super::isotropic::{self, Curvature};
use crate::law::{Law, Response, Trial};
use fibra_core::decompose::{left_stretch, left_svd, svd};
use fibra_core::elementary::exp;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// `psi = mu sum_k (sigma_k - 1)^2 + lambda/2 (J - 1)^2`, with `sigma` the singular values of `F`.
/// Finite, with a restoring force, in any configuration, inverted ones too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedCorotated {
    /// Elastic constants.
    pub lame: Lame,
}

/// `tau = 2 mu (F - R) F^T + lambda J (J - 1) I = U (2 mu (sigma - 1) sigma + lambda J (J - 1)) U^T`.
#[inline(always)]
pub(super) fn stress(u: &Mat3, sigma: &Diag3, lame: &Lame) -> Sym3 {
    let j = sigma.product();
    let pressure = lame.lambda * j * (j - 1.0);
    let principal = |s: f32| 2.0 * lame.mu * (s - 1.0) * s + pressure;
    u.conjugate_diag(&Diag3 { x: principal(sigma.x), y: principal(sigma.y), z: principal(sigma.z) })
}

#[inline(always)]
pub(super) fn energy(f: &Mat3, lame: &Lame) -> f32 {
    let (_, sigma) = left_svd(f);
    let j = sigma.product();
    let strain = sigma.scale_shift(1.0, -1.0);
    lame.mu * (strain.x * strain.x + strain.y * strain.y + strain.z * strain.z)
        + 0.5 * lame.lambda * (j - 1.0) * (j - 1.0)
}

/// Products of two singular values, each named after the third: the derivatives of `J`.
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
    // Both quotients divide out: (psi_i - psi_j) / (sigma_i - sigma_j) = 2 mu - lambda (J - 1) sigma_k, and with sums
    // 2 mu (1 - 2 / (sigma_i + sigma_j)) + lambda (J - 1) sigma_k.
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

impl Law for FixedCorotated {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let b = trial.f.gram_rows();
        let j = trial.f.det();
        // (F - R) F^T = b - W with W the left stretch: no eigenvectors are needed, which makes jelly cheap.
        let w = left_stretch(&trial.f);
        Response {
            f: trial.f,
            tau: b.combine(2.0 * mu, &w, -2.0 * mu).add_isotropic(lambda * j * (j - 1.0)),
            memory: trial.memory,
            // Stretched material carries waves faster through space: a pressure wave along the principal stretch s feels
            // s^2 d^2 psi / ds^2 = 2 mu s^2 + lambda J^2.
            modulus: 2.0 * mu * f32::max(1.0, b.eigenvalue_bound()) + lambda * f32::max(1.0, j * j),
        }
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        energy(f, &self.lame)
    }

    #[inline(always)]
    fn piola(&self, f: &Mat3, _memory: f32) -> Mat3 {
        piola(f, &self.lame)
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        piola_change(f, &self.lame, change)
    }
}

impl StrainLaw for FixedCorotated {
    const FLOWS: bool = false;

    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, strain: &Sym3, memory: f32, _dt: f32) -> StrainResponse {
        let Lame { mu, lambda } = self.lame;
        let j = exp(strain.trace());
        // With the stretch I + x: b - W = (I + x) x, b = I + 2 x + x^2.
        let x = expm1(strain);
        let x2 = x.square();
        let b = x.combine(2.0, &x2, 1.0).add_isotropic(1.0);
        StrainResponse {
            flow: Sym3::ZERO,
            keeps_volume: false,
            tau: x.combine(2.0 * mu, &x2, 2.0 * mu).add_isotropic(lambda * j * (j - 1.0)),
            memory,
            modulus: 2.0 * mu * f32::max(1.0, b.eigenvalue_bound()) + lambda * f32::max(1.0, j * j),
        }
    }

    fn strain_energy(&self, strain: &Sym3, memory: f32) -> f32 {
        self.energy(&stretched(strain), memory)
    }
}
