//! Tests of the viscoelastic liquid against the closed forms of Oldroyd's model B.

use super::oracle::{Draw, gradient, gradient_change, largest, wide};
use crate::law::{ImplicitLaw, Law, Response, Trial};
use crate::{Fluid, MaterialModel, MaterialParams, Slime, SlimeParams};
use fibra_core::mat3::Mat3;
use glam::DMat3;

const LIQUID: Fluid = Fluid { bulk_modulus: 2e5, gamma: 7.0, viscosity: 0.5 };
const SLIME: Slime = Slime { shear_modulus: 40.0, relaxation_time: 0.1, liquid: LIQUID };

/// Returns the response after a flow over `steps` steps of `dt` [s], from rest.
fn flow(slime: &Slime, grad_v: Mat3, dt: f32, steps: usize) -> Response {
    let mut r = slime.respond(&Trial { f: Mat3::IDENTITY, grad_v: Mat3::ZERO, memory: 1.0, dt: 0.0 });
    for _ in 0..steps {
        r = slime.respond(&Trial { f: r.f.add(&grad_v.mul(&r.f).scale(dt)), grad_v, memory: r.memory, dt });
    }
    r
}

/// After a step in shear of any size the stress is `G gamma exp(-t / lambda)`, and `N1 = tau_xx - tau_yy = gamma tau_xy`.
#[test]
fn stress_relaxes_exponentially() {
    for shear in [0.01f32, 0.3, 2.0] {
        let dt = 1e-4f32;
        let f = Mat3 { xy: shear, ..Mat3::IDENTITY };
        let mut r = SLIME.respond(&Trial { f, grad_v: Mat3::ZERO, memory: 1.0, dt: 0.0 });
        for step in 0..=3000 {
            let t = f64::from(step) * f64::from(dt);
            let expected = 40.0 * f64::from(shear) * (-t / 0.1).exp();
            let off = f64::from(r.tau.xy) / expected - 1.0;
            // Backward Euler: ((1 + x)^(-1/x))^(t / lambda) with x = dt / lambda, off by x / 2 * t / lambda.
            let allowed = 0.51 * 1e-3 * t / 0.1 + 2e-4;
            assert!(off.abs() < allowed, "shear {shear}, {t} s: off by {off:e}");
            let normal = f64::from(r.tau.xx - r.tau.yy);
            assert!((normal - f64::from(shear) * expected).abs() < 40.0 * (allowed * f64::from(shear).powi(2) + 1e-5));
            r = SLIME.respond(&Trial { f: r.f, grad_v: Mat3::ZERO, memory: r.memory, dt });
        }
    }
}

/// In steady shear `tau_xy = (G lambda + eta_s) g` and `N1 = 2 G lambda^2 g^2`, for slow and fast flow.
#[test]
fn steady_shear_has_the_given_viscosity() {
    for rate in [0.5f32, 10.0, 40.0] {
        // The viscosity is exact even for steps as long as the relaxation time.
        for dt in [1e-4f32, 1e-3, 0.1] {
            let steps = (2.0 / dt) as usize;
            let r = flow(&SLIME, Mat3 { xy: rate, ..Mat3::ZERO }, dt, steps);
            let expected = f64::from((40.0 * 0.1 + 0.5) * rate);
            let off = f64::from(r.tau.xy) / expected - 1.0;
            assert!(off.abs() < 1e-3, "rate {rate}, dt {dt}: off by {off:e}");
            // One step adds dt^2 g^2 to the squared stretch along the flow.
            let weissenberg = f64::from(0.1 * rate);
            let normal = 2.0 * 40.0 * weissenberg.powi(2) * (1.0 + 0.5 * f64::from(dt) / 0.1);
            let off = f64::from(r.tau.xx - r.tau.yy) / normal - 1.0;
            assert!(off.abs() < 2e-3, "rate {rate}, dt {dt}: N1 off by {off:e}");
        }
    }
}

/// Steady uniaxial extension at the rate e: `tau_xx - tau_yy = 3 eta_s e + 3 G lambda e / ((1 - 2 lambda e) (1 + lambda e))`.
#[test]
fn steady_extension_thickens() {
    for rate in [0.1f32, 1.0, 3.0] {
        // Long steps for slow flow, so that the rounding errors of `I + dt grad v` are small.
        let dt = 3e-4 / rate;
        let r = flow(&SLIME, Mat3::diagonal(rate, -0.5 * rate, -0.5 * rate), dt, (3.0 / dt) as usize);
        let e = f64::from(rate);
        let expected = 3.0 * 0.5 * e + 3.0 * 4.0 * e / ((1.0 - 0.2 * e) * (1.0 + 0.1 * e));
        let off = f64::from(r.tau.xx - r.tau.yy) / expected - 1.0;
        assert!(off.abs() < 5e-3, "rate {rate}: off by {off:e}");
    }
}

