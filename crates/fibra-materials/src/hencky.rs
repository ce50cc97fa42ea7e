//! Hencky (logarithmic strain) elasticity, shared by the laws whose return mapping is simple in logarithmic strain.

use super::Lame;
use super::isotropic::{self, Curvature};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{left_svd, svd};
use fibra_core::elementary::{exp_m1, ln, pick};
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// Smallest stretch for the logarithm; flatter particles count as crushed.
pub(super) const SMALLEST_STRETCH: f32 = 0.05;

/// Returns `ln s`, continued by its tangent below [`SMALLEST_STRETCH`]. Crushed or inverted material is thus pushed back with a
/// finite force, and the energy is differentiable everywhere.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn log_stretch(s: f32) -> f32 {
    let clamped = clamped_stretch(s);
    ln(clamped) + (s - clamped) / clamped
}

/// Returns `(psi_i - psi_j) / (sigma_i - sigma_j)` of the energy's derivatives `psi_i = t_i / clamped_i` with respect to two stretches.
/// The result is accurate to rounding even for nearly equal stretches. `clamped` is the clamped stretch, `mean_stress` is
/// `(t_i + t_j) / 2`, and `t_i - t_j = 2 mu (ln sigma_i - ln sigma_j)`.
///
/// With `s = 1 / clamped`, `psi_i - psi_j = (t_i - t_j) (s_i + s_j) / 2 + (t_i + t_j) / 2 (s_i - s_j)`, and
/// `s_i - s_j = -(clamped_i - clamped_j) s_i s_j`.
#[inline(always)]
pub(super) fn over_gap([a, b]: [f32; 2], [log_a, log_b]: [f32; 2], mean_stress: f32, mu: f32) -> f32 {
    let (clamped_a, clamped_b) = (clamped_stretch(a), clamped_stretch(b));
    let sum = 1.0 / (clamped_a + clamped_b);
    let x = (clamped_a - clamped_b) * sum;
    let x2 = x * x;
    let near = x2 < 0.01;
    let gap = 1.0 / if near { 1.0 } else { a - b };
    // ln a - ln b = 2 (x + x^3/3 + x^5/5 + ...) with x = (a - b) / (a + b).
    let log_series = 2.0 * sum * (1.0 + x2 * (1.0 / 3.0 + x2 * (0.2 + x2 * (1.0 / 7.0))));
    let log_quotient = if near { log_series } else { (log_a - log_b) * gap };
    // Below the smallest stretch, the clamped stretch does not depend on the stretch.
    let moves = |s: f32| if s < SMALLEST_STRETCH { 0.0 } else { 0.5 };
    let held_quotient = if near { moves(a) + moves(b) } else { (clamped_a - clamped_b) * gap };
    let (slope_a, slope_b) = (1.0 / clamped_a, 1.0 / clamped_b);
    mu * (slope_a + slope_b) * log_quotient - mean_stress * slope_a * slope_b * held_quotient
}

/// Clamps the stretch to at least [`SMALLEST_STRETCH`]. The result is the inverse of the slope of [`log_stretch`].
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn clamped_stretch(s: f32) -> f32 {
    // A comparison, because `max` would hide a NaN.
    pick(s < SMALLEST_STRETCH, SMALLEST_STRETCH, s)
}

/// Returns Hencky's strain `ln sigma` of the clamped stretches.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn strain(sigma: &Diag3) -> Diag3 {
    // `max` would hide a stretch that is not finite; its product with zero is NaN and propagates.
    let sound = 0.0 * sigma.sum();
    Diag3 { x: log_size(sigma.x) + sound, y: log_size(sigma.y) + sound, z: log_size(sigma.z) + sound }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn log_size(s: f32) -> f32 {
    ln(f32::max(f32::abs(s), SMALLEST_STRETCH))
}

/// Returns the relative change of each stretch that takes the strain from `measured` to `wanted`; exactly zero where they agree.
/// Crushed stretches are raised to the clamping value, and inverted ones are reflected.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn stretch_change(sigma: &Diag3, measured: &Diag3, wanted: &Diag3) -> Diag3 {
    Diag3 {
        x: change(sigma.x, measured.x, wanted.x),
        y: change(sigma.y, measured.y, wanted.y),
        z: change(sigma.z, measured.z, wanted.z),
    }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn change(s: f32, from: f32, to: f32) -> f32 {
    let size = f32::abs(s);
    let raised = SMALLEST_STRETCH / f32::max(size, 1e-6);
    let factor = pick(size < SMALLEST_STRETCH, raised, 1.0);
    let signed = pick(s < 0.0, -factor, factor);
    // `exp_m1` is accurate for tiny arguments. Otherwise, the errors of thousands of steps of slow flow would add up.
    signed * exp_m1(to - from) + (signed - 1.0)
}

