//! Compressible neo-Hookean elasticity.

use super::Lame;
use super::anisotropy::{StrainLaw, StrainResponse, expm1, stretched};
use super::cofactor::{cofactor, cofactor_change, inner};
use crate::law::{Law, Response, Trial};
use fibra_core::elementary::ln;
use fibra_core::mat3::{Mat3, Sym3};

/// `psi = mu/2 (tr(F F^T) - 3) - mu ln J + lambda/2 (ln J)^2`. The energy grows without bound as a particle flattens; for
/// `J` at or below [`NeoHookean::SMALLEST_J`] the stress's logarithm is held, so that an inverted particle still pushes
/// outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean {
    /// Elastic constants.
    pub lame: Lame,
}

impl NeoHookean {
    /// Volume ratio at which the logarithm is held [-].
    pub const SMALLEST_J: f32 = 1e-3;

    /// `ln J` and its slope; below [`NeoHookean::SMALLEST_J`] the tangent, so that the energy pushes back everywhere.
    #[inline(always)]
    fn log(j: f32) -> (f32, f32) {
        let held = if j < NeoHookean::SMALLEST_J { NeoHookean::SMALLEST_J } else { j };
        let slope = 1.0 / held;
        (ln(held) + (j - held) * slope, slope)
    }
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

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        let Lame { mu, lambda } = self.lame;
        let (log_j, _) = NeoHookean::log(f.det());
        0.5 * mu * (f.gram_rows().trace() - 3.0) - mu * log_j + 0.5 * lambda * log_j * log_j
    }

    /// `mu F + (lambda ln J - mu) (ln J)' cof F`.
    #[inline(always)]
    fn piola(&self, f: &Mat3, _memory: f32) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let (log_j, slope) = NeoHookean::log(f.det());
        f.scale(mu).add(&cofactor(f).scale((lambda * log_j - mu) * slope))
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let j = f.det();
        let (log_j, slope) = NeoHookean::log(j);
        let pull = (lambda * log_j - mu) * slope;
        // The logarithm's second derivative; its tangent has none.
        let bend = if j < NeoHookean::SMALLEST_J { 0.0 } else { -pull * slope };
        let volume = cofactor(f);
        let growth = (lambda * slope * slope + bend) * inner(&volume, change);
        change.scale(mu).add(&volume.scale(growth)).add(&cofactor_change(f, change).scale(pull))
    }
}

impl StrainLaw for NeoHookean {
    const FLOWS: bool = false;

    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, strain: &Sym3, memory: f32, _dt: f32) -> StrainResponse {
        let Lame { mu, lambda } = self.lame;
        let log_j = strain.trace();
        let x = expm1(strain);
        // b - I = 2 x + x^2 with the stretch I + x.
        let growth = x.combine(2.0, &x.square(), 1.0);
        let stretch2 = 1.0 + growth.eigenvalue_bound();
        StrainResponse {
            flow: Sym3::ZERO,
            keeps_volume: false,
            tau: growth.combine(mu, &growth, 0.0).add_isotropic(lambda * log_j),
            memory,
            modulus: lambda * (1.0 + f32::max(0.0, -log_j)) + mu * (1.0 + f32::max(1.0, stretch2)),
        }
    }

    fn strain_energy(&self, strain: &Sym3, memory: f32) -> f32 {
        self.energy(&stretched(strain), memory)
    }
}
