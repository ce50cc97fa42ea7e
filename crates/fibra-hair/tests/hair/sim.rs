//! Public API: jumping heads, moving and deforming colliders, input out of range.

use fibra_core::geometry::{DeformedMesh, RigidPose, Shape, TriangleMesh};
use fibra_hair::{Between, ColliderId, GridSettings, HairCollider, HairError, HairSettings, HairSim, StrandInput};
use glam::{DQuat, DVec3, Vec3};
use std::sync::Arc;

const FRAME: f64 = 1.0 / 60.0;

/// A curtain of strands that hang from a bar along x, half a meter above the ground.
fn curtain(strands: usize, pinned: usize) -> Vec<StrandInput> {
    let strand = |k: usize| {
        let point = |i: usize| Vec3::new(0.005 * k as f32, 0.5 - 0.01 * i as f32, 0.0);
        StrandInput { points: (0..20).map(point).collect(), pinned, ..StrandInput::default() }
    };
    (0..strands).map(strand).collect()
}

fn hair(colliders: Vec<HairCollider>) -> HairSim {
    HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &curtain(20, 2), colliders).unwrap()
}

fn hair_and(collider: HairCollider) -> (HairSim, ColliderId) {
    let hair = hair(vec![collider]);
    let id = hair.collider_ids().next().unwrap();
    (hair, id)
}

fn collider(shape: Shape, pose: RigidPose) -> HairCollider {
    HairCollider { pose, ..HairCollider::new(shape) }
}

#[test]
fn hair_jumps_with_the_head() {
    let mut hair = hair(Vec::new());
    for _ in 0..30 {
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
    }
    let before = hair.positions().to_vec();
    let jump = RigidPose { translation: DVec3::new(30.0, -2.0, 5.0), rotation: DQuat::from_rotation_y(2.0) };
    hair.advance(&jump, FRAME).unwrap();
    // The head moves by 30 m and 2 rad. All hair follows rigidly, except for the limits per step, 2 cm and 0.2 rad.
    for (now, before) in hair.positions().iter().zip(&before) {
        let carried = jump.apply(before.as_dvec3()).as_vec3();
        assert!(now.distance(carried) < 0.05, "{now} {carried}");
    }
    assert!(hair.strands().largest_stretch(&hair.state().strands) < 2e-3);
    assert!(hair.velocities().iter().all(|v| v.length() < 6.0));
}

/// A strand over a ball, 1 m from the curtain on the head. Neither belongs to the head: its jump by 3 m leaves both where they are. A ball that jumped
/// with the head would be swept back through the strand at 180 m/s.
#[test]
fn loose_hair_and_colliders_at_rest_stay_when_the_head_jumps() {
    let ball = DVec3::new(1.05, 0.455, 0.0);
    let point = |i: usize| Vec3::new(1.0 + 0.01 * i as f32, 0.5, 0.0);
    let loose = StrandInput { points: (0..11).map(point).collect(), ..StrandInput::default() };
    let strands: Vec<StrandInput> = curtain(20, 2).into_iter().chain([loose]).collect();
    let after = |jump: RigidPose| {
        let ball = collider(Shape::sphere(0.04).unwrap(), RigidPose::at(ball));
        let mut hair = HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &strands, vec![ball]).unwrap();
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
        hair.advance(&jump, FRAME).unwrap();
        hair
    };
    let (still, jumped) = (
        after(RigidPose::IDENTITY),
        after(RigidPose { translation: DVec3::new(0.0, -3.0, 0.0), rotation: DQuat::from_rotation_y(1.0) }),
    );
    let own = still.strands().vertices(20);
    for (here, there) in still.positions()[own.clone()].iter().zip(&jumped.positions()[own.clone()]) {
        assert!(here.distance(*there) < 1e-6, "{here} {there}");
    }
    for (here, there) in still.velocities()[own.clone()].iter().zip(&jumped.velocities()[own]) {
        assert!(here.distance(*there) < 1e-4, "{here} {there}");
    }
    let curtain = jumped.positions()[10] - still.positions()[10];
    assert!((curtain.y + 3.0).abs() < 0.05, "the curtain follows the head: {curtain}");
}