/// Returns the wave modulus: a pressure wave along `k` has `sigma_k^2 d^2 psi / d sigma_k^2 = lambda + 2 mu - tau_k`, where `tau`
/// are the principal stresses. Compression stiffens.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn wave_modulus(tau: &Diag3, lame: &Lame) -> f32 {
    lame.wave_modulus() + f32::max(0.0, f32::max(-tau.x, f32::max(-tau.y, -tau.z)))
}

/// Returns the stress of a strain, given by its trace and its deviator scaled by `keep` [Pa].
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn stress(deviator: &Sym3, keep: f32, trace: f32, lame: &Lame) -> Sym3 {
    let pressure = (lame.lambda + 2.0 / 3.0 * lame.mu) * trace;
    deviator.combine(2.0 * lame.mu * keep, deviator, 0.0).add_isotropic(pressure)
}

/// Returns an upper bound of [`wave_modulus`] without computing principal stresses.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub(super) fn wave_modulus_bound(tau: &Sym3, lame: &Lame) -> f32 {
    lame.wave_modulus() + f32::max(0.0, tau.combine(-1.0, tau, 0.0).eigenvalue_bound())
}

/// Returns `psi = mu |eps|^2 + lambda/2 tr(eps)^2` with `eps = ln sigma`, continued by [`log_stretch`].
#[inline(always)]
pub(super) fn energy(f: &Mat3, lame: &Lame) -> f32 {
    let strain = map(&left_svd(f).sigma, log_stretch);
    lame.mu * strain.norm() * strain.norm() + 0.5 * lame.lambda * strain.sum() * strain.sum()
}

#[inline(always)]
fn map(d: &Diag3, of: impl Fn(f32) -> f32) -> Diag3 {
    Diag3 { x: of(d.x), y: of(d.y), z: of(d.z) }
}

#[inline(always)]
fn product(a: &Diag3, b: &Diag3) -> Diag3 {
    Diag3 { x: a.x * b.x, y: a.y * b.y, z: a.z * b.z }
}

/// Returns the logarithms `eps`, the stresses `t = 2 mu eps + lambda tr(eps)` and the slopes of the logarithms. The energy's first
/// derivatives with respect to the singular values are `psi_i = t_i slope_i`.
#[inline(always)]
fn strain_stress_slope(sigma: &Diag3, lame: &Lame) -> [Diag3; 3] {
    let strain = map(sigma, log_stretch);
    let stress = strain.scale_shift(2.0 * lame.mu, lame.lambda * strain.sum());
    [strain, stress, map(sigma, |s| 1.0 / clamped_stretch(s))]
}

/// Derivative of [`energy`].
#[inline(always)]
pub(super) fn piola(f: &Mat3, lame: &Lame) -> Mat3 {
    let svd = svd(f);
    let [_, stress, slope] = strain_stress_slope(&svd.sigma, lame);
    isotropic::piola(&svd, &product(&stress, &slope))
}

/// Derivative of [`piola`].
#[inline(always)]
pub(super) fn piola_change(f: &Mat3, lame: &Lame, change: &Mat3) -> Mat3 {
    let svd = svd(f);
    let sigma = svd.sigma;
    let [strain, stress, slope] = strain_stress_slope(&sigma, lame);
    let first = product(&stress, &slope);
    // psi_ii = (2 mu + lambda) slope_i^2 + t_i d(slope_i); the slope of the tangent is constant.
    let own = |sigma: f32, slope: f32, first: f32| {
        lame.wave_modulus() * slope * slope - if sigma < SMALLEST_STRETCH { 0.0 } else { first * slope }
    };
    let over_gap = |sigma, strain, [t, u]: [f32; 2]| over_gap(sigma, strain, 0.5 * (t + u), lame.mu);
    let curvature = Curvature {
        own: Diag3 {
            x: own(sigma.x, slope.x, first.x),
            y: own(sigma.y, slope.y, first.y),
            z: own(sigma.z, slope.z, first.z),
        },
        mixed: Diag3 { x: slope.y * slope.z, y: slope.x * slope.z, z: slope.x * slope.y }.scale_shift(lame.lambda, 0.0),
        over_gap: Diag3 {
            x: over_gap([sigma.y, sigma.z], [strain.y, strain.z], [stress.y, stress.z]),
            y: over_gap([sigma.x, sigma.z], [strain.x, strain.z], [stress.x, stress.z]),
            z: over_gap([sigma.x, sigma.y], [strain.x, strain.y], [stress.x, stress.y]),
        },
        over_sum: Diag3 {
            x: isotropic::over_sum([first.y, first.z], [sigma.y, sigma.z]),
            y: isotropic::over_sum([first.x, first.z], [sigma.x, sigma.z]),
            z: isotropic::over_sum([first.x, first.y], [sigma.x, sigma.y]),
        },
    };
    isotropic::piola_change(&svd, &curvature, change)
}
