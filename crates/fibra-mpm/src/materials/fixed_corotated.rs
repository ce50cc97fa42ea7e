//! Fixed corotated elasticity [Stomakhin2012]: the default for jelly.

use super::Lame;
use crate::law::{Law, Response, Trial};
use fibra_core::decompose::{left_stretch, left_svd};
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

pub(super) fn energy(f: &Mat3, lame: &Lame) -> f32 {
    let (_, sigma) = left_svd(f);
    let j = sigma.product();
    let strain = sigma.scale_shift(1.0, -1.0);
    lame.mu * (strain.x * strain.x + strain.y * strain.y + strain.z * strain.z)
        + 0.5 * lame.lambda * (j - 1.0) * (j - 1.0)
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

    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        energy(f, &self.lame)
    }
}
