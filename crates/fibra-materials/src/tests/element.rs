//! The elastic part of the laws of curves and surfaces: stress, Hessian and wave modulus are derivatives of the energy.

use super::oracle::{
    Draw, cloth, condition, fiber, gradient, gradient_change, lame, largest, narrow, triangular, wide, wide_symmetric,
};
use crate::law::{ContactModel, ElementLaw};
use crate::{Cloth, Fiber, Lame};
use fibra_core::mat3::Mat3;
use glam::{DMat3, DVec3};

pub fn a_fiber(contact: ContactModel) -> Fiber {
    Fiber::new(3e5, 2e4, lame(), 0.4, contact)
}

pub fn a_cloth(contact: ContactModel) -> Cloth {
    Cloth::new(lame(), 4e5, 3e4, 0.4, contact)
}

/// Runs one check on both laws, each with its energy in `f64`.
macro_rules! for_both {
    ($contact:expr, |$law:ident, $psi:ident| $body:expr) => {{
        {
            let $law = a_fiber($contact);
            let $psi = |d: DMat3| fiber(&$law, d);
            $body
        }
        {
            let $law = a_cloth($contact);
            let $psi = |d: DMat3| cloth(&$law, d);
            $body
        }
    }};
}

/// Returns `Q R` with a random rotation `Q` and a random triangular matrix `R`. Diagonal and off-diagonal entries have separate ranges.
pub fn triangle(draw: &Draw, diagonal: [f64; 2], shear: f64, index: u64) -> DMat3 {
    let on = |k| draw.between(diagonal, &[index, 60, k]);
    let off = |k| draw.between([-shear, shear], &[index, 61, k]);
    let r = DMat3::from_cols(
        DVec3::new(on(0), 0.0, 0.0),
        DVec3::new(off(0), on(1), 0.0),
        DVec3::new(off(1), off(2), on(2)),
    );
    draw.rotation(index, 62) * r
}

/// Like [`triangle`], but with a given last diagonal entry: flattened, slightly inverted, inverted.
fn flattened(draw: &Draw, height: f64, index: u64) -> DMat3 {
    let d = triangle(draw, [0.7, 1.4], 0.4, index);
    let r = triangular(d);
    let q = d * r.inverse();
    q * DMat3::from_cols(r.x_axis, r.y_axis, DVec3::new(r.z_axis.x, r.z_axis.y, height))
}

/// Returns deformed directions: at rest, moderately and strongly deformed, compressed, flat, and inverted.
fn states() -> Vec<Mat3> {
    let draw = Draw::new(41);
    let mut states = Vec::new();
    for (r, (diagonal, shear)) in
        [([0.99, 1.01], 0.01), ([0.8, 1.25], 0.3), ([0.4, 0.9], 0.2), ([1.1, 2.5], 0.5), ([0.3, 2.0], 1.0)]
            .into_iter()
            .enumerate()
    {
        states.extend((0..40).map(|i| triangle(&draw, diagonal, shear, 1000 * r as u64 + i)));
    }
    for (h, height) in [0.2, 0.1, 0.03, -0.02, -0.1, -0.5].into_iter().enumerate() {
        states.extend((0..20).map(|i| flattened(&draw, height, 10_000 + 1000 * h as u64 + i)));
    }
    states.into_iter().map(narrow).collect()
}

/// Scale of stress and energy [Pa].
const STIFFNESS: f64 = 4e5;

/// Tolerance: a few units in the last place of `d`, times the condition number.
fn tolerance(d: DMat3, piola: DMat3) -> f64 {
    2e-6 * condition(d) * largest(piola).max(STIFFNESS)
}

