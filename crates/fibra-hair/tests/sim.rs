//! Hair as its users see it: heads that leap, bodies that move and deform, input that cannot be.

use fibra_core::geometry::{Contact, DeformedMesh, RigidPose, Shape, TriangleMesh};
use fibra_hair::body::Body;
use fibra_hair::error::HairError;
use fibra_hair::grid::{Between, GridSettings};
use fibra_hair::sim::{HairSettings, HairSim};
use fibra_hair::state_file;
use fibra_hair::strands::StrandInput;
use glam::{DQuat, DVec3, Vec3};
use std::sync::Arc;

const FRAME: f32 = 1.0 / 60.0;

/// A curtain of strands that hang from a bar along x, half a metre above the ground.
fn curtain(strands: usize, pinned: usize) -> Vec<StrandInput> {
    let strand = |k: usize| {
        let point = |i: usize| Vec3::new(0.005 * k as f32, 0.5 - 0.01 * i as f32, 0.0);
        StrandInput { points: (0..20).map(point).collect(), pinned, ..StrandInput::default() }
    };
    (0..strands).map(strand).collect()
}

fn hair(bodies: Vec<Body>) -> HairSim {
    HairSim::new(&HairSettings::default(), RigidPose::IDENTITY, &curtain(20, 2), bodies).unwrap()
}

fn body(shape: Shape, pose: RigidPose) -> Body {
    Body { shape, pose, on_head: false, contact: Contact::Separating, friction: 0.3 }
}

#[test]
fn hair_leaps_with_the_head() {
    let mut hair = hair(Vec::new());
    for _ in 0..30 {
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
    }
    let before = hair.positions().to_vec();
    let leap = RigidPose { translation: DVec3::new(30.0, -2.0, 5.0), rotation: DQuat::from_rotation_y(2.0) };
    hair.advance(&leap, FRAME).unwrap();
    // All but what a step's limits leave over: 2 cm of 30 m, 0.2 of 2 rad.
    for (now, before) in hair.positions().iter().zip(&before) {
        let carried = leap.apply(before.as_dvec3()).as_vec3();
        assert!(now.distance(carried) < 0.05, "{now} {carried}");
    }
    assert!(hair.strands().largest_stretch(&hair.state().strands) < 2e-3);
    let mut velocities = vec![Vec3::ZERO; before.len()];
    hair.read_velocities(&mut velocities);
    assert!(velocities.iter().all(|v| v.length() < 6.0));
}

/// What the hair touches leaps along: it is not swept away.
#[test]
fn bodies_leap_with_the_head() {
    let ball = DVec3::new(0.05, 0.4, -0.041);
    let mut hair = hair(vec![body(Shape::sphere(0.04).unwrap(), RigidPose::at(ball))]);
    for _ in 0..30 {
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
    }
    let before = hair.positions().to_vec();
    let leap = RigidPose { translation: DVec3::new(0.4, 0.1, 0.6), rotation: DQuat::from_rotation_y(1.0) };
    hair.move_body(0, RigidPose { translation: leap.apply(ball), rotation: leap.rotation });
    hair.advance(&leap, FRAME).unwrap();
    for (now, before) in hair.positions().iter().zip(&before) {
        let carried = leap.apply(before.as_dvec3()).as_vec3();
        assert!(now.distance(carried) < 0.08, "{now} {carried}");
    }
    let mut velocities = vec![Vec3::ZERO; before.len()];
    hair.read_velocities(&mut velocities);
    assert!(velocities.iter().all(|v| v.length() < 6.0));
}

/// A ball goes through the curtain; no vertex ends up in it.
#[test]
fn a_moving_body_pushes_hair_aside() {
    let ball = |z: f64| RigidPose::at(DVec3::new(0.05, 0.4, z));
    let mut hair = hair(vec![body(Shape::sphere(0.04).unwrap(), ball(-0.2))]);
    for frame in 1..=40 {
        let at = ball(-0.2 + 0.01 * f64::from(frame));
        hair.move_body(0, at);
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
        let (centre, held) = (at.translation.as_vec3(), hair.strands().held());
        let deepest = hair.positions().iter().zip(held).filter(|(_, held)| !**held).map(|(x, _)| x.distance(centre));
        assert!(deepest.fold(f32::INFINITY, f32::min) > 0.035, "frame {frame}");
    }
    let pushed = hair.positions().iter().map(|x| x.z).fold(0.0, f32::max);
    assert!(pushed > 0.05, "{pushed}");
}

