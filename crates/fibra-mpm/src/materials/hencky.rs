//! Hencky (logarithmic strain) elasticity, shared by the laws whose plastic flow is simple in it.

use super::Lame;
use fibra_core::decompose::left_svd;
use fibra_core::elementary::{exp, ln};
use fibra_core::mat3::{Diag3, Mat3};

/// Smallest stretch the logarithm sees: a particle flatter than this is as good as crushed.
pub(super) const SMALLEST_STRETCH: f32 = 0.05;

/// `ln s`, continued below [`SMALLEST_STRETCH`] by its tangent: what is crushed or inverted is pushed back with a finite
/// force, and the energy has a slope everywhere.
#[inline(always)]
pub(super) fn log_stretch(s: f32) -> f32 {
    let held = held_stretch(s);
    ln(held) + (s - held) / held
}

/// The stretch, no smaller than [`SMALLEST_STRETCH`]: the inverse of [`log_stretch`]'s slope.
#[inline(always)]
pub(super) fn held_stretch(s: f32) -> f32 {
    // A comparison, because `max` would hide a stretch that is not a number.
    if s < SMALLEST_STRETCH { SMALLEST_STRETCH } else { s }
}

/// Hencky's strain `ln sigma`, of stretches no smaller than [`SMALLEST_STRETCH`].
#[inline(always)]
pub(super) fn strain(sigma: &Diag3) -> Diag3 {
    let log = |s: f32| ln(f32::max(s.abs(), SMALLEST_STRETCH));
    // The maximum would hide a stretch that is not finite; its product with zero is not a number and carries on.
    let sound = 0.0 * sigma.sum();
    Diag3 { x: log(sigma.x) + sound, y: log(sigma.y) + sound, z: log(sigma.z) + sound }
}

/// Relative change of each stretch that takes the strain from `measured` to `wanted`; exactly zero where they agree. Crushed
/// stretches are raised to what their logarithm was taken of, and inverted ones turned around.
#[inline(always)]
pub(super) fn stretch_change(sigma: &Diag3, measured: &Diag3, wanted: &Diag3) -> Diag3 {
    let change = |s: f32, from: f32, to: f32| {
        let size = s.abs();
        let raised = SMALLEST_STRETCH / f32::max(size, 1e-6);
        let factor = if size < SMALLEST_STRETCH { raised } else { 1.0 };
        let signed = if s < 0.0 { -factor } else { factor };
        signed * exp(to - from) - 1.0
    };
    Diag3 {
        x: change(sigma.x, measured.x, wanted.x),
        y: change(sigma.y, measured.y, wanted.y),
        z: change(sigma.z, measured.z, wanted.z),
    }
}

/// A pressure wave along `k` feels `sigma_k^2 d^2 psi / d sigma_k^2 = lambda + 2 mu - tau_k`, with `tau` the principal
/// stresses: compression stiffens.
#[inline(always)]
pub(super) fn wave_modulus(tau: &Diag3, lame: &Lame) -> f32 {
    lame.wave_modulus() + f32::max(0.0, f32::max(-tau.x, f32::max(-tau.y, -tau.z)))
}

/// `psi = mu |eps|^2 + lambda/2 tr(eps)^2` with `eps = ln sigma`.
pub(super) fn energy(f: &Mat3, lame: &Lame) -> f32 {
    let strain = strain(&left_svd(f).1);
    lame.mu * strain.norm() * strain.norm() + 0.5 * lame.lambda * strain.sum() * strain.sum()
}
