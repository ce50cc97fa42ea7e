//! Compares animated glTF files with closed forms of their motion. `data/make_gltf_fixtures.py` writes both.

use crate::data;
use fibra_exchange::{read_animation, read_mesh};
use glam::DVec3;
use serde_json::Value;

/// Returns the expected vertex positions [m] of a model at a time [s].
fn expected(model: &str, time: &str) -> Vec<DVec3> {
    let text = std::fs::read_to_string(data("expected_gltf.json")).unwrap();
    let table: Value = serde_json::from_str(&text).unwrap();
    let places: Vec<[f64; 3]> = serde_json::from_value(table[model][time].clone()).unwrap();
    places.into_iter().map(DVec3::from_array).collect()
}

#[test]
fn nodes_skins_and_targets_move_vertices() {
    for file in ["skin.gltf", "skin_inside.gltf", "skin.glb"] {
        let recording = read_animation(data(file), None, Some(2.0)).unwrap();
        assert_eq!((recording.frames.len(), recording.triangles.len()), (3, 3 * 12 + 2 * 4));
        for (time, frame) in ["0", "0.5", "1"].iter().zip(&recording.frames) {
            for (found, wanted) in frame.iter().zip(expected("skin", time)) {
                assert!(found.distance(wanted) < 1e-6, "{file} at {time}: {found} instead of {wanted}");
            }
        }
    }
    for file in ["nodes.gltf", "nodes_inside.gltf", "nodes.glb"] {
        let recording = read_animation(data(file), Some("turner"), Some(2.0)).unwrap();
        assert_eq!((recording.frames.len(), recording.triangles.len()), (5, 12));
        for (time, frame) in ["0", "0.5", "1", "1.5", "2"].iter().zip(&recording.frames) {
            let wanted = expected("nodes", time);
            // The file has duplicate vertices; the reader merges them.
            assert_eq!(frame.len(), wanted.len());
            for wanted in wanted {
                assert!(frame.iter().any(|found| found.distance(wanted) < 1e-6), "{file} at {time}: {wanted}");
            }
        }
        let default = read_animation(data(file), None, None).unwrap();
        assert_eq!((default.fps, default.frames.len()), (60.0, 121));
    }
}

#[test]
fn bodies_are_closed_and_face_outward() {
    for file in ["skin.glb", "nodes.glb"] {
        let mesh = read_mesh(data(file), None).unwrap();
        let volume: f64 = (0..mesh.triangles().len())
            .map(|triangle| mesh.corners(triangle))
            .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
            .sum();
        let exact =
            if file == "nodes.glb" { 1.0 } else { 0.6 * 6.0 * 0.5 * 0.1 * 0.1 * (std::f64::consts::TAU / 6.0).sin() };
        assert!((volume - exact).abs() < 1e-6, "{file}: {volume} {exact}");
        fibra_core::geometry::MeshSurface::new(&mesh).unwrap();
    }
}

#[test]
fn errors_name_the_file_and_the_location() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gltf");
    let good = std::fs::read_to_string(data("nodes_inside.gltf")).unwrap();
    for (from, to, part) in [
        ("\"2.0\"", "\"1.0\"", "asset.version"),
        ("\"count\":36", "\"count\":37", "accessors[1]: it reaches beyond its buffer view"),
        ("\"count\":36", "\"count\":18446744073709551615", "accessors[1]: it reaches beyond its buffer view"),
        ("\"children\":[1]", "\"children\":[0]", "has more than one parent"),
        ("\"children\":[1]", "\"children\":[7]", "child 7 does not exist"),
        ("\"mesh\":0", "\"mesh\":5", "there is no mesh 5"),
        ("VEC3", "VEC4", "accessors["),
        ("STEP", "JUMP", "the interpolation `JUMP` is unknown"),
        ("base64,", "base65,", "buffers[0]"),
    ] {
        assert!(good.contains(from), "{from}");
        std::fs::write(&path, good.replacen(from, to, 1)).unwrap();
        let message = read_animation(&path, None, None).unwrap_err().to_string();
        assert!(message.contains("a.gltf") && message.contains(part), "{from} -> {to}: {message}");
    }
    let message = read_mesh(data("nodes.glb"), Some("shirt")).unwrap_err().to_string();
    assert!(message.contains("there is no node `shirt`; the first nodes are mover, turner, cube"), "{message}");
    let message = read_animation(data("nodes.glb"), None, Some(1e9)).unwrap_err().to_string();
    assert!(message.contains("with 8 vertices exceed the limit"), "{message}");
}
