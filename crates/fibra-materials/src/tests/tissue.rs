//! Tissue's return mapping: shear stays within the limit, compression preserves volume, tension scales all strains, and the limit
//! decreases with damage.

use super::oracle::{Draw, condition, lame, largest, singular_values, static_response, wide, wide_symmetric};
use crate::Tissue;

fn shear(f: &fibra_core::mat3::Mat3) -> f64 {
    let s = singular_values(wide(f));
    (s[0] / s[2]).ln()
}

#[test]
fn shear_is_clamped_and_tension_opens_material() {
    let tissue = Tissue { lame: lame(), critical_shear: 0.2, softening: 0.0 };
    let (mut whole, mut torn) = (0, 0);
    for index in 0..300 {
        let f = Draw::new(71).deformation([[0.97, 1.05], [0.6, 1.6]][index as usize % 2], index);
        let r = static_response(&tissue, &f, 0.0);
        let before = shear(&f);
        assert!((shear(&r.f) - before.min(0.2)).abs() < 3e-6 * condition(wide(&f)), "{before} became {}", shear(&r.f));
        let (volume, left) = (wide(&f).determinant().ln(), wide(&r.f).determinant().ln());
        let share = if volume > 0.0 { (0.2 / before).min(1.0) } else { 1.0 };
        assert!((left - share * volume).abs() < 3e-6 * condition(wide(&f)), "ln J = {volume} became {left}");
        assert!((f64::from(r.memory) - (before - 0.2).max(0.0)).abs() < 3e-6 * condition(wide(&f)));
        let again = static_response(&tissue, &r.f, r.memory);
        assert!(largest(wide_symmetric(&again.tau) - wide_symmetric(&r.tau)) < 2.0);
        if before < 0.2 { whole += 1 } else { torn += 1 }
    }
    assert!(whole > 50 && torn > 50);
}

#[test]
fn torn_material_is_weaker() {
    let tissue = Tissue { lame: lame(), critical_shear: 0.2, softening: 4.0 };
    let f = Draw::new(72).stretched([1.3, 1.0, 1.0 / 1.3], 0);
    // A lost shear of 0.25 halves the limit.
    assert!((shear(&static_response(&tissue, &f, 0.25).f) - 0.1).abs() < 1e-5);
    assert!((shear(&static_response(&tissue, &f, 0.0).f) - 0.2).abs() < 1e-5);
}
