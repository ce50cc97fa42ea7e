//! Tests of the public API of `ElastonSim`.

use fibra_core::geometry::{Collider, Keyframes, Motion, RigidPose, Shape, TriangleMesh};
use fibra_core::tensor_file::TensorFile;
use fibra_elastons::{
    ElasticMaterial, ElastonError, ElastonObject, ElastonSettings, ElastonSim, HoldId, OutOfRange, Resampling,
};
use glam::{DQuat, DVec3, Vec3};

const GRAVITY: f64 = 0.01;

fn weightless() -> ElastonSettings {
    ElastonSettings { gravity: DVec3::ZERO, dt: 0.01, ..ElastonSettings::default() }
}

fn beam() -> ElastonObject {
    ElastonObject::cuboid(DVec3::new(1.0, 0.1, 0.1), RigidPose::at(DVec3::new(0.5, 0.0, 0.0)), 0.05)
}

/// A beam clamped at x = 0, and its clamp.
fn clamped(settings: ElastonSettings) -> (ElastonSim, HoldId) {
    let mut builder = ElastonSim::builder(settings);
    let beam = builder.add(beam()).unwrap();
    let clamp = builder.hold(beam, |x| x.x < 0.1).unwrap();
    (builder.build().unwrap(), clamp)
}

/// A cantilever under its own weight: its tip deflection is `rho A g L^4 / (8 EI)` [Euler-Bernoulli], `I = A h^2 / 12`. The case and the
/// tolerance of 3 % are those of `fibra validate elaston-rod-bend`.
#[test]
fn cantilever_deflection_matches_beam_theory() {
    let (length, height, pieces) = (1.0, 0.01, 500.0);
    let piece = length / pieces;
    let settings = ElastonSettings { gravity: DVec3::NEG_Y * GRAVITY, ..ElastonSettings::default() };
    let mut builder = ElastonSim::builder(settings);
    let size = DVec3::new(length + piece, height, height);
    let material = ElasticMaterial { youngs_modulus: 1e9, ..ElasticMaterial::default() };
    // One material point beyond the free length is held.
    let cloud = fibra_elastons::internals::fill::cuboid(size, [501, 1, 1], &RigidPose::at(0.5 * size)).unwrap();
    let beam = ElastonObject::cloud(cloud).material(material).samples(16).elastons(96);
    let beam = builder.add(beam).unwrap();
    builder.hold(beam, |x| x.x < piece).unwrap();
    let mut sim = builder.build().unwrap();
    let start = sim.positions()[sim.pieces(beam).end - 1].y;
    sim.find_equilibrium(1e-9).unwrap();
    let sag = start - sim.positions()[sim.pieces(beam).end - 1].y;
    let exact = 12.0 * 1000.0 * GRAVITY * length.powi(4) / (8.0 * 1e9 * height * height);
    assert!((sag / exact - 1.0).abs() < 0.03, "{sag} m instead of {exact} m");
}

/// In equilibrium a hold carries the weight; a released hold exerts no force.
#[test]
fn a_hold_carries_the_weight_until_it_is_released() {
    let mut builder = ElastonSim::builder(ElastonSettings { gravity: DVec3::NEG_Y * GRAVITY, ..weightless() });
    let beam = builder.add(beam()).unwrap();
    let clamp = builder.hold(beam, |x| x.x < 0.1).unwrap();
    builder.release_hold_at(clamp, 0.05).unwrap();
    let mut sim = builder.build().unwrap();
    sim.find_equilibrium(1e-9).unwrap();
    let (force, weight) = (sim.hold_force(clamp).unwrap(), GRAVITY * sim.quantities()["mass"]);
    assert!(force.distance(DVec3::Y * weight) < 1e-3 * weight, "{force} N for a weight of {weight} N");
    sim.advance(0.1).unwrap();
    assert_eq!(sim.hold_force(clamp).unwrap(), DVec3::ZERO);
}

#[test]
fn a_loaded_simulation_is_bitwise_identical() {
    let settings = ElastonSettings {
        dt: 0.01,
        mass_damping: 0.5,
        resampling: Some(Resampling { interval: 0.1, merge: false }),
        ..ElastonSettings::default()
    };
    let mut one = clamped(settings).0;
    one.advance(0.15).unwrap();
    let mut bytes = Vec::new();
    one.save().write_to(&mut bytes).unwrap();
    one.advance(0.1).unwrap();
    let mut other = clamped(settings).0;
    other.load(&TensorFile::from_bytes(&bytes).unwrap()).unwrap();
    assert_eq!(other.time(), 0.15);
    other.advance(0.1).unwrap();
    assert_eq!(one.time(), other.time());
    assert_eq!(one.positions(), other.positions());
    assert_eq!(one.velocities(), other.velocities());
    assert_eq!(one.surface(), other.surface());
    assert!(other.load(&TensorFile::default()).is_err());
    other.advance(0.01).unwrap();
}

