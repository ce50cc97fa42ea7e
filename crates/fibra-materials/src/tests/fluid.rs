//! Tests of the liquid: Tait pressure, Newtonian viscosity, and volume history.

use super::oracle::{Draw, largest, wide, wide_symmetric};
use crate::Fluid;
use crate::law::{Law, Trial};
use fibra_core::mat3::Mat3;
use glam::{DMat3, DVec3};

fn water() -> Fluid {
    Fluid { bulk_modulus: 2e5, gamma: 7.0, viscosity: 0.5 }
}

/// `p = K/gamma (J^-gamma - 1)`, and no tension beyond the rest volume.
#[test]
fn pressure_follows_taits_equation() {
    for step in 0..=140 {
        let j = (0.35 + 0.005 * f64::from(step)) as f32;
        let r = water().respond(&Trial { f: Mat3::IDENTITY, grad_v: Mat3::ZERO, memory: j, dt: 0.0 });
        let exact = f64::from(j.min(Fluid::VOLUME[1]));
        let pressure = (2e5 / 7.0 * (exact.powf(-7.0) - 1.0)).max(0.0);
        let expected = DMat3::from_diagonal(DVec3::splat(-exact * pressure));
        let off = largest(wide_symmetric(&r.tau) - expected);
        assert!(off < 2e-6 * (pressure + 2e5), "J {j}: off by {off:e} Pa");
        // Speed of sound: rho_0 c^2 = K J^(1 - gamma).
        let stiffness = 2e5 * exact.powf(-6.0);
        assert!((f64::from(r.modulus) / stiffness - 1.0).abs() < 3e-6, "J {j}: {} Pa", r.modulus);
        assert_eq!(water().volume_ratio(&r.f, r.memory), r.memory);
    }
}

/// `tau = J (-p I + 2 eta (D - tr(D)/3 I))`: a shear rate g gives the stress J eta g, a rotation gives none.
#[test]
fn viscous_stress_is_newtonian() {
    let rate = 12.0f32;
    for j in [1.0f32, 0.9] {
        let respond = |grad_v: Mat3| water().respond(&Trial { f: Mat3::IDENTITY, grad_v, memory: j, dt: 0.0 }).tau;
        let still = respond(Mat3::ZERO);
        let sheared = respond(Mat3 { xy: rate, ..Mat3::ZERO });
        assert!((sheared.xy / (j * 0.5 * rate) - 1.0).abs() < 1e-6);
        assert_eq!([sheared.xx, sheared.yy, sheared.zz, sheared.xz], [still.xx, still.yy, still.zz, 0.0]);
        assert_eq!(respond(Mat3 { xy: rate, yx: -rate, ..Mat3::ZERO }), still);
    }
    let draw = Draw::new(61);
    for index in 0..100 {
        let grad_v = draw.matrix([-50.0, 50.0], index);
        let tau = wide_symmetric(&water().respond(&Trial { f: Mat3::IDENTITY, grad_v, memory: 1.0, dt: 0.0 }).tau);
        let g = wide(&grad_v);
        let d = (g + g.transpose()) * 0.5;
        let trace = d.x_axis.x + d.y_axis.y + d.z_axis.z;
        let expected = (d - DMat3::from_diagonal(DVec3::splat(trace / 3.0))) * 2.0 * 0.5;
        assert!(largest(tau - expected) < 1e-4, "{tau} is not {expected}");
    }
}

/// `J` is the product of `1 + dt tr(grad v)`, independent of shear.
#[test]
fn volume_follows_the_divergence() {
    let draw = Draw::new(62);
    let dt = 1e-4f32;
    let (mut j, mut exact) = (1.0f32, 1.0f64);
    for step in 0..2000 {
        // Slow compression with fast random shear on top.
        let mut grad_v = draw.matrix([-20.0, 20.0], step);
        let wanted = -1.5 + draw.between([-10.0, 10.0], &[step, 1]) as f32;
        grad_v.zz = wanted - grad_v.xx - grad_v.yy;
        exact *= 1.0 + f64::from(dt) * wide(&grad_v).to_cols_array().iter().step_by(4).sum::<f64>();
        let r = water().respond(&Trial { f: Mat3::IDENTITY, grad_v, memory: j, dt });
        assert_eq!(r.f, Mat3::IDENTITY);
        j = r.memory;
        assert!(exact < 1.0199, "the history must stay within the bounds");
    }
    // Each factor has a rounding error of 6e-8; the errors add like a random walk.
    assert!((f64::from(j) / exact - 1.0).abs() < 2000.0f64.sqrt() * 3e-7, "J {j}, not {exact}");
    assert!(exact < 0.85, "the history compressed to {exact} only");
}

/// `J` is clamped to the law's interval, and a separated liquid builds up pressure as soon as it closes.
#[test]
fn volume_is_clamped_to_its_interval() {
    let at = |memory: f32, rate: f32| {
        let grad_v = Mat3::diagonal(rate, 0.0, 0.0);
        water().respond(&Trial { f: Mat3::IDENTITY, grad_v, memory, dt: 1e-2 })
    };
    let [low, high] = Fluid::VOLUME;
    assert_eq!(at(1.0, 50.0).memory, high);
    assert_eq!(at(0.31, -50.0).memory, low);
    assert_eq!(at(high, 0.0).tau.trace(), 0.0);
    assert!(at(high, -3.0).tau.trace() < 0.0, "no pressure after closing by 3 %");
    assert!(at(0.31, -1e6).tau.trace().is_finite());
}