/// Colliders that move like the head jump with it and do not sweep through the hair.
#[test]
fn colliders_that_move_with_the_head_jump_with_it() {
    let ball = DVec3::new(0.05, 0.4, -0.041);
    let (mut hair, id) = hair_and(collider(Shape::sphere(0.04).unwrap(), RigidPose::at(ball)));
    for _ in 0..30 {
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
    }
    let before = hair.positions().to_vec();
    let jump = RigidPose { translation: DVec3::new(0.4, 0.1, 0.6), rotation: DQuat::from_rotation_y(1.0) };
    hair.move_collider(id, RigidPose { translation: jump.apply(ball), rotation: jump.rotation }).unwrap();
    hair.advance(&jump, FRAME).unwrap();
    for (now, before) in hair.positions().iter().zip(&before) {
        let carried = jump.apply(before.as_dvec3()).as_vec3();
        assert!(now.distance(carried) < 0.08, "{now} {carried}");
    }
    assert!(hair.velocities().iter().all(|v| v.length() < 6.0));
}

/// A ball moves through the curtain; no vertex ends up inside.
#[test]
fn a_moving_collider_pushes_hair_aside() {
    let ball = |z: f64| RigidPose::at(DVec3::new(0.05, 0.4, z));
    let (mut hair, id) = hair_and(collider(Shape::sphere(0.04).unwrap(), ball(-0.2)));
    for frame in 1..=40 {
        let at = ball(-0.2 + 0.01 * f64::from(frame));
        hair.move_collider(id, at).unwrap();
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
        let (center, pinned) = (at.translation.as_vec3(), hair.strands().pinned());
        let free = hair.positions().iter().zip(pinned).filter(|(_, pinned)| !**pinned);
        let deepest = free.map(|(x, _)| x.distance(center));
        assert!(deepest.fold(f32::INFINITY, f32::min) > 0.035, "frame {frame}");
    }
    let pushed = hair.positions().iter().map(|x| x.z).fold(0.0, f32::max);
    assert!(pushed > 0.05, "{pushed}");
}

/// An open sheet with moving vertices bulges into the curtain.
#[test]
fn a_deforming_mesh_pushes_hair_aside() {
    let side = 13u32;
    let at = |i: u32, j: u32| DVec3::new(-0.02 + 0.012 * f64::from(i), 0.3 + 0.015 * f64::from(j), -0.03);
    let vertices: Vec<DVec3> = (0..side * side).map(|k| at(k / side, k % side)).collect();
    let squares = (0..side - 1).flat_map(|i| (0..side - 1).map(move |j| i * side + j));
    let triangles = squares.flat_map(|k| [[k, k + side, k + 1], [k + side, k + side + 1, k + 1]]).collect();
    let mesh = TriangleMesh::new(vertices.clone(), triangles).unwrap();
    let sheet = Shape::Deformed(Arc::new(DeformedMesh::new(&mesh, DVec3::ZERO, 0.02)));
    let (mut hair, id) = hair_and(collider(sheet, RigidPose::IDENTITY));
    let bulge = |x: &DVec3, height: f64| {
        let r2 = ((x.x - 0.05) / 0.04).powi(2) + ((x.y - 0.4) / 0.05).powi(2);
        (*x + height * (-r2).exp() * DVec3::Z).as_vec3()
    };
    for frame in 0..=60 {
        let moved: Vec<Vec3> = vertices.iter().map(|x| bulge(x, 0.0013 * f64::from(frame))).collect();
        hair.move_vertices(id, &moved).unwrap();
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
    }
    // The bulge is 7.8 cm high and started 3 cm behind the curtain.
    let pushed = hair.positions().iter().map(|x| x.z).fold(0.0, f32::max);
    assert!((0.044..0.07).contains(&pushed), "{pushed}");
    let wrong = hair.move_vertices(id, &[Vec3::ZERO]).unwrap_err();
    assert_eq!(wrong, HairError::VertexCount { vertices: 169, given: 1 });
}

