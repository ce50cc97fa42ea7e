//! Sand: Hencky elasticity with a Drucker-Prager yield surface [Klar2016], cohesion, and the volume correction of
//! [Tampubolon2017].

use super::Lame;
use crate::law::{Law, Response, Trial};
use fibra_core::decompose::{Svd, svd};
use fibra_core::elementary::{exp, ln};
use fibra_core::mat3::{Diag3, Mat3};

/// Yield: `|dev tau| + alpha tr(tau) <= k`. The law's scalar is the volume gained in free expansion, as a log strain
/// `v_c`; it is given back before the grains press on each other again, else heaps would swell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sand {
    /// Elastic constants of the packed grains.
    pub lame: Lame,
    /// Friction coefficient `alpha` of the cone [-].
    pub alpha: f32,
    /// Cohesion as a shear strain: `k / (2 mu)` [-].
    pub cohesion_strain: f32,
    /// Whether free expansion is remembered (1) or forgotten (0).
    pub volume_correction: f32,
}

/// Smallest stretch the logarithm sees: a particle flatter than this is as good as crushed.
const SMALLEST_STRETCH: f32 = 0.05;

impl Sand {
    /// From the friction angle [rad] and the Mohr-Coulomb cohesion [Pa]; the cone touches the Mohr-Coulomb pyramid along
    /// its compression edges.
    pub fn new(lame: Lame, friction_angle: f64, cohesion: f64, volume_correction: bool) -> Sand {
        let (sin, cos) = friction_angle.sin_cos();
        let edge = (2.0f64 / 3.0).sqrt() / (3.0 - sin);
        Sand {
            lame,
            alpha: (edge * 2.0 * sin) as f32,
            cohesion_strain: (edge * 6.0 * cohesion * cos / (2.0 * lame.mu as f64)) as f32,
            volume_correction: if volume_correction { 1.0 } else { 0.0 },
        }
    }
}

impl Law for Sand {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let Svd { u, sigma, v } = svd(&trial.f);
        let strain = log_strain(&sigma).scale_shift(1.0, trial.memory / 3.0);
        let trace = strain.sum();
        let deviator = strain.scale_shift(1.0, -trace / 3.0);
        let size = deviator.norm();
        // |dev tau| + alpha tr(tau) = 2 mu (|dev eps| + pull tr(eps)).
        let pull = self.alpha * (3.0 * lambda + 2.0 * mu) / (2.0 * mu);
        let excess = size + pull * trace - self.cohesion_strain;
        // The cone's tip, where all shear strength is gone. Frictionless grains have none: any expansion is free.
        let tip = self.cohesion_strain / f32::max(pull, 1e-6);
        let past_tip = trace >= tip;
        let shrink = 1.0 - f32::max(excess, 0.0) / f32::max(size, 1e-20);
        let keep = if past_tip { 0.0 } else { shrink };
        let new_trace = if past_tip { tip } else { trace };
        let strain = deviator.scale_shift(keep, new_trace / 3.0);
        let stretch = Diag3 { x: exp(strain.x), y: exp(strain.y), z: exp(strain.z) };
        let principal = strain.scale_shift(2.0 * mu, lambda * new_trace);
        Response {
            f: u.mul_diag(&stretch).mul_transpose(&v),
            tau: u.conjugate_diag(&principal),
            memory: self.volume_correction * (trace - new_trace),
            modulus: hencky_wave_modulus(&principal, &self.lame),
        }
    }

    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        hencky_energy(f, &self.lame)
    }

    fn volume_ratio(&self, f: &Mat3, expansion: f32) -> f32 {
        f.det() * exp(expansion)
    }
}

/// Hencky's strain `ln sigma`, of stretches no smaller than [`SMALLEST_STRETCH`].
#[inline(always)]
pub(super) fn log_strain(sigma: &Diag3) -> Diag3 {
    let log = |s: f32| ln(f32::max(s.abs(), SMALLEST_STRETCH));
    // The maximum would hide a stretch that is not finite; its product with zero is not a number and carries on.
    let sound = 0.0 * sigma.sum();
    Diag3 { x: log(sigma.x) + sound, y: log(sigma.y) + sound, z: log(sigma.z) + sound }
}

/// A pressure wave along `k` feels `sigma_k^2 d^2 psi / d sigma_k^2 = lambda + 2 mu - tau_k`, with `tau` the principal
/// stresses, of which the last is the most compressive: compression stiffens.
#[inline(always)]
pub(super) fn hencky_wave_modulus(tau: &Diag3, lame: &Lame) -> f32 {
    lame.wave_modulus() + f32::max(0.0, -tau.z)
}

/// `psi = mu |eps|^2 + lambda/2 tr(eps)^2` with `eps = ln sigma`.
pub(super) fn hencky_energy(f: &Mat3, lame: &Lame) -> f32 {
    let strain = log_strain(&svd(f).sigma);
    lame.mu * strain.norm() * strain.norm() + 0.5 * lame.lambda * strain.sum() * strain.sum()
}
