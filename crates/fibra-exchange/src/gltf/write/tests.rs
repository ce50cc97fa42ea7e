//! Tests of complete `.glb` files, parsed from their bytes.

use super::*;
use crate::test_run::{appearance, frame};

/// Returns the JSON document and the buffer of a file.
fn parsed(bytes: &[u8]) -> (Value, &[u8]) {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], number(4), number(8), &bytes[16..20]), (&b"glTF"[..], 2, bytes.len(), &b"JSON"[..]));
    let (text, rest) = bytes[20..].split_at(number(12));
    assert_eq!((rest.len() % 4, &rest[4..8]), (0, &b"BIN\0"[..]));
    (serde_json::from_slice(text).unwrap(), &rest[8..])
}

/// Returns the numbers of an accessor.
fn floats(json: &Value, buffer: &[u8], accessor: &Value) -> Vec<f32> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let [start, length] = ["byteOffset", "byteLength"].map(|name| view[name].as_u64().unwrap() as usize);
    buffer[start..start + length].as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

#[test]
fn objects_and_bodies_are_nodes() {
    let frame = frame(2);
    let bytes = encode(&frame, &appearance()).unwrap();
    let (json, buffer) = parsed(&bytes);
    let nodes = json["nodes"].as_array().unwrap();
    let names: Vec<&str> = nodes.iter().map(|node| node["name"].as_str().unwrap()).collect();
    let expected = "cloth surface, thread curves, 1 rice grains, late points, floor, ball, ball, wedge, run";
    assert_eq!(names.join(", "), expected);
    let root = json["scenes"][0]["nodes"][0].as_u64().unwrap() as usize;
    assert_eq!(nodes[root]["translation"], json!([1000.0, 0.0, -2000.5]));
    assert_eq!(nodes[root]["children"].as_array().unwrap().len(), 8);

    let primitive = |node: usize| &json["meshes"][nodes[node]["mesh"].as_u64().unwrap() as usize]["primitives"][0];
    for (node, mode, rows) in [(0, TRIANGLES, 0..4), (1, LINES, 4..7), (3, POINTS, 8..10)] {
        assert_eq!(primitive(node)["mode"], mode);
        let attributes = &primitive(node)["attributes"];
        assert_eq!(floats(&json, buffer, &attributes["POSITION"]), frame.points[rows.clone()].as_flattened());
        assert_eq!(floats(&json, buffer, &attributes["_VELOCITY"]), frame.velocities[rows].as_flattened());
    }
    assert!(primitive(0)["attributes"]["_PRESSURE"].is_null(), "cloth has no pressure");
    assert_eq!(floats(&json, buffer, &primitive(1)["attributes"]["_PRESSURE"]), [4.0, 5.0, 6.0]);
    let instances = &nodes[2]["extensions"][INSTANCING]["attributes"];
    assert_eq!(floats(&json, buffer, &instances["TRANSLATION"]), [7.0, 0.2, 0.0, 8.0, 0.2, 0.0]);
    assert_eq!(json["extensionsUsed"], json!([INSTANCING]));
    assert_eq!(nodes[7]["rotation"], json!(frame.colliders[4].rotation));
}

#[test]
fn an_empty_frame_is_a_valid_file() {
    let bytes = encode(&Frame::default(), &Appearance::default()).unwrap();
    let text = &bytes[20..];
    let json: Value = serde_json::from_slice(text).unwrap();
    assert!(json["meshes"].is_null() && json["buffers"].is_null());
    assert_eq!(json["nodes"].as_array().unwrap().len(), 1);
}

#[test]
fn numbers_are_finite_and_normals_have_unit_length() {
    let mut frame = frame(0);
    frame.triangles = vec![[0, 0, 1]];
    frame.attributes[0].values[4] = f32::INFINITY;
    let bytes = encode(&frame, &appearance()).unwrap();
    let (json, buffer) = parsed(&bytes);
    assert!(floats(&json, buffer, &json!(0)).iter().all(|x| x.is_finite()));
    let attributes = &json["meshes"][0]["primitives"][0]["attributes"];
    assert_eq!(floats(&json, buffer, &attributes["NORMAL"]), [0.0, 1.0, 0.0].repeat(2));
    // The two points that no longer belong to the surface form a separate mesh, with index 1.
    let pressure = &json["meshes"][2]["primitives"][0]["attributes"]["_PRESSURE"];
    assert_eq!(floats(&json, buffer, pressure), [0.0, 5.0, 6.0]);
}

#[test]
fn unknown_objects_are_rejected() {
    // A table allocated before the check would take 750 GB for the largest index.
    for object in [7, u32::MAX] {
        let stranger = Frame { instance_object: vec![2, object], ..frame(0) };
        let error = encode(&stranger, &appearance()).unwrap_err();
        assert_eq!(error, GlbError::NoObject { frame: 0, object: object as usize, available: 4 });
    }
}

#[test]
fn boxes_face_outward() {
    let (points, triangles) = cuboid(Vec3::new(1.0, 2.0, 3.0));
    let place = |corner: u32| Vec3::from_array(points[corner as usize]);
    let volume: f32 = triangles.iter().map(|&[a, b, c]| place(a).dot(place(b).cross(place(c))) / 6.0).sum();
    assert_eq!(volume, 48.0);
}
