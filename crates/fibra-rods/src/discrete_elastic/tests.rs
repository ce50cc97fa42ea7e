//! Tests of twist and of natural shapes.

use super::{DiscreteElastic, frames};
use crate::nodal_tests::{MATERIAL, clamp, context, helix, ring, rod, step, straight};
use crate::rod::{Abscissa, Rod, StepSystem};
use crate::statics::Statics;
use fibra_core::geometry::{Motion, Spin};
use glam::DVec3;
use std::f64::consts::TAU;

#[test]
fn a_motor_twists_a_rod_evenly() {
    let spin = Motion::Spin(Spin::new(DVec3::X, 5.0 * TAU, None).unwrap());
    let mut params = rod(straight(20), false);
    params.ends = [clamp(Motion::Still), clamp(spin)];
    params.material.internal_damping = 1e-2;
    // Far below the twist at which a straight rod buckles, 8.99 EI / GJ.
    let mut rod = DiscreteElastic::new(params, DVec3::ZERO).unwrap();
    let dt = 1e-2;
    for i in 0..20 {
        step(&mut rod, &context(i as f64 * dt, dt));
    }
    assert!((rod.total_twist() - TAU).abs() < 1e-9, "{}", rod.total_twist());
    let statics = Statics { time: 0.2, ..Statics::default() };
    statics.settle(&mut rod).unwrap();
    let expected = 0.5 * MATERIAL.twisting() / 0.5 * TAU * TAU;
    let energy = rod.energy(DVec3::ZERO).elastic;
    assert!((energy / expected - 1.0).abs() < 1e-9, "{energy} {expected}");
}

/// The clamp turns once, moving the rod around a cone of directions. The rod must return without spurious twist.
#[test]
fn a_rod_rotated_around_a_loop_is_not_twisted() {
    let spin = Motion::Spin(Spin::new(DVec3::new(1.0, 1.0, 0.3), TAU, None).unwrap());
    let mut params = rod(straight(6), false);
    params.ends[0] = clamp(spin);
    params.material.drag = 10.0;
    let mut rod = DiscreteElastic::new(params, DVec3::ZERO).unwrap();
    let dt = 1e-2;
    for i in 0..100 {
        step(&mut rod, &context(i as f64 * dt, dt));
    }
    let statics = Statics { time: 1.0, ..Statics::default() };
    statics.settle(&mut rod).unwrap();
    assert!(rod.total_twist().abs() < 1e-8, "{}", rod.total_twist());
    assert!(rod.energy(DVec3::ZERO).elastic < 1e-14);
    assert!(rod.centerline().iter().zip(straight(6)).all(|(x, start)| x.distance(start) < 1e-7));
}

/// A naturally helical rod that starts straight, clamped at one end, returns to its helix.
#[test]
fn a_curved_rod_returns_to_its_natural_shape() {
    let natural = helix(25);
    let lengths = natural.windows(2).map(|p| p[0].distance(p[1]));
    let ends = lengths.scan(0.0, |s, length| {
        *s += length;
        Some(*s * DVec3::Y)
    });
    let mut params = rod(std::iter::once(DVec3::ZERO).chain(ends).collect(), false);
    params.natural = Some(natural.clone());
    params.ends[0] = clamp(Motion::Still);
    let mut rod = DiscreteElastic::new(params, DVec3::ZERO).unwrap();
    let start = rod.energy(DVec3::ZERO).elastic;
    Statics::default().settle(&mut rod).unwrap();
    assert!(rod.energy(DVec3::ZERO).elastic < 1e-12 * start);
    for (a, b) in [(0, 24), (0, 12), (5, 20)] {
        let distance = rod.centerline()[a].distance(rod.centerline()[b]);
        assert!((distance / natural[a].distance(natural[b]) - 1.0).abs() < 1e-6);
    }
}

/// Below Michell's threshold a perturbed twisted ring becomes flat again, with the same twist.
#[test]
fn a_closed_rod_keeps_its_twist() {
    let flat: Vec<DVec3> = ring(30).iter().map(|x| DVec3::new(x.x, x.y, 0.0)).collect();
    let mut rod = DiscreteElastic::twisted(rod(flat, true), DVec3::ZERO, -7.0).unwrap();
    let spin = DVec3::new(3.0, 20.0, -5.0);
    let mut velocities = vec![0.0; rod.unknowns()];
    for segment in 0..30 {
        let motion = rod.motion_of(Abscissa { segment, share: 0.0 }, DVec3::ZERO);
        let velocity = spin.cross(rod.centerline()[segment]) + 0.3 * (3.0 * segment as f64).sin() * DVec3::Z;
        motion.columns.iter().enumerate().for_each(|(j, axis)| velocities[motion.first + j] += velocity.dot(*axis));
    }
    rod.advance(&velocities, &context(0.0, 0.0));
    let mut most: f64 = 0.0;
    for i in 0..300 {
        step(&mut rod, &context(2e-3 * i as f64, 2e-3));
        most = most.max((rod.total_twist() + 7.0).abs());
    }
    Statics::default().settle(&mut rod).unwrap();
    assert!(most > 1e-3, "bending out of the plane trades twist for writhe");
    assert!((rod.total_twist() + 7.0).abs() < 1e-6, "{}", rod.total_twist());
}

/// Returns a point of the surface: `arm` is given in the material directors and the tangent of the edge.
fn surface_point(rod: &DiscreteElastic, segment: usize, share: f64, arm: DVec3) -> (DVec3, DVec3) {
    let edge = rod.chain.edge_nodes(segment)[0];
    let t = rod.tangent(edge);
    let [m1, m2] = frames::turned(rod.reference[edge], t, rod.theta[edge]);
    let arm = arm.x * m1 + arm.y * m2 + arm.z * t;
    let p = rod.centerline();
    (p[segment].lerp(p[(segment + 1) % p.len()], share) + arm, arm)
}

#[test]
fn surface_points_move_with_the_material_frames() {
    for closed in [false, true] {
        let points = if closed { ring(12) } else { ring(30)[..12].to_vec() };
        let mut rod = DiscreteElastic::twisted(rod(points, closed), DVec3::ZERO, 1.0).unwrap();
        let (step, arm) = (context(0.0, 1e-8), DVec3::new(0.02, -0.01, 0.005));
        rod.form(&step, &mut StepSystem::default());
        let velocities: Vec<f64> = (0..rod.unknowns()).map(|i| (i as f64).cos()).collect();
        let segments = rod.chain.edges().len();
        let before: Vec<_> = (0..segments)
            .map(|segment| {
                let (point, arm) = surface_point(&rod, segment, 0.3, arm);
                (point, rod.motion_of(Abscissa { segment, share: 0.3 }, arm))
            })
            .collect();
        rod.advance(&velocities, &step);
        for (segment, (from, motion)) in before.into_iter().enumerate() {
            let columns = motion.columns.iter().zip(&velocities[motion.first..]);
            let expected = motion.drift + columns.map(|(column, v)| *v * *column).sum::<DVec3>();
            let moved = (surface_point(&rod, segment, 0.3, arm).0 - from) / step.dt;
            assert!(moved.distance(expected) < 1e-5, "{segment}: {moved} {expected}");
        }
    }
}