/// Loading the state after every step creates a new workspace each time. Cuts and resampling change the rest shape
/// between loads.
#[test]
fn a_new_workspace_for_every_step_is_bitwise_identical() {
    let build = || {
        let settings = ElastonSettings {
            dt: 0.01,
            resampling: Some(Resampling { interval: 0.06, merge: false }),
            ..ElastonSettings::default()
        };
        let mut builder = ElastonSim::builder(settings);
        let beam = builder.add(beam()).unwrap();
        builder.hold(beam, |x| x.x < 0.1).unwrap();
        let corners = [(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)].map(|(y, z)| DVec3::new(0.52, 0.35 + y, z));
        let blade = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let way = vec![DVec3::ZERO, DVec3::NEG_Y * 0.4];
        let down = Keyframes::new(vec![0.0, 0.1], way, vec![DQuat::IDENTITY; 2]).unwrap();
        builder.add_blade(blade, Motion::Keyframes(down), 0.0, 0.1).unwrap();
        builder.build().unwrap()
    };
    let (mut one, mut other) = (build(), build());
    for step in 1..=15 {
        let until = 0.01 * f64::from(step);
        one.step(until).unwrap();
        other.step(until).unwrap();
        let saved = other.save();
        other.load(&saved).unwrap();
    }
    assert_eq!(one.quantities()["parts"], 2.0);
    assert_eq!(one.positions(), other.positions());
    assert_eq!(one.velocities(), other.velocities());
}

#[test]
fn material_points_are_in_the_order_of_addition() {
    let cube =
        |x: f64| ElastonObject::cuboid(DVec3::splat(0.1), RigidPose::at(DVec3::X * x), 0.02).samples(8).elastons(27);
    let mut builder = ElastonSim::builder(weightless());
    // The third object forms one body with the first, so its material points precede those of the second in memory.
    let first = builder.add(cube(0.0)).unwrap();
    let second = builder.add(cube(1.0).moving(DVec3::Y, DVec3::ZERO)).unwrap();
    let third = builder.add(cube(0.1).joined_to(first)).unwrap();
    let points: Vec<DVec3> =
        [first, second, third].iter().flat_map(|&id| builder.pieces(id).unwrap().to_vec()).collect();
    let sim = builder.build().unwrap();
    assert_eq!(sim.pieces(second), 125..250);
    assert_eq!(sim.quantities()["parts"], 2.0);
    for (position, point) in sim.positions().iter().zip(&points) {
        assert!(position.distance(*point) < 1e-12);
    }
    for (piece, velocity) in sim.velocities().iter().enumerate() {
        let expected = if sim.pieces(second).contains(&piece) { DVec3::Y } else { DVec3::ZERO };
        assert!(velocity.distance(expected) < 1e-9, "{piece}: {velocity}");
    }
    let surface = sim.surface();
    assert_eq!(surface.objects.len(), surface.vertices.len());
    assert!(surface.triangles.len() > 3 * 12);
}

#[test]
fn invalid_settings_are_rejected_with_field_value_and_range() {
    let error = |settings: ElastonSettings| {
        let mut builder = ElastonSim::builder(settings);
        builder.add(beam()).unwrap();
        builder.build().err().unwrap()
    };
    let usual = ElastonSettings::default();
    for (settings, field) in [
        (ElastonSettings { dt: 0.0, ..usual }, "dt"),
        (ElastonSettings { dt: f64::NAN, ..usual }, "dt"),
        (ElastonSettings { support: 1.0, ..usual }, "support"),
        (ElastonSettings { mass_damping: -1.0, ..usual }, "mass_damping"),
        (ElastonSettings { gravity: DVec3::new(0.0, f64::INFINITY, 0.0), ..usual }, "gravity"),
        (
            ElastonSettings { resampling: Some(Resampling { interval: 0.0, merge: false }), ..usual },
            "resampling.interval",
        ),
    ] {
        let found = error(settings);
        assert!(matches!(found, ElastonError::OutOfRange(OutOfRange { field: at, .. }) if at == field), "{found}");
    }
    let mut builder = ElastonSim::builder(usual);
    let bad = ElasticMaterial { poisson_ratio: 0.5, ..ElasticMaterial::default() };
    let message = builder.add(beam().material(bad)).unwrap_err().to_string();
    assert_eq!(message, "`poisson_ratio` is 0.5; it must be above -1 and below 0.5");
    let flat = ElastonObject::cuboid(DVec3::new(1.0, -1.0, 1.0), RigidPose::IDENTITY, 0.1);
    assert!(matches!(builder.add(flat), Err(ElastonError::Fill { object: 0, .. })));
    assert!(matches!(builder.add(beam().samples(1_000_000)), Err(ElastonError::TooFewPieces { what: "samples", .. })));
    let empty = ElastonObject::cloud(fibra_elastons::Cloud::default());
    assert!(matches!(builder.add(empty), Err(ElastonError::Cloud { object: 0, .. })));
    let beam = builder.add(beam()).unwrap();
    assert!(matches!(builder.hold(beam, |x| x.x > 5.0), Err(ElastonError::EmptyHold { object: 0 })));
    builder.hold(beam, |x| x.x < 0.1).unwrap();
    assert!(matches!(builder.hold(beam, |x| x.x < 0.2), Err(ElastonError::SharedPiece { .. })));
    builder.add_floor(0.0, 0.3).unwrap();
    assert!(matches!(builder.build(), Err(ElastonError::InsideCollider { object: 0, collider: 0, .. })));
    assert!(matches!(ElastonSim::builder(usual).build(), Err(ElastonError::NoObjects)));
    let mut sim = clamped(usual).0;
    assert!(matches!(sim.advance(-0.1), Err(ElastonError::OutOfRange(OutOfRange { field: "dt", .. }))));
}

