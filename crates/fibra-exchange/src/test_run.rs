//! A small run with every kind of element, for tests.

use fibra_core::appearance::{Appearance, BodyAppearance, BodyShape, GrainAppearance, ObjectAppearance};
use fibra_core::frame::{Attribute, Frame, Pose};
use glam::Vec3;

fn object(name: &str) -> ObjectAppearance {
    ObjectAppearance {
        name: name.to_owned(),
        material: "sand".to_owned(),
        color: Vec3::new(0.25, 0.5, 0.75),
        point_radius: 0.01,
        turns: false,
        curve_radius: Some(0.002),
        is_skin: false,
        grain: None,
    }
}

pub(crate) fn appearance() -> Appearance {
    let body = |name: &str, shape| BodyAppearance { name: name.to_owned(), color: Vec3::splat(0.4), shape };
    Appearance {
        frames_per_second: 30.0,
        objects: vec![
            object("cloth"),
            object("thread"),
            ObjectAppearance {
                grain: Some(GrainAppearance { size: Vec3::new(0.1, 0.1, 0.4), is_round: true }),
                ..object("1 rice")
            },
            object("late"),
        ],
        bodies: vec![
            body("floor", BodyShape::Plane { normal: Vec3::Y }),
            body("ball", BodyShape::Ball { radius: 0.5, turns: false }),
            body("ball", BodyShape::Capsule { half_height: 0.5, radius: 0.25 }),
            body("hidden", BodyShape::Unseen),
            body(
                "wedge",
                BodyShape::Mesh {
                    positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
                    triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
                },
            ),
        ],
    }
}

/// Returns a frame with cloth, a thread and a point with two grains. From frame 2 on, the last object has two points.
pub(crate) fn frame(index: u32) -> Frame {
    let shift = 0.1 * index as f32;
    let mut object = vec![0, 0, 0, 0, 1, 1, 1, 2];
    if index >= 2 {
        object.extend([3, 3]);
    }
    let count = object.len();
    let pose = |x: f32| Pose { translation: [x, shift, 0.0], rotation: [0.0, 0.0, 0.6, 0.8] };
    Frame {
        index,
        time: f64::from(index) / 30.0,
        origin: [1000.0, 0.0, -2000.5],
        points: (0..count).map(|k| [k as f32, shift, if k == 3 { 1.0 } else { 0.0 }]).collect(),
        velocities: vec![[0.0, 3.0, 0.0]; count],
        attributes: vec![Attribute {
            name: "pressure".to_owned(),
            unit: "Pa".to_owned(),
            values: (0..count).map(|k| if k < 4 { f32::NAN } else { k as f32 }).collect(),
        }],
        segments: vec![[4, 5], [5, 6]],
        triangles: vec![[0, 1, 2], [2, 1, 3]],
        instances: vec![pose(7.0), pose(8.0)],
        instance_object: vec![2, 2],
        colliders: vec![pose(0.0), pose(1.0), pose(2.0), pose(3.0), pose(0.0)],
        object,
    }
}