/// The volume does not relax: its pressure is that of the liquid.
#[test]
fn pressure_is_that_of_the_liquid() {
    let squeezed = Mat3::diagonal(0.97, 0.97, 0.97);
    let mut r = SLIME.respond(&Trial { f: squeezed, grad_v: Mat3::ZERO, memory: 1.0, dt: 1e-3 });
    for _ in 0..3000 {
        r = SLIME.respond(&Trial { f: r.f, grad_v: Mat3::ZERO, memory: r.memory, dt: 1e-3 });
    }
    let j = 0.97f32.powi(3);
    assert!((SLIME.volume_ratio(&r.f, r.memory) / j - 1.0).abs() < 1e-5);
    let liquid = LIQUID.respond(&Trial { f: Mat3::IDENTITY, grad_v: Mat3::ZERO, memory: j, dt: 0.0 });
    assert!((r.tau.xx / liquid.tau.xx - 1.0).abs() < 1e-4, "{} {}", r.tau.xx, liquid.tau.xx);
    assert!(largest(wide(&r.f) - DMat3::IDENTITY) < 1e-5);
}

/// Stretches that are crushed or inverted return to a finite, upright state.
#[test]
fn crushed_slime_recovers() {
    for s in [[1.2, 0.9, 0.02], [1.0, 1.0, -0.3], [2.0, 0.5, -0.01], [1.0, 1.0, 0.0]] {
        let f = Mat3::diagonal(s[0], s[1], s[2]);
        let r = SLIME.respond(&Trial { f, grad_v: Mat3::ZERO, memory: 1.0, dt: 1e-3 });
        let stress = wide(&r.tau.to_mat3());
        assert!(stress.is_finite() && r.memory.is_finite() && r.modulus.is_finite(), "{s:?}");
        if s[2] != 0.0 {
            assert!(r.f.det() > 0.0, "{s:?}: {}", r.f.det());
        }
    }
}

/// The stress is the derivative of the energy, and the Hessian that of the stress.
#[test]
fn energy_derivative_and_hessian_are_consistent() {
    let draw = Draw::new(91);
    let slime = Slime { shear_modulus: 4e4, ..SLIME };
    for i in 0..100u64 {
        let range = [[0.8, 0.95], [0.7, 0.9], [1.05, 1.3]][i as usize % 3];
        let f = draw.deformation(range, i);
        let memory = 0.9f32;
        let j = f64::from(memory) * wide(&f).determinant();
        if (0.35..0.98).contains(&j) || j > 1.02 {
            let psi = |f: DMat3| {
                let j = 0.9f32 as f64 * f.determinant();
                let stored = if j < 1.0 { 2e5 / 7.0 * ((j.powf(-6.0) - 1.0) / 6.0 + j - 1.0) } else { 0.0 };
                let norm = f.to_cols_array().iter().map(|x| x * x).sum::<f64>();
                2e4 * (norm - 3.0 - 2.0 * f.determinant().ln()) + stored
            };
            let exact = gradient(psi, wide(&f));
            let scale = largest(exact).max(2e5 * j.min(1.0).powf(-8.0));
            assert!(largest(wide(&slime.piola(&f, memory)) - exact) < 1e-5 * scale, "{f:?}");
            assert!((f64::from(slime.energy(&f, memory)) - psi(wide(&f))).abs() < 1e-5 * scale);
            let change = draw.matrix([-1.0, 1.0], 7000 + i);
            let exact = gradient_change(psi, wide(&f), wide(&change), 1e-4);
            let off = largest(wide(&slime.piola_change(&f, memory, &change)) - exact);
            assert!(off < 1e-3 * scale, "{f:?}: {off:e} of {scale:e}");
        }
    }
}

#[test]
fn parameters_give_moduli() {
    let params = SlimeParams { viscosity: 5.0, relaxation_time: 0.5, solvent_share: 0.2, ..SlimeParams::default() };
    let slime = Slime::from_params(&params);
    assert_eq!([slime.shear_modulus, slime.relaxation_time, slime.liquid.viscosity], [8.0, 0.5, 1.0]);
    assert_eq!(params.density(), 1000.0);
}
