//! Tests of whole stages, read back with the crate `openusd`.

use super::*;
use crate::test_run::{appearance, frame};
use openusd::sdf::{AbstractData, SpecType, Value, path};
use openusd::usdc::CrateData;
use std::io::Cursor;

fn stage(frames: u32) -> CrateData<Cursor<Vec<u8>>> {
    let mut writer = StageWriter::new(Cursor::new(Vec::new()), "my run", appearance()).unwrap();
    for index in 0..frames {
        writer.add(&frame(index)).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    CrateData::open(Cursor::new(bytes), true).unwrap()
}

fn field(stage: &dyn AbstractData, of: &str, name: &str) -> Value {
    stage.get_field(&path(of).unwrap(), name).unwrap_or_else(|error| panic!("{of} {name}: {error}")).into_owned()
}

/// Returns the time samples of an attribute.
fn samples(stage: &dyn AbstractData, of: &str) -> Vec<(f64, Value)> {
    field(stage, of, "timeSamples").try_as_time_samples().unwrap()
}

fn positions(value: &Value) -> Vec<[f32; 3]> {
    match value {
        Value::Vec3fVec(places) => places.iter().map(|place| [place.x, place.y, place.z]).collect(),
        other => panic!("not positions: {other:?}"),
    }
}

#[test]
fn frames_are_stored_bit_for_bit() {
    let stage = stage(3);
    let at = |prim: &str| format!("/my_run/objects/{prim}");
    for (prim, rows) in [("cloth/surface", 0..4), ("thread/curves", 4..7), ("_1_rice/points", 7..8)] {
        let found = samples(&stage, &at(&format!("{prim}.points")));
        assert_eq!(found.len(), 3);
        for (index, (time, value)) in (0..).zip(&found) {
            assert_eq!((*time, &positions(value)[..]), (f64::from(index), &frame(index).points[rows.clone()]));
        }
        // The velocities never change, so they have no samples.
        assert_eq!(positions(&field(&stage, &at(&format!("{prim}.velocities")), "default")), frame(0).velocities[rows]);
    }
    let ints = |prim: &str| field(&stage, &at(prim), "default");
    assert_eq!(ints("cloth/surface.faceVertexCounts"), Value::IntVec(vec![3, 3]));
    assert_eq!(ints("cloth/surface.faceVertexIndices"), Value::IntVec(vec![0, 1, 2, 2, 1, 3]));
    assert_eq!(ints("thread/curves.curveVertexCounts"), Value::IntVec(vec![3]));
    assert_eq!(ints("thread/curves.widths"), Value::FloatVec(vec![0.004]));
    assert_eq!(ints("thread/curves.primvars:pressure"), Value::FloatVec(vec![4.0, 5.0, 6.0]));
    assert_eq!(ints("_1_rice/points.ids"), Value::Int64Vec(vec![7]));
    assert_eq!(samples(&stage, &at("_1_rice/grains.positions")).len(), 3);
    // An attribute that is undefined for the whole object is not written.
    assert!(!stage.has_spec(&path(at("cloth/surface.primvars:pressure")).unwrap()));
}

#[test]
fn prims_that_appear_late_are_empty_in_earlier_frames() {
    let stage = stage(4);
    let lengths = |attribute: &str| -> Vec<usize> {
        let samples = samples(&stage, &format!("/my_run/objects/late/points.{attribute}"));
        samples.iter().map(|(_, value)| positions(value).len()).collect()
    };
    assert_eq!(lengths("points"), [0, 0, 2, 2]);
    assert_eq!(lengths("velocities"), [0, 0, 2, 2]);
    assert_eq!(lengths("extent"), [2; 4]);
}

#[test]
fn metadata_gives_units_and_time_codes() {
    let stage = stage(3);
    let numbers =
        ["metersPerUnit", "timeCodesPerSecond", "framesPerSecond", "startTimeCode", "endTimeCode"].map(|name| {
            match field(&stage, "/", name) {
                Value::Double(number) => number,
                other => panic!("{name}: {other:?}"),
            }
        });
    assert_eq!(numbers, [1.0, 30.0, 30.0, 0.0, 2.0]);
    assert_eq!(field(&stage, "/", "upAxis"), Value::Token("Y".into()));
    assert_eq!(field(&stage, "/", "defaultPrim"), Value::Token("my_run".into()));
    let Value::Vec3d(origin) = field(&stage, "/my_run.xformOp:translate", "default") else { panic!("no origin") };
    assert_eq!([origin.x, origin.y, origin.z], [1000.0, 0.0, -2000.5]);
}

#[test]
fn bodies_are_animated_and_invisible_bodies_are_omitted() {
    let stage = stage(2);
    for (name, schema) in [("floor", "Mesh"), ("ball", "Sphere"), ("ball_2", "Capsule"), ("wedge", "Mesh")] {
        let prim = format!("/my_run/colliders/{name}");
        assert_eq!(field(&stage, &prim, "typeName"), Value::Token(schema.into()));
        assert_eq!(samples(&stage, &format!("{prim}.xformOp:translate")).len(), 2);
        let Value::Quatf(turn) = field(&stage, &format!("{prim}.xformOp:orient"), "default") else { panic!("no turn") };
        assert_eq!([turn.x, turn.y, turn.z, turn.w], [0.0, 0.0, 0.6, 0.8]);
    }
    assert!(!stage.has_spec(&path("/my_run/colliders/hidden").unwrap()));
    assert_eq!(
        stage.spec_type(&path("/my_run/objects/_1_rice/grains.prototypes").unwrap()),
        Some(SpecType::Relationship)
    );
}

#[test]
fn invalid_rates_objects_and_frame_orders_are_rejected() {
    let writer = |rate: f64| {
        let appearance = Appearance { frames_per_second: rate, ..appearance() };
        StageWriter::new(Cursor::new(Vec::new()), "x", appearance)
    };
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(writer(rate), Err(StageError::Rate(_))));
    }
    for object in [9, u32::MAX] {
        let invalid = Frame { object: vec![object; 8], ..frame(0) };
        let message = writer(24.0).unwrap().add(&invalid).unwrap_err().to_string();
        assert_eq!(message, format!("frame 0 refers to object {object}, but the scene has only 4 objects"));
    }
    let mut stage = writer(24.0).unwrap();
    stage.add(&frame(3)).unwrap();
    assert!(stage.add(&frame(3)).unwrap_err().to_string().contains("increasing order"));
}

#[test]
fn a_stage_without_frames_is_valid() {
    let stage = stage(0);
    assert!(!stage.has_field(&path("/").unwrap(), "startTimeCode"));
}