#[test]
fn reset_restores_the_initial_state() {
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
fn a_restored_state_continues_bitwise_identically() {
    let head = |frame: u32| RigidPose::at(DVec3::new(0.01 * f64::from(frame), 0.0, 0.0));
    let (mut whole, mut first) = (hair(Vec::new()), hair(Vec::new()));
    for frame in 1..=6 {
        whole.advance(&head(frame), FRAME).unwrap();
    }
    for frame in 1..=3 {
        first.advance(&head(frame), FRAME).unwrap();
    }
    let saved = first.save();
    let mut second = hair(Vec::new());
    second.load(&saved).unwrap();
    assert_eq!(first.positions(), second.positions());
    for frame in 4..=6 {
        second.advance(&head(frame), FRAME).unwrap();
    }
    assert_eq!(whole.state(), second.state());
    // A state of other strands is an error.
    let few = HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &curtain(3, 2), Vec::new());
    assert!(few.unwrap().load(&saved).is_err());
}

/// Free strands fall with gravity and air drag.
#[test]
fn loose_hair_falls() {
    let settings = HairSettings::default();
    let mut hair = HairSim::new(settings, RigidPose::IDENTITY, &curtain(20, 0), Vec::new()).unwrap();
    let height = |hair: &HairSim| hair.positions().iter().map(|x| f64::from(x.y)).sum::<f64>() / 400.0;
    let start = height(&hair);
    for _ in 0..18 {
        hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
    }
    let (t, drag) = (0.3f64, f64::from(settings.strands.drag));
    let fallen = 9.81 / drag * (t - (1.0 - (-drag * t).exp()) / drag);
    // Steps of 1/120 s are first-order accurate.
    assert!(((start - height(&hair)) / fallen - 1.0).abs() < 0.04, "{} {fallen}", start - height(&hair));
}

#[test]
fn values_out_of_range_are_errors() {
    let mut hair = hair(Vec::new());
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(hair.advance(&RigidPose::IDENTITY, dt).is_err(), "{dt}");
    }
    let nowhere = RigidPose::at(DVec3::NAN);
    let message = hair.advance(&nowhere, FRAME).unwrap_err().to_string();
    assert!(message.contains("head's pose"), "{message}");
    let error_of = |settings: HairSettings| {
        HairSim::new(settings, RigidPose::IDENTITY, &curtain(1, 2), Vec::new()).err().unwrap().to_string()
    };
    let ordinary = HairSettings::default();
    assert!(error_of(HairSettings { step: 0.02, ..ordinary }).contains("step of the grid"));
    assert!(error_of(HairSettings { substeps: 0, ..ordinary }).contains("substeps"));
    let sand = GridSettings { between: Between::Sand { friction_angle: 2.0 }, ..GridSettings::default() };
    assert!(error_of(HairSettings { grid: sand, ..ordinary }).contains("friction angle"));
    let stiff = GridSettings { young_modulus: 1e7, ..GridSettings::default() };
    assert!(error_of(HairSettings { grid: stiff, ..ordinary }).contains("0.8 cells"));
}

#[test]
fn colliders_that_cannot_be_moved_are_errors() {
    let ball = || Shape::sphere(0.04).unwrap();
    let on_head = HairCollider { on_head: true, ..HairCollider::new(ball()) };
    let mut hair = hair(vec![on_head, HairCollider::new(ball())]);
    let [skull, free] = hair.collider_ids().collect::<Vec<_>>().try_into().unwrap();
    let wrong = hair.move_collider(skull, RigidPose::IDENTITY).unwrap_err();
    assert_eq!(wrong, HairError::OnHead { collider: 0 });
    assert!(hair.move_collider(free, RigidPose::at(DVec3::Y)).is_ok());
    let rotated = RigidPose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..RigidPose::IDENTITY };
    let message = hair.place_collider(free, rotated).unwrap_err().to_string();
    assert!(message.contains("pose of collider 1") && message.contains("unit quaternion"), "{message}");
    // The identifier of another simulation.
    let (mut other, _) = hair_and(HairCollider::new(ball()));
    let wrong = other.move_collider(free, RigidPose::IDENTITY).unwrap_err();
    assert_eq!(wrong, HairError::UnknownCollider { collider: 1, count: 1 });
    let rough = HairCollider { friction: f32::NAN, ..HairCollider::new(ball()) };
    let result = HairSim::new(HairSettings::default(), RigidPose::IDENTITY, &curtain(1, 2), vec![rough]);
    assert!(result.err().unwrap().to_string().contains("friction of a collider"));
}