#[test]
fn a_moved_hold_moves_its_material_points_and_stops() {
    // The damping is about critical for the first mode of the beam: 3.52 sqrt(E h^2 / (12 rho)) / L^2 = 4 rad/s.
    let (mut sim, clamp) = clamped(ElastonSettings { mass_damping: 8.0, ..weightless() });
    let start = sim.positions();
    let from = sim.hold_pose(clamp).unwrap();
    let turn = DQuat::from_rotation_z(0.3);
    let to = RigidPose { translation: from.translation + DVec3::new(0.0, 0.2, 0.1), rotation: turn };
    sim.move_hold(clamp, to).unwrap();
    sim.advance(0.5).unwrap();
    assert!(sim.hold_pose(clamp).unwrap().translation.distance(to.translation) < 1e-12);
    // The hold stays at its new pose, and the damped beam comes to rest.
    for _ in 0..8 {
        sim.advance(0.5).unwrap();
    }
    assert!(sim.hold_pose(clamp).unwrap().translation.distance(to.translation) < 1e-12);
    for (now, start) in sim.positions().iter().zip(&start) {
        let expected = to.translation + turn * (*start - from.translation);
        assert!(now.distance(expected) < 2e-3, "{now} instead of {expected}");
    }
    // Place the hold at once, without motion.
    sim.place_hold(clamp, from).unwrap();
    assert_eq!(sim.hold_pose(clamp).unwrap().translation, from.translation);
    let bad = RigidPose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..from };
    assert!(matches!(sim.move_hold(clamp, bad), Err(ElastonError::OutOfRange(_))));
}

#[test]
fn a_moved_collider_pushes_a_body_and_stops() {
    let mut builder = ElastonSim::builder(ElastonSettings { mass_damping: 5.0, ..weightless() });
    let cube = ElastonObject::cuboid(DVec3::splat(0.2), RigidPose::IDENTITY, 0.05).samples(8).elastons(27);
    builder.add(cube).unwrap();
    let shape = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let wall = builder.add_collider(Collider::new("wall", shape, RigidPose::at(DVec3::X * -0.65))).unwrap();
    let mut sim = builder.build().unwrap();
    let center = |sim: &ElastonSim| sim.positions().iter().sum::<DVec3>() / sim.positions().len() as f64;
    sim.advance(0.1).unwrap();
    assert!(center(&sim).length() < 1e-9);
    let to = RigidPose::at(DVec3::X * -0.35);
    sim.move_collider(wall, to).unwrap();
    sim.advance(0.5).unwrap();
    assert!(sim.collider_pose(wall).unwrap().translation.distance(to.translation) < 1e-12);
    // The wall's face has moved from -0.15 m to 0.15 m and pushed the cube (half extent 0.1 m) ahead of it.
    assert!(center(&sim).x > 0.22, "{}", center(&sim));
    sim.advance(1.0).unwrap();
    assert!(sim.collider_pose(wall).unwrap().translation.distance(to.translation) < 1e-12);
    sim.place_collider(wall, RigidPose::at(DVec3::X * -5.0)).unwrap();
    assert_eq!(sim.collider_pose(wall).unwrap().translation.x, -5.0);
}

#[test]
fn objects_far_from_the_origin_behave_like_those_near_it() {
    let far = DVec3::new(4000.0, 0.0, -2000.0);
    let run = |at: DVec3| {
        let mut builder = ElastonSim::builder(ElastonSettings { dt: 0.01, ..ElastonSettings::default() });
        let beam = ElastonObject::cuboid(DVec3::new(1.0, 0.1, 0.1), RigidPose::at(at), 0.05);
        let beam = builder.add(beam).unwrap();
        let region = Shape::cuboid(Vec3::splat(0.1)).unwrap();
        builder.hold_region(beam, &region, &RigidPose::at(at - 0.5 * DVec3::X)).unwrap();
        let mut sim = builder.build().unwrap();
        sim.advance(0.1).unwrap();
        sim.positions().iter().map(|x| *x - at).collect::<Vec<_>>()
    };
    for (near, far) in run(DVec3::ZERO).iter().zip(run(far)) {
        assert!(near.distance(far) < 1e-5, "{near} and {far}");
    }
}
