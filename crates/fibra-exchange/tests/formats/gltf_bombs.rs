//! Small glTF files that expand to huge data by using the same few bytes many times.

use serde_json::{Value, json};

/// Returns a file with a triangle whose node is translated, with keyframes at 0 s and 1,666 s.
pub fn triangle() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
            "samplers": [{"input": 1, "output": 2}],
        }],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR"},
            zeros(2, "VEC3"),
        ],
        "bufferViews": [{"byteLength": 36}, {"byteOffset": 36, "byteLength": 8}],
        "buffers": [{"byteLength": 44}],
    })
}

/// Returns an accessor without a buffer view: all its elements are zero.
fn zeros(count: usize, kind: &str) -> Value {
    json!({"componentType": 5126, "count": count, "type": kind})
}

/// Returns the triangle with `count` animation channels of five million keyframes each. With `same`, all channels share one accessor of values.
pub fn channels(count: usize, same: bool) -> Value {
    const KEYS: usize = 5_592_405;
    let mut file = triangle();
    let outputs = if same { 1 } else { count };
    let accessors = std::iter::once(zeros(KEYS, "SCALAR")).chain(vec![zeros(KEYS, "VEC3"); outputs]);
    file["accessors"].as_array_mut().unwrap().extend(accessors);
    let target = json!({"node": 0, "path": "translation"});
    file["animations"] = json!([{
        "channels": (0..count).map(|i| json!({"sampler": i % outputs, "target": target})).collect::<Vec<_>>(),
        "samplers": (0..outputs).map(|i| json!({"input": 3, "output": 4 + i})).collect::<Vec<_>>(),
    }]);
    file
}

/// Returns `count` nodes with the triangle that share a skin with `count` joints.
pub fn skin(count: usize) -> Value {
    let mut file = triangle();
    file["accessors"].as_array_mut().unwrap().push(zeros(count, "MAT4"));
    file["nodes"] = json!(vec![json!({"mesh": 0, "skin": 0}); count]);
    file["skins"] = json!([{"joints": (0..count).collect::<Vec<_>>(), "inverseBindMatrices": 3}]);
    file["animations"] = json!([]);
    file
}

/// Returns `count` nodes with the triangle, whose mesh has `count` morph target weights.
pub fn weights(count: usize) -> Value {
    let mut file = triangle();
    file["nodes"] = json!(vec![json!({"mesh": 0}); count]);
    file["meshes"][0]["weights"] = json!(vec![0; count]);
    file["animations"] = json!([]);
    file
}

/// Returns `count` nodes with the triangle, each with a channel that animates the weights of `count` morph targets.
pub fn moving_weights(count: usize) -> Value {
    let mut file = weights(count);
    file["meshes"][0]["primitives"][0]["targets"] = json!(vec![json!({}); count]);
    file["accessors"].as_array_mut().unwrap().extend([zeros(1, "SCALAR"), zeros(count, "SCALAR")]);
    let channel = |node: usize| json!({"sampler": 0, "target": {"node": node, "path": "weights"}});
    file["animations"] = json!([{
        "channels": (0..count).map(channel).collect::<Vec<_>>(),
        "samplers": [{"input": 3, "output": 4}],
    }]);
    file
}

/// Returns the triangle and `count` more nodes: siblings of its node if `siblings`, else a chain of ancestors.
pub fn nodes(count: usize, siblings: bool) -> Value {
    let mut file = triangle();
    let node = |i: usize| if siblings { json!({}) } else { json!({"children": [(i + 2) % (count + 1)]}) };
    let mut nodes: Vec<Value> = (0..count).map(node).collect();
    nodes.insert(0, json!({"mesh": 0}));
    file["nodes"] = json!(nodes);
    file
}

/// Encodes a document as a binary file.
pub fn glb(file: &Value) -> Vec<u8> {
    let mut json = file.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let numbers: [f32; 11] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1666.0];
    let binary: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut bytes = [&b"glTF\x02\0\0\0"[..], &(28 + json.len() as u32 + 44).to_le_bytes()].concat();
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}
