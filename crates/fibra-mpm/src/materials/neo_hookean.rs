//! Compressible neo-Hookean elasticity.

use super::Lame;
use super::anisotropy::{SquareStrain, StrainLaw, StrainResponse, StrainTrial};
use super::cofactor::{cofactor_change, inner};
use crate::law::{Law, Response, Trial};
use fibra_core::elementary::ln;
use fibra_core::invariants::RootInvariants;
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
        f.scale(mu).add(&f.cofactor().scale((lambda * log_j - mu) * slope))
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let j = f.det();
        let (log_j, slope) = NeoHookean::log(j);
        let pull = (lambda * log_j - mu) * slope;
        // The logarithm's second derivative; its tangent has none.
        let bend = if j < NeoHookean::SMALLEST_J { 0.0 } else { -pull * slope };
        let volume = f.cofactor();
        let growth = (lambda * slope * slope + bend) * inner(&volume, change);
        change.scale(mu).add(&volume.scale(growth)).add(&cofactor_change(f, change).scale(pull))
    }
}

/// What belongs to the strain `x = (C - C^-1) / 4 = sinh(2 e) / 2`.
struct Inside {
    /// `C = 2 x + Q`, `Q = sqrt(I + 4 x^2) = cosh(2 e)`.
    square: Sym3,
    /// The inverse of `Q`.
    inverse: Sym3,
    /// `ln J`, half that of the determinant of `C`.
    log_j: f32,
}

impl Inside {
    /// Strains beyond this are taken for it: their powers would leave the range of numbers [-].
    const LARGEST: f32 = 1e5;

    #[inline(always)]
    fn of(x: &Sym3) -> Inside {
        let size = x.xx.abs() + x.yy.abs() + x.zz.abs() + x.yz.abs() + x.xz.abs() + x.xy.abs();
        let x = x.combine(Inside::LARGEST / if size > Inside::LARGEST { size } else { Inside::LARGEST }, x, 0.0);
        let x2 = x.square();
        let q2 = x2.combine(4.0, &x2, 0.0).add_isotropic(1.0);
        let third = f32::sqrt(q2.det_from(&q2.cofactor()));
        let invariants = RootInvariants::of(&q2, third);
        let q = invariants.root(&q2);
        // Cayley and Hamilton: III / Q = Q^2 - I Q + II.
        let k = 1.0 / third;
        let inverse = q2.combine(k, &q, -k * invariants.first).add_isotropic(k * invariants.second);
        let square = x.combine(2.0, &q, 1.0);
        Inside { square, inverse, log_j: 0.5 * ln(square.det_from(&square.cofactor())) }
    }
}

impl StrainLaw for NeoHookean {
    type Measure = SquareStrain;
    const FLOWS: bool = false;

    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        let Lame { mu, lambda } = self.lame;
        let Inside { square, inverse, log_j } = Inside::of(&trial.strain);
        // An inverted particle is pushed outwards as hard as a crushed one.
        let log_j = if trial.volume < NeoHookean::SMALLEST_J { ln(NeoHookean::SMALLEST_J) } else { log_j };
        let growth = square.add_isotropic(-1.0);
        // tau = mu (C - I) + lambda ln(J) I is the derivative by e; that by sinh(2 e) / 2 is tau / cosh(2 e).
        let tau = growth.combine(mu, &growth, 0.0).add_isotropic(lambda * log_j);
        let stretch2 = f32::max(trial.square, square.eigenvalue_bound());
        StrainResponse {
            flow: Sym3::ZERO,
            stress: tau.mul_coaxial(&inverse),
            memory: trial.memory,
            modulus: lambda * (1.0 + f32::max(0.0, -log_j)) + mu * (1.0 + f32::max(1.0, stretch2)),
        }
    }

    fn strain_energy(&self, strain: &Sym3, _memory: f32) -> f32 {
        let Lame { mu, lambda } = self.lame;
        let Inside { square, log_j, .. } = Inside::of(strain);
        0.5 * mu * (square.trace() - 3.0) - mu * log_j + 0.5 * lambda * log_j * log_j
    }
}
