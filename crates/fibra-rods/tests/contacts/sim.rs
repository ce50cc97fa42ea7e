//! `RodSim`, the public interface: settings, user-driven motion, checkpoints, and a closed-form solution.

use fibra_core::geometry::{Collider, RigidPose};
use fibra_rods::{
    BallInput, ColliderId, End, RodEnd, RodError, RodId, RodInput, RodMaterial, RodModel, RodSettings, RodSim,
    RodSimError, Surface,
};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

const MODELS: [RodModel; 4] =
    [RodModel::MassSpring, RodModel::Corde, RodModel::SuperHelix { elements: 5 }, RodModel::DiscreteElastic];

fn line(points: u32, from: DVec3, step: DVec3) -> Vec<DVec3> {
    (0..points).map(|i| from + f64::from(i) * step).collect()
}

fn floor() -> Collider {
    Collider::ground(0.0).friction(0.4)
}

/// A clamped rod of each model above a floor, and a ball on one of the rods.
fn scene() -> (RodSim, Vec<RodId>, ColliderId) {
    let mut sim = RodSim::new(RodSettings { origin: DVec3::new(5.0, 0.0, 0.0), ..RodSettings::default() }).unwrap();
    let rods = MODELS.iter().enumerate().map(|(k, &model)| {
        let from = DVec3::new(5.0, 0.01, 0.02 * k as f64);
        let (points, ends) = (line(11, from, 0.02 * DVec3::X), [End::clamped(), End::free()]);
        sim.add_rod(RodInput { points, model, ends, ..RodInput::default() }).unwrap()
    });
    let rods = rods.collect();
    sim.add_ball(BallInput { center: DVec3::new(5.1, 0.0215, 0.02), ..BallInput::default() }).unwrap();
    let floor = sim.add_collider(floor()).unwrap();
    (sim, rods, floor)
}

#[test]
fn clamped_rods_stay_clamped() {
    for model in MODELS {
        let mut sim = RodSim::new(RodSettings::default()).unwrap();
        let ends = [End { hold: fibra_rods::Hold::Clamped, ..Default::default() }, End::free()];
        let points = line(11, DVec3::ZERO, 0.01 * DVec3::X);
        let rod = sim.add_rod(RodInput { points, model, ends, ..RodInput::default() }).unwrap();
        sim.advance(0.2).unwrap();
        let points = sim.positions_of(rod).unwrap();
        assert!(points[0].length() < 1e-9 && points[10].y < -1e-3, "{model:?}: {points:?}");
    }
}

#[test]
fn restored_state_continues_bit_for_bit_with_driven_motion() {
    let ends = |k: i32| RigidPose::at(DVec3::new(5.0 + 0.003 * f64::from(k), 0.01, 0.0));
    let floors = |k: i32| RigidPose::at(DVec3::new(0.0, 0.0007 * f64::from(k), 0.0));
    let advance = |sim: &mut RodSim, rods: &[RodId], floor: ColliderId, from: i32, to: i32| {
        for k in from..to {
            sim.move_end(rods[0], RodEnd::First, ends(k)).unwrap();
            sim.move_collider(floor, floors(k)).unwrap();
            sim.advance(0.01).unwrap();
        }
    };
    let (mut sim, rods, floor) = scene();
    advance(&mut sim, &rods, floor, 1, 6);
    let (mut copy, ..) = scene();
    copy.load(&sim.save()).unwrap();
    copy.place_end(rods[0], RodEnd::First, ends(5)).unwrap();
    copy.place_collider(floor, floors(5)).unwrap();
    advance(&mut sim, &rods, floor, 6, 12);
    advance(&mut copy, &rods, floor, 6, 12);
    assert!(sim.contacts().len() > 3, "{:?}", sim.contacts());
    assert_eq!(sim.save(), copy.save());
    assert_eq!(sim.quantities(), copy.quantities());
    assert_eq!(sim.contacts(), copy.contacts());
}

