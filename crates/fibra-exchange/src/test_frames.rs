//! Small frames, for tests.

use fibra_core::frame::{Attribute, Frame};

/// Returns two points with an attribute whose name needs escaping in every format.
pub(crate) fn sample(origin: [f64; 3]) -> Frame {
    Frame {
        index: 3,
        time: 0.125,
        origin,
        object: vec![0, 7],
        points: vec![[0.1, 2.0, -3.0], [4.0, 5.5, 6.0]],
        velocities: vec![[1.0, 0.0, 0.0], [0.0, -1.0, 0.5]],
        attributes: vec![Attribute { name: "a <b>\n".to_owned(), unit: "Pa".to_owned(), values: vec![10.0, 20.0] }],
        segments: vec![],
        ..Frame::default()
    }
}

/// Returns two triangles (object 1), a thread of three points (object 2) and a grain (object 0), in mixed order.
pub(crate) fn woven() -> Frame {
    let points: Vec<[f32; 3]> = (0..8).map(|k| [k as f32, 0.25, -0.5]).collect();
    Frame {
        object: vec![1, 1, 1, 1, 0, 2, 2, 2],
        velocities: vec![[0.0; 3]; 8],
        attributes: vec![Attribute {
            name: "stretch".to_owned(),
            unit: "-".to_owned(),
            values: (0..8).map(|k| k as f32).collect(),
        }],
        segments: vec![[7, 6], [6, 5]],
        triangles: vec![[0, 1, 2], [2, 1, 3]],
        points,
        ..Frame::default()
    }
}
