//! Tests of the orientation tensor: invariants, evolution equation, alignment with the flow, and parameters.

use super::*;
use crate::anisotropy::TensorMap;
use crate::law::Batch;
use crate::{Anisotropic, Material, Sand};
use fibra_core::random::CounterRng;

fn needles() -> Orientation {
    let axis = |youngs_modulus, poisson_ratio, scale| AxisParameters { youngs_modulus, poisson_ratio, scale };
    Orientation {
        elongation: 1.0,
        along: axis(5e5, 0.1, 0.8),
        across: axis(1e5, 0.4, 1.4),
        mixed: axis(2e5, 0.3, 1.0),
        start: [0.1, 0.2, 0.7],
    }
}

fn grains(o: &Orientation) -> Grains {
    Grains::new(&Lame::new(2e5, 0.3), o).unwrap()
}

#[test]
fn trace_and_eigenvalues_hold_through_ten_thousand_random_steps() {
    let rng = CounterRng::new(91);
    for elongation in [1.0, 0.5, -1.0] {
        let g = grains(&Orientation { elongation, ..needles() });
        let mut w = g.start;
        for step in 0..10_000u64 {
            let mut k = 0;
            let mut draw = || {
                k += 1;
                (200.0 * (rng.uniform(&[step, k]) - 0.5)) as f32
            };
            let rate = Sym3 { xx: draw(), yy: draw(), zz: draw(), yz: draw(), xz: draw(), xy: draw() };
            // Time steps from small ones to one that reorients all grains.
            let dt = [1e-5, 1e-3, 1e-2][step as usize % 3];
            let (new, axes) = g.turn(&w, &rate, dt);
            w = new;
            assert!((w.sum() - 1.0).abs() < 1e-5, "step {step}: trace {}", w.sum());
            assert!([w.x, w.y, w.z].iter().all(|w| (0.0..=1.0).contains(w)), "step {step}: {w:?}");
            assert!((axes.det() - 1.0).abs() < 1e-5);
        }
    }
}

/// Integrates `dPi/dt = l (D Pi + Pi D - 2 (D : Pi) Pi)` by fine Runge-Kutta steps in `f64`, for a constant rate in space.
#[test]
fn orientation_follows_its_evolution_equation() {
    use glam::DMat3;
    let o = Orientation { elongation: 0.7, ..needles() };
    let g = grains(&o);
    let rate = Sym3 { xx: 0.5, yy: -0.3, zz: -0.2, yz: 0.8, xz: -0.4, xy: 0.6 };
    let wide = |m: &Mat3| DMat3::from_cols_array(&m.to_rows().map(f64::from)).transpose();
    let d = wide(&rate.to_mat3());
    let slope = |pi: DMat3| {
        let work: f64 = (0..3).map(|k| d.col(k).dot(pi.col(k))).sum();
        (d * pi + pi * d - pi * (2.0 * work)) * o.elongation
    };
    let mut exact = DMat3::from_diagonal(glam::DVec3::from_array(o.start));
    let mut w = g.start;
    let mut axes = Mat3::IDENTITY;
    let dt = 1e-3;
    for _ in 0..1000 {
        let a = slope(exact);
        let b = slope(exact + a * (0.5 * dt));
        let c = slope(exact + b * (0.5 * dt));
        let e = slope(exact + c * dt);
        exact += (a + (b + c) * 2.0 + e) * (dt / 6.0);
        let (new, turn) = g.turn(&w, &rate.seen_from(&axes), dt as f32);
        (w, axes) = (new, axes.mul(&turn));
    }
    let found = wide(&axes.conjugate_diag(&w).to_mat3());
    let off = (found - exact).to_cols_array().iter().fold(0.0f64, |a, b| a.max(b.abs()));
    assert!(off < 1e-4, "off by {off}: {found:?} and {exact:?}");
}