#[test]
fn stress_is_the_derivative_of_the_energy() {
    for_both!(ContactModel::Elastic, |law, psi| for d in states() {
        let exact = gradient(psi, wide(&d));
        let r = law.respond(&d);
        let slack = tolerance(wide(&d), exact);
        assert_eq!(r.d, d, "{law:?} flowed");
        assert_eq!(r.piola, law.piola(&d));
        let error = largest(wide(&r.piola) - exact);
        assert!(error < slack, "{law:?}: stress off by {error:e} Pa, tolerance {slack:e}, at {d:?}");

        // The Kirchhoff stress is symmetric, though only half of it is computed.
        let slack = slack * largest(wide(&d));
        let error = largest(wide(&r.piola) * wide(&d).transpose() - wide_symmetric(&r.tau));
        assert!(error < slack, "{law:?}: P d^T is not symmetric by {error:e} Pa, tolerance {slack:e}, at {d:?}");

        let (energy, exact) = (f64::from(ElementLaw::energy(&law, &d)), psi(wide(&d)));
        let error = (energy - exact).abs();
        assert!(error < slack + 2e-6 * exact, "{law:?}: energy off by {error:e} J/m^3 at {d:?}");
    });
}

#[test]
fn the_hessian_is_the_derivative_of_the_stress() {
    let draw = Draw::new(42);
    for_both!(ContactModel::Elastic, |law, psi| for (i, d) in states().into_iter().enumerate() {
        let (i, wide_d) = (i as u64, wide(&d));
        let (a, b) = (draw.matrix([-1.0, 1.0], 2 * i), draw.matrix([-1.0, 1.0], 2 * i + 1));
        let exact = gradient_change(psi, wide_d, wide(&a), 1e-4);
        let product = wide(&law.piola_change(&d, &a));
        let slack = 1e-5 * condition(wide_d) * largest(exact).max(STIFFNESS);
        let error = largest(product - exact);
        assert!(error < slack, "{law:?}: Hessian off by {error:e} Pa, tolerance {slack:e}, at {d:?}");

        let inner = |a: DMat3, b: DMat3| (0..3).map(|k| a.col(k).dot(b.col(k))).sum::<f64>();
        let other = wide(&law.piola_change(&d, &b));
        let error = (inner(wide(&b), product) - inner(wide(&a), other)).abs();
        assert!(error < slack, "{law:?}: Hessian not symmetric by {error:e} Pa, tolerance {slack:e}, at {d:?}");
    });
}

/// States with equal and nearly equal singular values of section or surface: the law must not divide by their difference.
#[test]
fn the_hessian_is_correct_at_equal_stretches() {
    let draw = Draw::new(43);
    for_both!(ContactModel::Elastic, |law, psi| for i in 0..80u64 {
        let s = draw.between([0.4, 1.5], &[i, 0]);
        let gap = [0.0, 1e-7, 1e-4, 2e-3, 4e-3, 1e-2][i as usize % 6];
        let d = narrow(draw.rotation(i, 1) * DMat3::from_diagonal(DVec3::new(s, s + gap, s)));
        let a = draw.matrix([-1.0, 1.0], i);
        let exact = gradient_change(psi, wide(&d), wide(&a), 1e-4);
        let product = wide(&law.piola_change(&d, &a));
        let error = largest(product - exact);
        let slack = 1e-5 * largest(exact).max(STIFFNESS);
        assert!(error < slack, "{law:?}: Hessian off by {error:e} Pa, tolerance {slack:e}, at {d:?}");
    });
}

#[test]
fn laws_are_frame_indifferent() {
    let draw = Draw::new(44);
    for contact in [ContactModel::Frictional, ContactModel::Elastic, ContactModel::Absent] {
        for_both!(contact, |law, _psi| for (i, d) in states().into_iter().enumerate() {
            let q = draw.rotation(i as u64, 0);
            let turned = narrow(q * wide(&d));
            let (r, t) = (law.respond(&d), law.respond(&turned));
            let slack = tolerance(wide(&d), wide(&r.piola));
            let error = largest(wide(&t.piola) - q * wide(&r.piola));
            assert!(
                error < 4.0 * slack,
                "{law:?}: not frame indifferent by {error:e} Pa, tolerance {slack:e}, at {d:?}"
            );
            let error = largest(wide(&t.d) - q * wide(&r.d));
            assert!(
                error < 4e-6 * condition(wide(&d)) * largest(wide(&d)),
                "{law:?}: flow is not frame indifferent by {error:e} at {d:?}"
            );
        });
    }
}