#[test]
fn a_moved_end_pulls_the_rod_along_and_stops() {
    for model in MODELS {
        let mut sim = RodSim::new(RodSettings { gravity: DVec3::ZERO, ..RodSettings::default() }).unwrap();
        let material = RodMaterial { drag: 20.0, internal_damping: 1e-2, ..RodMaterial::default() };
        let (points, ends) = (line(11, DVec3::ZERO, 0.01 * DVec3::X), [End::clamped(), End::free()]);
        let rod = sim.add_rod(RodInput { points, model, material, ends, ..RodInput::default() }).unwrap();
        // The rod is rotated about its end, also with the mass-spring model, and then lies along y.
        let to = RigidPose { translation: DVec3::new(0.0, 0.0, 0.3), rotation: DQuat::from_rotation_z(0.5 * PI) };
        sim.move_end(rod, RodEnd::First, to).unwrap();
        sim.advance(0.5).unwrap();
        assert!(sim.positions_of(rod).unwrap()[0].distance(to.translation) < 1e-9, "{model:?}");
        sim.advance(3.0).unwrap();
        let points = sim.positions_of(rod).unwrap();
        assert!(points[0].distance(to.translation) < 1e-9, "{model:?}: {}", points[0]);
        assert!(points[10].distance(DVec3::new(0.0, 0.1, 0.3)) < 1e-3, "{model:?}: {}", points[10]);
    }
}

#[test]
fn invalid_input_is_rejected_with_a_specific_error() {
    let settings = RodSettings::default();
    assert!(matches!(RodSim::new(RodSettings { dt: f64::NAN, ..settings }), Err(RodError::OutOfRange { .. })));
    let gravity = DVec3::new(0.0, f64::INFINITY, 0.0);
    assert!(matches!(RodSim::new(RodSettings { gravity, ..settings }), Err(RodError::VectorNotFinite { .. })));
    let (mut sim, rods, _) = scene();
    let (other, ..) = scene();
    let message = |result: Result<RodId, RodError>| result.unwrap_err().to_string();
    let rod = || RodInput { points: line(3, DVec3::ONE, DVec3::X), ..RodInput::default() };
    let thin = RodMaterial { radius: 0.0, ..RodMaterial::default() };
    assert!(message(sim.add_rod(RodInput { material: thin, ..rod() })).starts_with("the radius is 0; it must be"));
    let bouncy = Surface { restitution: 1.5, ..Surface::default() };
    assert!(message(sim.add_rod(RodInput { surface: bouncy, ..rod() })).contains("restitution is 1.5"));
    assert!(message(sim.add_rod(RodInput::default())).contains("at least 2 points"));
    assert!(sim.add_ball(BallInput { radius: -1.0, ..BallInput::default() }).is_err());
    assert!(sim.add_collider(Collider { friction: f32::NAN, ..floor() }).is_err());
    let free = sim.move_end(rods[0], RodEnd::Last, RigidPose::IDENTITY);
    assert!(matches!(free, Err(RodSimError::EndNotHeld { .. })));
    let held = sim.set_end_force(rods[0], RodEnd::First, DVec3::X);
    assert!(matches!(held, Err(RodSimError::EndNotFree { .. })));
    let bad_pose = RigidPose::at(DVec3::splat(f64::NAN));
    assert!(matches!(sim.move_end(rods[0], RodEnd::First, bad_pose), Err(RodSimError::BadPose { .. })));
    assert!(matches!(sim.advance(0.0), Err(RodSimError::Until { .. })));
    assert!(matches!(sim.advance(f64::NAN), Err(RodSimError::Until { .. })));
    let mut empty = RodSim::new(settings).unwrap();
    assert!(matches!(empty.positions_of(rods[3]), Err(RodSimError::UnknownId { .. })));
    empty.advance(0.01).unwrap();
    assert!(empty.load(&other.save()).is_err());
}

/// Small deflection of a cantilever under a force on its tip: `F L^3 / (3 E I)`.
#[test]
fn a_cantilever_matches_beam_theory() {
    let material = RodMaterial { drag: 50.0, ..RodMaterial::default() };
    let expected = 1e-3;
    let force = expected * 3.0 * material.bending() / 0.1f64.powi(3);
    for model in MODELS {
        let mut sim = RodSim::new(RodSettings { gravity: DVec3::ZERO, ..RodSettings::default() }).unwrap();
        let (points, ends) = (line(31, DVec3::ZERO, 0.1 / 30.0 * DVec3::X), [End::clamped(), End::free()]);
        let rod = sim.add_rod(RodInput { points, model, material, ends, ..RodInput::default() }).unwrap();
        sim.set_end_force(rod, RodEnd::Last, force * DVec3::NEG_Y).unwrap();
        sim.advance(2.0).unwrap();
        let deflection = -sim.positions_of(rod).unwrap()[30].y;
        // The super-helix has the largest error, because its 5 elements have constant curvature: 1/(2 * 5)^2.
        assert!((deflection / expected - 1.0).abs() < 0.011, "{model:?}: {deflection}");
    }
}
