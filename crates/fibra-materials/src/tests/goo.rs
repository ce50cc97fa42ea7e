//! Goo's return mapping: Bingham's law in steady flow, the von Mises cylinder without viscosity.

use super::oracle::{Draw, hencky, lame, largest, narrow, static_response, wide, wide_symmetric};
use crate::law::{Law, Trial};
use crate::{Goo, Lame};
use fibra_core::mat3::{Mat3, Sym3};
use glam::{DMat3, DVec3};

fn goo(viscosity: f32) -> Goo {
    Goo { lame: Lame::new(1e6, 0.3), yield_stress: 300.0, viscosity }
}

/// Frobenius norm of the deviator [Pa].
fn deviator(tau: &Sym3) -> f64 {
    let tau = wide_symmetric(tau);
    let mean = (tau.x_axis.x + tau.y_axis.y + tau.z_axis.z) / 3.0;
    let deviator = tau - DMat3::from_diagonal(DVec3::splat(mean));
    deviator.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns the stress after steady flow up to a total strain [-].
fn after_flow(goo: &Goo, grad_v: &Mat3, strain: f64, dt: f32) -> Sym3 {
    let rate = largest(wide(grad_v));
    let (mut f, mut tau) = (Mat3::IDENTITY, Sym3::default());
    for _ in 0..(strain / (rate * f64::from(dt))) as usize {
        let trial = Trial { f: f.add(&grad_v.mul(&f).scale(dt)), grad_v: *grad_v, memory: 0.0, dt };
        let r = goo.respond(&trial);
        (f, tau) = (r.f, r.tau);
    }
    tau
}

/// Bingham flow in simple shear at rate g: with |D| = g / sqrt(2), |dev tau| = sqrt(2) tau_xy and
/// |dev tau| = sqrt(2/3) sigma_Y + 2 eta |D|, the stress is tau_xy = sigma_Y / sqrt(3) + eta g.
/// This is the fixed point of the implicit relaxation for any time step: s = (s + 2 mu dt |D| + r s_Y) / (1 + r), r = mu dt / eta,
/// gives s - s_Y = 2 mu dt |D| / r = 2 eta |D|.
#[test]
fn steady_shear_follows_bingham() {
    let shear = |rate: f32| Mat3 { xy: rate, ..Mat3::ZERO };
    for viscosity in [1.0f32, 5.0, 20.0] {
        for rate in [0.5f32, 5.0, 20.0] {
            // Time steps from 0.01 to 5 relaxation times, with at most 0.1 % strain each.
            for share in [0.01, 0.5, 5.0] {
                let dt = (share * viscosity / goo(viscosity).lame.mu).min(1e-3 / rate).max(2e-5 / rate);
                let tau = after_flow(&goo(viscosity), &shear(rate), 0.05, dt);
                let expected = 300.0 / 3.0f64.sqrt() + f64::from(viscosity * rate);
                let off = f64::from(tau.xy) / expected - 1.0;
                // The elastic strain, stress / mu, rotates the principal axes; all neglected terms are of the order of this strain.
                let elastic = expected / f64::from(goo(1.0).lame.mu) + f64::from(rate * dt);
                assert!(off.abs() < 2.0 * elastic + 1e-4, "eta {viscosity}, rate {rate}, dt {dt}: off by {off:e}");
                assert!(tau.xz.abs().max(tau.yz.abs()) < 1.0);
            }
        }
    }
}

/// Uniaxial flow at constant volume, D = e diag(1, -1/2, -1/2): tau_xx - tau_yy = sigma_Y + 3 eta e (Trouton's factor 3).
#[test]
fn steady_extension_has_yield_stress_and_trouton_viscosity() {
    for (viscosity, rate) in [(5.0f32, 4.0f32), (1.0, 20.0)] {
        let grad_v = Mat3::diagonal(rate, -0.5 * rate, -0.5 * rate);
        let tau = after_flow(&goo(viscosity), &grad_v, 0.05, 1e-6);
        let expected = 300.0 + 3.0 * f64::from(viscosity * rate);
        let off = f64::from(tau.xx - tau.yy) / expected - 1.0;
        assert!(off.abs() < 2e-3, "off by {off:e} of {expected} Pa");
    }
}

/// Without viscosity the stress stays on the cylinder at any rate.
#[test]
fn flow_without_viscosity_does_not_depend_on_the_rate() {
    let limit = (2.0f64 / 3.0).sqrt() * 300.0;
    for viscosity in [0.0f32, 1e-12, 1e-6] {
        for rate in [0.1f32, 10.0, 100.0] {
            let tau = after_flow(&goo(viscosity), &Mat3 { xy: rate, ..Mat3::ZERO }, 0.02, 1e-4 / rate);
            assert!((deviator(&tau) / limit - 1.0).abs() < 1e-3, "{} Pa, not {limit}", deviator(&tau));
        }
    }
}

/// Goo is elastic below yield: uniaxial tension up to `sigma_Y` persists, higher tension flows.
#[test]
fn holds_up_to_the_yield_stress() {
    let Lame { mu, lambda } = goo(1.0).lame;
    let (mu, lambda) = (f64::from(mu), f64::from(lambda));
    for (pull, flows) in [(297.0, false), (303.0, true)] {
        let trace = pull / (3.0 * lambda + 2.0 * mu);
        let strain = [pull, 0.0, 0.0].map(|t: f64| ((t - lambda * trace) / (2.0 * mu)).exp());
        let f = narrow(DMat3::from_diagonal(DVec3::from_array(strain)));
        let r = goo(1.0).respond(&Trial { f, grad_v: Mat3::ZERO, memory: 0.0, dt: 1.0 });
        let still = (f64::from(r.tau.xx) - pull).abs() < 0.5;
        assert_eq!(still, !flows, "{pull} Pa became {}", r.tau.xx);
        let kept = f64::from(r.tau.xx - r.tau.yy);
        assert!(kept < 300.5, "{kept} Pa stays after a long time");
    }
}

/// Flow preserves volume, principal axes and mean stress, and dissipates.
#[test]
fn flow_is_a_shear_and_dissipates() {
    let draw = Draw::new(51);
    for index in 0..300 {
        let f = draw.deformation([[0.999, 1.001], [0.8, 1.2]][index as usize % 2], index);
        let goo = Goo { lame: lame(), ..goo(10.0) };
        let r = goo.respond(&Trial { f, grad_v: Mat3::ZERO, memory: 0.0, dt: 1e-3 });
        let (before, after) = (wide(&f), wide(&r.f));
        assert!((before.determinant() / after.determinant() - 1.0).abs() < 3e-6);
        for product in [before * after.transpose(), before.transpose() * after] {
            assert!(largest(product - product.transpose()) < 3e-6);
        }
        let (mu, lambda) = (f64::from(lame().mu), f64::from(lame().lambda));
        // Rounding changes the strains by a few 1e-7, which does work against the stress.
        let slack = 3e-6 * largest(wide_symmetric(&r.tau));
        let (before, after) = (hencky(before, mu, lambda), hencky(after, mu, lambda));
        assert!(after <= before + slack, "{before} J/m^3 became {after} ({slack})");
        let unyielding = Goo { yield_stress: 1e12, ..goo };
        let mean = static_response(&unyielding, &f, 0.0).tau.trace();
        assert!((r.tau.trace() - mean).abs() < 1e-5 * lame().wave_modulus());
    }
}
