//! Compressible neo-Hookean elasticity.

use super::Lame;
use crate::law::{Law, Response, Trial};
use fibra_core::elementary::ln;
use fibra_core::mat3::Mat3;

/// `psi = mu/2 (tr(F F^T) - 3) - mu ln J + lambda/2 (ln J)^2`. The energy grows without bound as a particle flattens; for
/// `J` at or below [`NeoHookean::SMALLEST_J`] the logarithm is held, so that an inverted particle still pushes outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean {
    /// Elastic constants.
    pub lame: Lame,
}

impl NeoHookean {
    /// Volume ratio at which the logarithm is held [-].
    pub const SMALLEST_J: f32 = 1e-3;
}

impl Law for NeoHookean {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let log_j = ln(f32::max(trial.f.det(), NeoHookean::SMALLEST_J));
        let b = trial.f.gram_rows();
        // tau = mu (b - I) + lambda ln(J) I
        let tau = b.combine(mu, &b, 0.0).add_isotropic(lambda * log_j - mu);
        // A pressure wave along the principal stretch s feels s^2 d^2 psi / ds^2 = mu (1 + s^2) + lambda (1 - ln J).
        let stretch2 = b.eigenvalue_bound();
        Response {
            f: trial.f,
            tau,
            memory: trial.memory,
            modulus: lambda * (1.0 + f32::max(0.0, -log_j)) + mu * (1.0 + f32::max(1.0, stretch2)),
        }
    }

    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        let Lame { mu, lambda } = self.lame;
        let log_j = ln(f32::max(f.det(), NeoHookean::SMALLEST_J));
        0.5 * mu * (f.gram_rows().trace() - 3.0) - mu * log_j + 0.5 * lambda * log_j * log_j
    }
}
