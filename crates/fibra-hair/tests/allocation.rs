//! After the first frames, advancing hair does not allocate. This test is a separate program because it counts all allocations of the process.

use fibra_core::geometry::generate::{Hairstyle, Head};
use fibra_core::geometry::{DeformedMesh, MeshDistance, RigidPose, Shape};
use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
use glam::{DQuat, DVec3, Vec3};
use std::sync::Arc;

/// Returns the pose of the head in a frame: it sways, nods and jumps once.
fn head(frame: u32) -> RigidPose {
    let t = f64::from(frame) / 60.0;
    let jump = if frame > 40 { 3.0 } else { 0.0 };
    let turn = DQuat::from_rotation_y(1.5 * (7.0 * t).sin()) * DQuat::from_rotation_x(0.8 * (9.0 * t).sin());
    RigidPose { translation: DVec3::new(0.2 * (8.0 * t).sin(), 1.6, jump), rotation: turn }
}

#[test]
fn advancing_does_not_allocate() {
    let start = head(0);
    let style = Hairstyle { strands: 300, ..Hairstyle::short() }.build().unwrap();
    let strand = |points: &[DVec3]| {
        let points = points.iter().map(|point| start.apply(*point).as_vec3()).collect();
        StrandInput { points, pinned: 2, ..StrandInput::default() }
    };
    let strands: Vec<StrandInput> = style.iter().map(strand).collect();
    let skin = Head::ADULT.mesh(0.02).unwrap();
    let shoulders = skin.clone();
    let body = |shape, pose, on_head| HairCollider { pose, on_head, ..HairCollider::new(shape) };
    let bodies = vec![
        body(Shape::Mesh(Arc::new(MeshDistance::new(&skin, 0.01).unwrap())), RigidPose::IDENTITY, true),
        body(Shape::capsule(0.15, 0.05).unwrap(), RigidPose::at(DVec3::new(0.0, 1.35, 0.0)), false),
        body(Shape::Deformed(Arc::new(DeformedMesh::new(&shoulders, DVec3::ZERO, 0.01))), RigidPose::IDENTITY, false),
    ];
    let mut hair = HairSim::new(HairSettings::default(), start, &strands, bodies).unwrap();
    let [_, capsule, ball] = hair.collider_ids().collect::<Vec<_>>().try_into().unwrap();
    // A ball below the head that changes its size.
    let mut vertices: Vec<Vec3> = shoulders.vertices().iter().map(|vertex| vertex.as_vec3()).collect();
    let mut advance = |frame: u32| {
        let size = 1.0 + 0.01 * (frame as f32).sin();
        vertices.iter_mut().zip(shoulders.vertices()).for_each(|(at, rest)| *at = size * rest.as_vec3() + Vec3::Y);
        hair.move_collider(capsule, RigidPose::at(head(frame).translation - DVec3::new(0.0, 0.25, 0.0))).unwrap();
        hair.move_vertices(ball, &vertices).unwrap();
        hair.advance(&head(frame), 1.0 / 60.0).unwrap();
    };
    // Runs on the only thread of a pool, because allocations are counted per thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| {
        (1..4).for_each(&mut advance);
        let counted = allocation_counter::measure(|| (4..60).for_each(&mut advance));
        assert_eq!(counted.count_total, 0, "{counted:?}");
    });
}
