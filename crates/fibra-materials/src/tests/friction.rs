//! Return mappings of curves and surfaces. A single application brings the state onto the yield surface. The mappings dissipate energy,
//! release stress in separation, and do not change the in-manifold directions.

use super::element::{a_cloth, a_fiber, triangle};
use super::oracle::{Draw, cloth, condition, fiber, largest, narrow, triangular, wide, wide_symmetric};
use crate::law::{ContactModel, ElementLaw, ElementResponse};
use crate::{Cloth, Fiber};
use fibra_core::mat3::{Mat3, Sym3};
use glam::DMat3;

/// Returns directions that are compressed, sheared, separated or inverted, from slightly to strongly.
fn trials() -> impl Iterator<Item = Mat3> {
    let draw = Draw::new(51);
    let cases = [([0.97, 1.0], 0.003), ([0.9, 1.02], 0.05), ([0.5, 1.0], 0.3), ([0.98, 1.05], 0.02), ([0.3, 2.0], 1.0)];
    (0..1000u64).map(move |i| {
        let (diagonal, shear) = cases[i as usize % 5];
        let d = triangle(&draw, diagonal, shear, i);
        let mirror = DMat3::from_diagonal(glam::DVec3::new(1.0, 1.0, if i % 50 == 49 { -1.0 } else { 1.0 }));
        narrow(d * mirror)
    })
}

fn flowed(r: &ElementResponse, d: &Mat3) -> bool {
    largest(wide(&r.d) - wide(d)) > 1e-6
}

/// Stress in the frame of the element, from the QR decomposition of its directions.
fn in_frame(r: &ElementResponse) -> DMat3 {
    let d = wide(&r.d);
    let q = d * triangular(d).inverse();
    q.transpose() * wide_symmetric(&r.tau) * q
}

fn columns(d: &Mat3, count: usize) -> Vec<u32> {
    let rows = d.to_rows();
    (0..9).filter(|k| k % 3 < count).map(|k| rows[k].to_bits()).collect()
}

/// `gamma |r13, r23| <= c_F k (1 - r33)^2` and `r33 <= 1`: Coulomb's law for a surface.
#[test]
fn cloth_returns_to_coulombs_cone() {
    let law = a_cloth(ContactModel::Frictional);
    let (k, gamma) = (f64::from(law.normal_stiffness), f64::from(law.shear_stiffness));
    let friction = 0.4f64.tan();
    let (mut stuck, mut slid, mut apart, mut inverted) = (0, 0, 0, 0);
    for d in trials() {
        let r = law.respond(&d);
        let rounding = 3e-6 * condition(wide(&d));
        let (before, after) = (triangular(wide(&d)).z_axis, triangular(wide(&r.d)).z_axis);
        let (drag, push) = (gamma * after.x.hypot(after.y), k * (1.0 - after.z).max(0.0).powi(2));
        assert!(after.z <= 1.0 + rounding);
        if before.z > 1.0 {
            apart += 1;
            assert!(largest(DMat3::from_cols(after - glam::DVec3::Z, after * 0.0, after * 0.0)) < rounding);
            continue;
        }
        assert!((after.z - before.z).abs() < rounding, "the normal's compression flowed");
        if before.z <= 0.0 {
            inverted += 1;
            assert!(drag < rounding * gamma && push > k, "an inverted normal drags with {drag} Pa");
            continue;
        }
        let excess = drag - friction * push;
        assert!(excess < rounding * gamma, "{excess:e} Pa outside after {d:?}");
        if flowed(&r, &d) {
            slid += 1;
            assert!(excess > -rounding * k, "{excess:e} Pa inside after {d:?}");
            // The shear direction does not change.
            assert!((after.x * before.y - after.y * before.x).abs() < rounding);
        } else {
            stuck += 1;
            assert_eq!(r.d, d);
        }
        // The traction on the normal plane, from the stress.
        let tau = in_frame(&r);
        let ratio = tau.z_axis.x.hypot(tau.z_axis.y) - friction * -tau.z_axis.z;
        assert!(ratio < 10.0 * rounding * (k + gamma), "traction {ratio:e} Pa outside");
    }
    assert!(stuck > 50 && slid > 50 && apart > 50 && inverted > 10, "{stuck} {slid} {apart} {inverted}");
}

/// `sqrt(J2) + alpha/2 (s22 + s33) <= 0` across, `|s12, s13| + beta/2 (s22 + s33) <= 0` along.
#[test]
fn fibers_return_to_both_cones() {
    let law = a_fiber(ContactModel::Frictional);
    let sin = 0.4f64.sin();
    let (alpha, beta) = ((2.0f64 / 3.0).sqrt() * 2.0 * sin / (3.0 - sin), 0.4f64.tan());
    let (mut stuck, mut slid, mut apart) = (0, 0, 0);
    for d in trials() {
        let r = law.respond(&d);
        let slack = 3e-6 * condition(wide(&d)) * 4e5;
        let tau = in_frame(&r);
        let (mean, gap) = (0.5 * (tau.y_axis.y + tau.z_axis.z), tau.y_axis.y - tau.z_axis.z);
        let across = gap.hypot(2.0 * tau.z_axis.y) + alpha * mean;
        let along = tau.y_axis.x.hypot(tau.z_axis.x) + beta * mean;
        assert!(across < slack && along < slack, "{across:e}, {along:e} Pa outside after {d:?}");
        let (before, after) = (triangular(wide(&d)), triangular(wide(&r.d)));
        let area = |r: &DMat3| r.y_axis.y * r.z_axis.z;
        if area(&before).abs() >= 1.0 {
            apart += 1;
            assert!(mean.abs() < slack && (area(&after) - 1.0).abs() < 1e-5);
            continue;
        }
        // The area is preserved; inverted sections are reflected.
        assert!((area(&after) - area(&before).abs()).abs() < 1e-5 * condition(wide(&d)), "area {}", area(&after));
        if area(&before) < 0.0 {
            assert!(after.y_axis.x.hypot(after.z_axis.x) < slack);
        } else if flowed(&r, &d) {
            slid += 1;
            assert!(across > -slack || along > -slack, "{across:e}, {along:e} Pa inside after {d:?}");
        } else {
            stuck += 1;
            assert_eq!(r.d, d);
        }
    }
    assert!(stuck > 20 && slid > 50 && apart > 50, "{stuck} {slid} {apart}");
}