/// A sheet bulges into the curtain: it is open, and its vertices move.
#[test]
fn a_mesh_that_deforms_pushes_hair_aside() {
    let side = 13u32;
    let at = |i: u32, j: u32| DVec3::new(-0.02 + 0.012 * f64::from(i), 0.3 + 0.015 * f64::from(j), -0.03);
    let vertices: Vec<DVec3> = (0..side * side).map(|k| at(k / side, k % side)).collect();
    let squares = (0..side - 1).flat_map(|i| (0..side - 1).map(move |j| i * side + j));
    let triangles = squares.flat_map(|k| [[k, k + side, k + 1], [k + side, k + side + 1, k + 1]]).collect();
    let mesh = TriangleMesh::new(vertices.clone(), triangles).unwrap();
    let sheet = Shape::Deformed(Arc::new(DeformedMesh::new(&mesh, DVec3::ZERO, 0.02)));
    let mut hair = hair(vec![body(sheet, RigidPose::IDENTITY)]);
    let bulge = |x: &DVec3, height: f64| {
        let r2 = ((x.x - 0.05) / 0.04).powi(2) + ((x.y - 0.4) / 0.05).powi(2);
        (*x + height * (-r2).exp() * DVec3::Z).as_vec3()
    };
    for frame in 0..=60 {
        let moved: Vec<Vec3> = vertices.iter().map(|x| bulge(x, 0.0013 * f64::from(frame))).collect();
        hair.move_vertices(0, &moved).unwrap();
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
    }
    // The bulge is 7.8 cm high and began 3 cm behind.
    let pushed = hair.positions().iter().map(|x| x.z).fold(0.0, f32::max);
    assert!((0.044..0.07).contains(&pushed), "{pushed}");
    let wrong = hair.move_vertices(0, &[Vec3::ZERO]).unwrap_err();
    assert_eq!(wrong, HairError::VertexCount { vertices: 169, given: 1 });
}

#[test]
fn a_reset_head_of_hair_is_as_at_the_start() {
    let mut moved = hair(Vec::new());
    let head = RigidPose { translation: DVec3::new(0.1, 0.2, 0.0), rotation: DQuat::from_rotation_z(0.5) };
    let start = moved.positions().to_vec();
    for _ in 0..10 {
        moved.advance(&head, FRAME).unwrap();
    }
    moved.reset(&head);
    for (now, start) in moved.positions().iter().zip(&start) {
        assert!(now.distance(head.apply(start.as_dvec3()).as_vec3()) < 1e-6);
    }
    moved.advance(&head, FRAME).unwrap();
    assert!(moved.positions().iter().all(|x| x.is_finite()));
}

#[test]
fn a_saved_state_goes_on_with_the_same_bits() {
    let head = |frame: u32| RigidPose::at(DVec3::new(0.01 * f64::from(frame), 0.0, 0.0));
    let (mut whole, mut first) = (hair(Vec::new()), hair(Vec::new()));
    for frame in 1..=6 {
        whole.advance(&head(frame), FRAME).unwrap();
    }
    for frame in 1..=3 {
        first.advance(&head(frame), FRAME).unwrap();
    }
    let saved = state_file::save(&first);
    let mut second = hair(Vec::new());
    state_file::load(&saved, &mut second).unwrap();
    assert_eq!(first.positions(), second.positions());
    for frame in 4..=6 {
        second.advance(&head(frame), FRAME).unwrap();
    }
    assert_eq!(whole.state(), second.state());
    // Of other strands it is refused.
    let few = HairSim::new(&HairSettings::default(), RigidPose::IDENTITY, &curtain(3, 2), Vec::new());
    assert!(state_file::load(&saved, &mut few.unwrap()).is_err());
}

/// Loose strands fall with gravity, slowed by the air alone.
#[test]
fn loose_hair_falls() {
    let settings = HairSettings::default();
    let mut hair = HairSim::new(&settings, RigidPose::IDENTITY, &curtain(20, 0), Vec::new()).unwrap();
    let height = |hair: &HairSim| hair.positions().iter().map(|x| f64::from(x.y)).sum::<f64>() / 400.0;
    let start = height(&hair);
    for _ in 0..18 {
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
    }
    let (t, drag) = (0.3f64, f64::from(settings.strands.drag));
    let fallen = 9.81 / drag * (t - (1.0 - (-drag * t).exp()) / drag);
    // Steps of 1/120 s are first order.
    assert!(((start - height(&hair)) / fallen - 1.0).abs() < 0.04, "{} {fallen}", start - height(&hair));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut hair = hair(Vec::new());
    for dt in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(hair.advance(&RigidPose::IDENTITY, dt).is_err(), "{dt}");
    }
    let nowhere = RigidPose::at(DVec3::NAN);
    let message = hair.advance(&nowhere, FRAME).unwrap_err().to_string();
    assert!(message.contains("head's pose"), "{message}");
    let refused = |settings: HairSettings| {
        HairSim::new(&settings, RigidPose::IDENTITY, &curtain(1, 2), Vec::new()).err().unwrap().to_string()
    };
    let ordinary = HairSettings::default();
    assert!(refused(HairSettings { step: 0.02, ..ordinary }).contains("step of the grid"));
    assert!(refused(HairSettings { substeps: 0, ..ordinary }).contains("substeps"));
    let sand = GridSettings { between: Between::Sand { friction_angle: 2.0 }, ..GridSettings::default() };
    assert!(refused(HairSettings { grid: sand, ..ordinary }).contains("angle of friction"));
    let stiff = GridSettings { young_modulus: 1e7, ..GridSettings::default() };
    assert!(refused(HairSettings { grid: stiff, ..ordinary }).contains("0.8 cells"));
}
