//! Snow's return mapping: singular values stay in their interval, the volume change goes to `J_P`, and packing hardens.

use super::oracle::{Draw, fixed_corotated, lame, largest, singular_values, static_response, wide, wide_symmetric};
use crate::law::Law;
use crate::{Lame, Snow};
use fibra_core::mat3::Mat3;

const COMPRESSION: f64 = 0.025;
const STRETCH: f64 = 0.0075;

fn snow() -> Snow {
    Snow { lame: lame(), critical_compression: COMPRESSION as f32, critical_stretch: STRETCH as f32, hardening: 10.0 }
}

fn trials() -> impl Iterator<Item = (Mat3, f32)> {
    let draw = Draw::new(41);
    let ranges = [[0.98, 1.005], [0.95, 1.02], [0.9, 1.1]];
    (0..600).map(move |index| {
        let packing = draw.between([0.95, 1.1], &[index, 5]) as f32;
        (draw.deformation(ranges[index as usize % 3], index), packing)
    })
}

#[test]
fn singular_values_stay_in_their_interval_and_those_inside_stay_put() {
    for (f, packing) in trials() {
        let before = singular_values(wide(&f));
        let after = singular_values(wide(&static_response(&snow(), &f, packing).f));
        for (b, a) in before.into_iter().zip(after) {
            assert!((a - b.clamp(1.0 - COMPRESSION, 1.0 + STRETCH)).abs() < 2e-6, "{b} became {a}");
        }
    }
}

/// `det F_E det F_P` is the volume ratio; plastic flow moves volume between the factors without changing the product.
#[test]
fn volume_lost_by_the_elastic_part_is_gained_by_the_plastic_part() {
    for (f, packing) in trials() {
        let r = static_response(&snow(), &f, packing);
        let before = wide(&f).determinant() * f64::from(packing);
        let after = wide(&r.f).determinant() * f64::from(r.memory);
        assert!((before / after - 1.0).abs() < 3e-6, "{before} became {after}");
        let reported = f64::from(snow().volume_ratio(&r.f, r.memory));
        assert!((reported / after - 1.0).abs() < 1e-6, "the law reports {reported}, not {after}");
    }
}

/// `F_E` keeps its principal axes; only stretches change.
#[test]
fn flow_keeps_the_principal_axes() {
    for (f, packing) in trials() {
        let (f, kept) = (wide(&f), wide(&static_response(&snow(), &f, packing).f));
        // U s V^T and U s' V^T: both products with a transpose are symmetric.
        for product in [f * kept.transpose(), f.transpose() * kept] {
            assert!(largest(product - product.transpose()) < 3e-6);
        }
    }
}

#[test]
fn a_second_map_changes_nothing() {
    for (f, packing) in trials() {
        let once = static_response(&snow(), &f, packing);
        let twice = static_response(&snow(), &once.f, once.memory);
        assert!(largest(wide(&twice.f) - wide(&once.f)) < 2e-6);
        assert!((twice.memory / once.memory - 1.0).abs() < 3e-6);
    }
}

/// Flow dissipates, at the packing after the flow. This holds for shear alone. With Poisson's ratio above 0, clamping one stretch
/// while another is compressed can move `J` away from 1; this is a property of the law itself.
#[test]
fn flow_never_adds_energy() {
    let snow = Snow { lame: Lame::new(1e5, 0.0), ..snow() };
    for (f, packing) in trials() {
        let r = static_response(&snow, &f, packing);
        let mu = f64::from(snow.lame.mu) * (10.0 * (1.0 - f64::from(r.memory))).exp();
        let (before, after) = (fixed_corotated(wide(&f), mu, 0.0), fixed_corotated(wide(&r.f), mu, 0.0));
        let slack = 1e-6 * largest(wide_symmetric(&r.tau));
        assert!(after <= before + slack, "{before} J/m^3 became {after} at {f:?}");
    }
}

/// `mu = mu_0 e^(xi (1 - J_P))`: the stress at a given elastic strain grows with this factor, and packing stiffens.
#[test]
fn packed_snow_is_harder() {
    let f = Draw::new(42).deformation([0.985, 1.005], 0);
    let fresh = wide_symmetric(&static_response(&snow(), &f, 1.0).tau);
    for packing in [0.7f32, 0.9, 0.99, 1.05, 1.3] {
        let expected = fresh * (10.0 * (1.0 - f64::from(packing))).exp();
        let r = static_response(&snow(), &f, packing);
        let off = largest(wide_symmetric(&r.tau) - expected);
        // The return mapping gives J_P with a rounding error, which the hardening multiplies by 10.
        assert!(off < 1e-5 * largest(expected), "packing {packing}: off by {off:e} Pa of {:e}", largest(expected));
        assert_eq!(r.modulus > static_response(&snow(), &f, 1.0).modulus, packing < 1.0);
    }
    // Under stepwise compression J_P decreases and the stress grows.
    let (mut f, mut packing, mut last) = (Mat3::IDENTITY, 1.0, 0.0);
    for step in 0..40 {
        let r = static_response(&snow(), &f.scale(0.995), packing);
        let pressure = -r.tau.trace() / 3.0;
        assert!(pressure > last, "step {step}: {pressure} Pa after {last}");
        assert!(r.memory <= packing + 1e-6);
        (f, packing, last) = (r.f, r.memory, pressure);
    }
    assert!(packing < 0.65, "J_P is {packing}");
}