/// Needles and disks in sheared sand: needles align with the flow, the normals of disks perpendicular to it.
#[test]
fn simple_shear_aligns_grains_with_the_flow() {
    let sand = Material::Sand(Sand::new(Lame::new(2e5, 0.3), 0.5, 0.0, false));
    // The velocity along x grows with y.
    let shear = Mat3 { xy: 1.0, ..Mat3::ZERO };
    for (elongation, expected) in [(0.95, [1.0, 0.0, 0.0]), (-0.95, [0.0, 1.0, 0.0])] {
        // All needles start along y, or all disk normals along x: as far from the final alignment as possible.
        for start in [[0.05, 0.9, 0.05], [0.9, 0.05, 0.05], [0.3, 0.3, 0.4]] {
            let o = Orientation { elongation, start, ..needles() };
            let material = Anisotropic::of_grains(&sand, &o).unwrap();
            let mut batch = Batch::default();
            for (to, from) in batch.alignment.iter_mut().zip(material.initial_alignment()) {
                to[0] = from;
            }
            for (to, f) in batch.f.iter_mut().zip(Mat3::IDENTITY.scale(0.999).to_rows()) {
                to[0] = f;
            }
            batch.memory[0] = 0.0;
            let mut nearest = 0.0f32;
            let dt = 2e-3;
            for step in 0..6000 {
                // Sheared grains dilate, so the pressure is controlled instead of the volume.
                let pressure = -(batch.tau[0][0] + batch.tau[1][0] + batch.tau[2][0]) / 3.0;
                let grad_v = shear.add(&Mat3::IDENTITY.scale(10.0 * (pressure - 200.0) / 2e5));
                for (to, g) in batch.grad_v.iter_mut().zip(grad_v.to_rows()) {
                    to[0] = g;
                }
                material.respond(&mut batch, 1, dt);
                if step < 2000 {
                    continue;
                }
                // Slender grains tumble slowly; most of the time they lie along the flow.
                let f = Mat3::from_rows(batch.f.map(|row| row[0]));
                let w = batch.alignment.map(|row| row[0]);
                let best = (0..3).fold(0, |best, a| if w[a] > w[best] { a } else { best });
                let axis = [f.column_x(), f.column_y(), f.column_z()][best];
                let cosine: f32 = axis.iter().zip(expected).map(|(a, b)| a * b).sum();
                nearest += cosine.abs() / 4000.0;
            }
            assert!(nearest > 0.9, "grains of elongation {elongation} from {start:?}: mean cosine {nearest}");
        }
    }
}

/// Compares the closed form of the maps with the general construction, and checks the end points of the interpolation.
#[test]
fn parameters_follow_the_eigenvalues() {
    let base = Lame::new(2e5, 0.3);
    let g = grains(&needles());
    let same = |a: Axis, b: AxisParameters| {
        let a = [a.youngs_modulus, a.poisson_ratio, a.scale];
        let b = [b.youngs_modulus, b.poisson_ratio, b.scale];
        assert!(a.iter().zip(b).all(|(a, b)| (f64::from(*a) / b - 1.0).abs() < 1e-5), "{a:?} and {b:?}");
    };
    same(g.axis(1.0), needles().along);
    same(g.axis(0.0), needles().across);
    same(g.axis(1.0 / 3.0), needles().mixed);
    for w in [[0.0, 0.0, 1.0], [0.2, 0.3, 0.5], [1.0 / 3.0; 3], [0.45, 0.45, 0.1]] {
        let wanted = Anisotropy {
            elasticity: Elasticity::Orthotropic(g.moduli(w)),
            stress_map: StressMap::Scales(w.map(|w| f64::from(g.axis(w).scale))),
        };
        let general = Maps::new(&base, true, &wanted).unwrap();
        let own = g.maps(&Diag3 { x: w[0], y: w[1], z: w[2] });
        let s = Sym3 { xx: 0.3, yy: -0.5, zz: 0.8, yz: 0.2, xz: -0.7, xy: 0.4 };
        let off = |a: Sym3, b: Sym3| {
            let d = a.combine(1.0, &b, -1.0);
            (d.inner(&d) / b.inner(&b)).sqrt()
        };
        assert!(off(own.inward.apply(&s), general.inward.apply(&s)) < 2e-6, "{w:?}");
        assert!(off(own.outward.apply(&s), general.outward.apply(&s)) < 2e-6, "{w:?}");
        assert!(off(own.stress.apply(&s), general.stress.apply(&s)) < 2e-6, "{w:?}");
        assert!(general.wave_ratio <= 1.0001 * own.wave_ratio);
    }
}

#[test]
fn impossible_grains_are_rejected() {
    let refusal = |change: &dyn Fn(&mut Orientation)| {
        let mut o = needles();
        change(&mut o);
        Grains::new(&Lame::new(2e5, 0.3), &o).unwrap_err().to_string()
    };
    assert!(refusal(&|o| o.elongation = 1.5).contains("elongation of the grains is 1.5"));
    assert!(refusal(&|o| o.start = [0.5, 0.6, 0.0]).contains("sum 1"));
    assert!(refusal(&|o| o.start = [f64::NAN, 0.5, 0.5]).contains("alignment"));
    assert!(refusal(&|o| o.along.poisson_ratio = 0.5).contains("grains aligned along the axis is 0.5"));
    assert!(
        refusal(&|o| o.across.youngs_modulus = -1.0)
            .contains("Young's modulus of grains aligned across the axis is -1")
    );
    assert!(refusal(&|o| o.mixed.scale = 0.0).contains("scale factor of mixed grains is 0"));
}