/// Steps end exactly at the requested time, and a frame of steps equals an advance.
#[test]
fn steps_land_on_the_time() {
    let (mut stepped, mut advanced) = (hair(Vec::new()), hair(Vec::new()));
    let (until, mut count) = (1.0 / 60.0, 0);
    while stepped.time() < until {
        let (before, end) = (stepped.time(), stepped.step_end(until).unwrap());
        let dt = stepped.step(&RigidPose::IDENTITY, until).unwrap();
        assert!(stepped.time() == end && (end - before - dt).abs() < 1e-15);
        count += 1;
    }
    advanced.advance(&RigidPose::IDENTITY, until).unwrap();
    assert_eq!((stepped.time(), count), (until, 2));
    assert_eq!(stepped.positions(), advanced.positions());
    assert!(stepped.step(&RigidPose::IDENTITY, until).is_err());
}

/// Lengths are limited to 0.1 %, but the reported stretch is that of the solver: a softer strand stretches more. A strand at rest under its own weight
/// stretches by `rho g L / E` at its root, in rods with half a segment's weight less: 1.5e-4 for the paper's modulus of 1.6e7 Pa and 19 cm.
#[test]
fn the_reported_stretch_is_that_before_the_limit() {
    let after = |modulus: f32| {
        let mut settings = HairSettings::default();
        settings.material.stretching_modulus = modulus;
        let mut hair = HairSim::new(settings, RigidPose::IDENTITY, &curtain(20, 2), Vec::new()).unwrap();
        for _ in 0..12 {
            hair.advance(&RigidPose::IDENTITY, FRAME).unwrap();
        }
        assert!(hair.strands().largest_stretch(&hair.state().strands) < 2e-3);
        let mut restored = HairSim::new(settings, RigidPose::IDENTITY, &curtain(20, 2), Vec::new()).unwrap();
        restored.load(&hair.save()).unwrap();
        assert_eq!(restored.quantities(), hair.quantities());
        let quantities = hair.quantities();
        (quantities["max_stretch"] - 1.0, quantities["length_correction"])
    };
    let ((stiff, little), (soft, much)) = (after(1.6e7), after(1e2));
    println!("1.6e7 Pa: stretch {stiff}, correction {little} m; 1e2 Pa: stretch {soft}, correction {much} m");
    assert!(stiff < 1e-3 && little < 1e-6, "{stiff} {little}");
    // Within a step of 1/120 s a free fall is 0.7 mm, of which the grid takes away little.
    assert!(soft > 0.01 && much > 1e-3, "{soft} {much}");
}

#[test]
fn quantities_have_the_names_of_reports() {
    let hair = hair(Vec::new());
    let quantities = hair.quantities();
    let names = "deep_inside elastic_energy gravitational_energy kinetic_energy length_correction mass max_stretch \
                 momentum_x momentum_y momentum_z volume";
    assert_eq!(quantities.keys().copied().collect::<Vec<_>>().join(" "), names);
    // 20 strands of 19 cm.
    let material = hair.settings().material;
    let mass = f64::from(20.0 * 0.19 * material.density * material.area());
    assert!((quantities["mass"] / mass - 1.0).abs() < 1e-5);
    let stages: Vec<&str> = hair.stage_seconds().iter().map(|(stage, _)| *stage).collect();
    assert_eq!(stages.join(" "), "head build solve sort p2g grid_update g2p settle");
}