#[test]
fn a_second_map_changes_nothing() {
    let (fiber, cloth) = (a_fiber(ContactModel::Frictional), a_cloth(ContactModel::Frictional));
    for d in trials() {
        for (once, again) in [
            (fiber.respond(&d), fiber.respond(&fiber.respond(&d).d)),
            (cloth.respond(&d), cloth.respond(&cloth.respond(&d).d)),
        ] {
            let moved = largest(wide(&again.d) - wide(&once.d));
            assert!(moved < 2e-6 * condition(wide(&once.d)) * largest(wide(&d)), "{moved:e} at {d:?}");
        }
    }
}

#[test]
fn flow_never_adds_energy_or_changes_mesh_directions() {
    for contact in [ContactModel::Frictional, ContactModel::Elastic, ContactModel::Absent] {
        let (thread, sheet) = (a_fiber(contact), a_cloth(contact));
        for d in trials() {
            let (of_thread, of_sheet) = (thread.respond(&d), sheet.respond(&d));
            assert_eq!(columns(&of_thread.d, 1), columns(&d, 1), "a fiber's own direction changed");
            assert_eq!(columns(&of_sheet.d, 2), columns(&d, 2), "a cloth's own directions changed");
            for (before, after, piola) in [
                (fiber(&thread, wide(&d)), fiber(&thread, wide(&of_thread.d)), of_thread.piola),
                (cloth(&sheet, wide(&d)), cloth(&sheet, wide(&of_sheet.d)), of_sheet.piola),
            ] {
                // Rounding changes the directions by a few 1e-7, which does work against the stress.
                let slack = 2e-6 * condition(wide(&d)) * (1.0 + largest(wide(&piola)));
                assert!(after <= before + slack, "{after} J/m^3 from {before} at {d:?}");
            }
        }
    }
}

/// Separated layers have no stress, whatever their shear was.
#[test]
fn separation_is_free() {
    let draw = Draw::new(52);
    for i in 0..60 {
        let q = draw.rotation(i, 0);
        let lean = |k| draw.between([-0.5, 0.5], &[i, k]);
        let d = DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, lean(0), lean(1), 1.3]);
        let tau = a_cloth(ContactModel::Frictional).respond(&narrow(q * d)).tau;
        assert!(largest(wide_symmetric(&tau)) < 1e-6 * 4e5, "cloth: {tau:?}");
        let d = DMat3::from_cols_array(&[1.0, 0.0, 0.0, lean(2), 1.2, 0.0, lean(3), lean(4), 1.1]);
        let tau = a_fiber(ContactModel::Frictional).respond(&narrow(q * d)).tau;
        assert!(largest(wide_symmetric(&tau)) < 1e-6 * 4e5, "fiber: {tau:?}");
    }
}

/// Without friction there is no shear and a fiber's section is round, at any pressure.
#[test]
fn without_friction_only_pressure_remains() {
    for d in trials() {
        let law = Cloth { friction: 0.0, ..a_cloth(ContactModel::Frictional) };
        let r = triangular(wide(&law.respond(&d).d));
        assert!(r.z_axis.x.hypot(r.z_axis.y) < 1e-5);
        let law = Fiber { friction_across: 0.0, friction_along: 0.0, ..a_fiber(ContactModel::Frictional) };
        let r = triangular(wide(&law.respond(&d).d));
        assert!(r.y_axis.x.hypot(r.z_axis.x) < 1e-5);
        assert!((r.y_axis.y - r.z_axis.z).hypot(r.z_axis.y) < 1e-5 * condition(wide(&d)), "{r:?} from {d:?}");
    }
}

/// A compressed layer under shear slides at Coulomb's limit: the traction angle equals the friction angle.
#[test]
fn a_sheared_layer_slides_at_its_friction_angle() {
    let law = a_cloth(ContactModel::Frictional);
    let mut d = Mat3::diagonal(1.0, 1.0, 0.9);
    let mut tau = Sym3::ZERO;
    for _ in 0..200 {
        let r = law.respond(&Mat3 { xz: d.xz + 0.001, ..d });
        (d, tau) = (r.d, r.tau);
    }
    // Both shear and pressure of the Kirchhoff stress contain the factor r33.
    assert!((f64::from(tau.xz / -tau.zz) / 0.4f64.tan() - 1.0).abs() < 1e-4, "{tau:?}");
    assert!((d.zz - 0.9).abs() < 1e-6);
}