/// Returns the largest wave modulus over all polarizations `a` and normals `n`: the maximum of the energy's second derivative
/// along `(I + s a n^T) d`. It equals the largest eigenvalue of the acoustic tensor over all normals.
fn stiffest_wave(psi: impl Fn(DMat3) -> f64, d: DMat3, draw: &Draw) -> f64 {
    let h = 1e-4;
    let frame = d * triangular(d).inverse();
    let along = |a: DVec3, n: DVec3| {
        let wave = DMat3::from_cols(a * n.x, a * n.y, a * n.z) * d;
        (psi(d + wave * h) - 2.0 * psi(d) + psi(d - wave * h)) / (h * h)
    };
    let normals = (0..60).map(|k| draw.direction(k, 50)).chain([frame.x_axis, frame.y_axis, frame.z_axis]);
    let mut greatest = f64::MIN;
    for n in normals {
        // Build the matrix of the quadratic form from its values. After a shift it is positive definite, so its largest eigenvalue is a singular
        // value.
        let (x, y, z) = (along(DVec3::X, n), along(DVec3::Y, n), along(DVec3::Z, n));
        let mixed = |a: DVec3, b: DVec3, of_a: f64, of_b: f64| 0.5 * (along(a + b, n) - of_a - of_b);
        let (xy, xz, yz) =
            (mixed(DVec3::X, DVec3::Y, x, y), mixed(DVec3::X, DVec3::Z, x, z), mixed(DVec3::Y, DVec3::Z, y, z));
        let tensor = DMat3::from_cols(DVec3::new(x, xy, xz), DVec3::new(xy, y, yz), DVec3::new(xz, yz, z));
        let shift = 1e7;
        let shifted = tensor + DMat3::from_diagonal(DVec3::splat(shift));
        greatest = greatest.max(super::oracle::singular_values(shifted)[0] - shift);
    }
    greatest
}

/// A compressed element may be at rest one step later, so its law must report at least the modulus at rest.
#[test]
fn laws_report_their_stiffest_wave() {
    let draw = Draw::new(45);
    for (r, (diagonal, shear)) in
        [([0.95, 1.05], 0.05), ([0.7, 1.0], 0.2), ([1.0, 1.4], 0.2), ([0.7, 1.4], 0.5)].into_iter().enumerate()
    {
        for i in 0..40 {
            let d = narrow(triangle(&draw, diagonal, shear, 1000 * r as u64 + i));
            for_both!(ContactModel::Elastic, |law, psi| {
                let (exact, at_rest) =
                    (stiffest_wave(psi, wide(&d), &draw), stiffest_wave(psi, DMat3::IDENTITY, &draw));
                let exact = exact.max(at_rest);
                let ratio = f64::from(law.respond(&d).modulus) / exact;
                assert!((0.95..2.0).contains(&ratio), "{law:?}: {ratio} times the {exact:e} Pa needed at {d:?}");
            });
        }
    }
}

/// Contact stiffness below and above the stiffness along fiber or surface, with large and vanishing shear stiffness: the bound must hold for all
/// ratios.
#[test]
fn the_wave_bound_holds_for_other_proportions() {
    let draw = Draw::new(46);
    for i in 0..120u64 {
        let times = |k: u64| 10f64.powf(draw.between([-1.5, 1.5], &[i, k])) as f32;
        let d = narrow(triangle(&draw, [0.75, 1.3], 0.3, i));
        let law = Fiber::new(1e5 * times(0), 1e5 * times(1), lame(), 0.4, ContactModel::Elastic);
        let exact = stiffest_wave(|d| fiber(&law, d), wide(&d), &draw);
        let exact = exact.max(stiffest_wave(|d| fiber(&law, d), DMat3::IDENTITY, &draw));
        let ratio = f64::from(law.respond(&d).modulus) / exact;
        assert!((0.95..2.0).contains(&ratio), "{law:?}: {ratio} times the {exact:e} Pa needed at {d:?}");
        let law = Cloth::new(lame(), 1e5 * times(2), 1e5 * times(3), 0.4, ContactModel::Elastic);
        let exact = stiffest_wave(|d| cloth(&law, d), wide(&d), &draw);
        let exact = exact.max(stiffest_wave(|d| cloth(&law, d), DMat3::IDENTITY, &draw));
        let ratio = f64::from(law.respond(&d).modulus) / exact;
        assert!((0.95..2.0).contains(&ratio), "{law:?}: {ratio} times the {exact:e} Pa needed at {d:?}");
    }
}

/// The stress is zero at rest. Without contact it comes only from the mesh's own elasticity.
#[test]
fn stress_is_zero_at_rest_and_without_contact_only_from_the_mesh() {
    let draw = Draw::new(47);
    for i in 0..60 {
        let q = narrow(draw.rotation(i, 0));
        for contact in [ContactModel::Frictional, ContactModel::Elastic, ContactModel::Absent] {
            for_both!(contact, |law, _psi| {
                let tau = largest(wide_symmetric(&law.respond(&q).tau));
                assert!(tau < 3e-6 * STIFFNESS, "{law:?}: {tau:e} Pa in an element after a rigid rotation");
            });
        }
        let d = narrow(triangle(&draw, [0.4, 1.6], 0.8, i));
        let (fiber, cloth) = (a_fiber(ContactModel::Absent), a_cloth(ContactModel::Absent));
        let r = fiber.respond(&d);
        let stretch = triangular(wide(&d)).x_axis.x;
        let direction = wide(&d).x_axis / stretch;
        let pull = direction * (f64::from(fiber.stiffness) * (stretch - 1.0));
        let expected = DMat3::from_cols(pull, DVec3::ZERO, DVec3::ZERO);
        assert!(largest(wide(&r.piola) - expected) < 3e-6 * STIFFNESS, "{:?} is not {expected:?}", r.piola);
        let normals = triangular(wide(&r.d)) - DMat3::from_diagonal(DVec3::new(stretch, 1.0, 1.0));
        let error = largest(normals * DMat3::from_diagonal(DVec3::new(1.0, 0.0, 0.0)));
        assert!(error < 3e-6, "the fiber's stretch changed by {error:e}");
        let gram = wide(&r.d).transpose() * wide(&r.d);
        let ideal = DMat3::from_diagonal(DVec3::new(stretch * stretch, 1.0, 1.0));
        assert!(largest(gram - ideal) < 1e-5, "the section is not reset: {:?}", r.d);
        let r = cloth.respond(&d);
        let normal = wide(&d).x_axis.cross(wide(&d).y_axis).normalize();
        assert!((wide(&r.d).z_axis - normal).length() < 1e-5, "the normal is not reset: {:?}", r.d);
        assert!(wide(&r.piola).z_axis.length() < 3e-6 * STIFFNESS);
        assert!((wide(&r.piola).transpose() * normal).length() < 1e-5 * STIFFNESS, "a force out of the surface");
    }
}

/// Implicit steps have no contact forces either if contact is absent.
#[test]
fn without_contact_only_the_mesh_stores_energy() {
    let draw = Draw::new(48);
    let (fiber, cloth) = (a_fiber(ContactModel::Absent), a_cloth(ContactModel::Absent));
    let contact = ContactModel::Elastic;
    let lone_fiber = Fiber { contact, shear_stiffness: 0.0, lame: Lame { mu: 0.0, lambda: 0.0 }, ..fiber };
    let lone_cloth = Cloth { contact, shear_stiffness: 0.0, normal_stiffness: 0.0, ..cloth };
    for (i, d) in states().into_iter().enumerate() {
        let change = draw.matrix([-1.0, 1.0], i as u64);
        assert_eq!(ElementLaw::energy(&fiber, &d), ElementLaw::energy(&lone_fiber, &d));
        assert_eq!(ElementLaw::piola(&fiber, &d), ElementLaw::piola(&lone_fiber, &d));
        assert_eq!(ElementLaw::piola_change(&fiber, &d, &change), ElementLaw::piola_change(&lone_fiber, &d, &change));
        assert_eq!(ElementLaw::energy(&cloth, &d), ElementLaw::energy(&lone_cloth, &d));
        assert_eq!(ElementLaw::piola(&cloth, &d), ElementLaw::piola(&lone_cloth, &d));
        assert_eq!(ElementLaw::piola_change(&cloth, &d, &change), ElementLaw::piola_change(&lone_cloth, &d, &change));
    }
}
