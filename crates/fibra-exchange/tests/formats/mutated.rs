//! Damaged files never make an importer panic, hang or use unbounded memory.
//!
//! Plain `cargo test` reads 2,000 damaged files for each format; `cargo test --release --test formats mutated -- --ignored --nocapture`
//! reads 100,000 and prints the maximum time and memory.

use crate::data;
use crate::gltf_bombs;
use crate::mutation::{how_many, memory, survive};
use crate::usd_bombs::{self as bombs, Part};
use fibra_core::frame::{Attribute, Frame, Pose};
use fibra_core::geometry::TriangleMesh;
use fibra_core::tensor_file::TensorFile;
use fibra_exchange::parse::{
    parse_animation, parse_curves, parse_directions, parse_mesh, parse_points, parse_poses, parse_strands,
};
use fibra_exchange::writers::{write_obj, write_ply};
use fibra_exchange::{CurveImport, DeformingImport, HairFile, Recording, read_deforming};

/// Defines a test for each format, and an ignored test with many more files.
macro_rules! formats {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            super::$name(how_many(false));
        })*

        mod thorough {
            use super::*;

            $(#[test]
            #[ignore = "reads 100,000 files"]
            fn $name() {
                super::super::$name(how_many(true));
            })*
        }
    };
}

mod survives {
    use super::how_many;

    formats! { usda usdc gltf glb obj ply hair bcc points directions poses frames }
}

fn files(names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| std::fs::read(data(name)).unwrap()).collect()
}

/// Reads a USD file as a mesh, an animation and strands. The frame rate is low, so that a damaged duration gives few frames.
fn read_usd(bytes: &[u8], name: &str) -> bool {
    let path = data(name);
    let ways = [
        parse_mesh(bytes, &path, None).is_ok(),
        parse_animation(bytes, &path, None, Some(4.0)).is_ok(),
        parse_strands(bytes, &path, Some("/Hair/linear_none_nonperiodic"), 1.0).is_ok(),
    ];
    ways.contains(&true)
}

fn usda(count: u64) {
    let files = files(&["animated.usda", "curves.usda", "arcs.usda", "clips.usda"]);
    survive("usda", &files, count, |bytes| read_usd(bytes, "damaged.usda"));
}

fn usdc(count: u64) {
    let files = files(&[
        "animated.usdc",
        "curves.usdc",
        "clips.usdc",
        "clips_listed.usdc",
        "part.usdc",
        "animated_plain.usdc",
        "clips_plain.usdc",
    ]);
    survive("usdc", &files, count, |bytes| read_usd(bytes, "damaged.usdc"));
}

#[test]
fn usd_files_that_decompress_to_huge_data_are_rejected() {
    const PACKED: usize = 4_000_000;
    let read = |bytes: &[u8]| memory(|| parse_mesh(bytes, "bomb.usdc", None).unwrap_err().to_string());
    let (_, harmless) = read(&bombs::file(Part::Array, 0, 0));
    assert!(harmless.contains("face 0 has 0 corners"), "the undamaged file is rejected for another reason: {harmless}");
    for part in [Part::Words, Part::Fields, Part::Array] {
        // Two counts that exceed any machine's memory, and one close to the count that the file really decompresses to.
        for count in [u64::MAX, 1 << 40, 1_000_000_000] {
            let (memory, message) = read(&bombs::file(part, PACKED, count));
            assert!(memory < 32 << 20, "{part:?} {count}: {memory} bytes");
            assert!(
                message.contains("bomb.usdc")
                    && (message.contains("do not fit") || message.contains("a file of this size may have")),
                "{message}"
            );
        }
        // The largest allowed count takes at most a few hundred MB.
        let most = if part == Part::Array { 1 << 25 } else { 1 << 23 };
        let (memory, message) = read(&bombs::file(part, PACKED, most));
        assert!(memory < 512 << 20, "{part:?}: {memory} bytes, {message}");
    }
}

#[test]
fn usd_files_that_repeat_long_tokens_are_rejected() {
    let read = |part, packed| {
        let bytes = bombs::file(part, packed, 1000);
        memory(|| parse_mesh(&bytes, "bomb.usdc", None).unwrap_err().to_string())
    };
    for part in [Part::Payloads, Part::Selections] {
        let (memory, message) = read(part, 1 << 20);
        assert!(message.contains("much larger than the file"), "{part:?}: {message}");
        assert!(memory < 256 << 20, "{part:?}: {memory} bytes");
    }
    let (_, message) = read(Part::Name, 5000);
    assert!(message.contains("bomb.usdc, byte ") && message.contains("at most 4096 are allowed"), "{message}");
}

#[test]
fn ancestors_of_many_meshes_are_stored_once() {
    let references = "</C>, ".repeat(1000);
    let meshes: String = (0..3000).map(|i| format!("def Mesh \"M{i}\" {{}}\n")).collect();
    let text = format!("#usda 1.0\nclass \"C\" {{}}\ndef \"A\" ( references = [{references}] ) {{\n{meshes}}}\n");
    let (memory, _) = memory(|| parse_mesh(text.as_bytes(), "many.usda", None).is_ok());
    assert!(memory < 64 << 20, "{memory} bytes");
}

#[test]
fn listed_children_without_a_spec_are_not_prims() {
    let bytes = bombs::file(Part::Children, 0, 1);
    let message = parse_mesh(&bytes, "odd.usdc", Some("/B")).unwrap_err().to_string();
    assert!(message.contains("the children of / are /A;"), "{message}");
}

#[test]
fn paths_in_text_files_take_bounded_memory() {
    let properties: String = (0..100_000).map(|i| format!("int p{i}\n")).collect();
    let file = |length: usize| format!("#usda 1.0\ndef \"{}\" {{\n{properties}}}\n", "a".repeat(length));
    let read = |text: &str| memory(|| parse_mesh(text.as_bytes(), "bomb.usda", None).unwrap_err().to_string());
    for (length, part) in [
        (1_000_000, "bomb.usda, line 2: a path has 1000001 bytes; at most 4096 are allowed"),
        (4000, "the text of all paths together is much larger than the file"),
        (100, "no visible Mesh"),
    ] {
        let (memory, message) = read(&file(length));
        assert!(message.contains(part), "{message}");
        assert!(memory < 256 << 20, "{length}: {memory} bytes");
    }
}

#[test]
fn frames_of_a_deforming_body_are_stored_once() {
    let import = DeformingImport { prim: None, scale: 1.0, fps: Some(20_000.0), thickness: 0.01 };
    let (memory, body) = memory(|| read_deforming(data("nodes.glb").to_str().unwrap(), &import).unwrap());
    // Two seconds at 20,000 frames per second: eight vertices of 24 bytes and a 24-byte `Vec` per frame.
    let frames = 40_001 * (8 * 24 + 24);
    assert_eq!(body.triangles().len(), 12);
    assert!(memory < frames + (1 << 20), "{memory} bytes for {frames}");
}

/// Reads the animation of a glTF file. Returns the peak memory [bytes] and the numbers of frames and vertices, or the error.
fn bomb(file: &serde_json::Value) -> (usize, Result<(usize, usize), String>) {
    let bytes = gltf_bombs::glb(file);
    let (memory, result) = memory(|| parse_animation(&bytes, "bomb.glb", None, None));
    let sizes = |recording: Recording| (recording.frames.len(), recording.frames[0].len());
    (memory, result.map(sizes).map_err(|error| error.to_string()))
}

#[test]
fn channels_share_keyframes() {
    let (memory, result) = bomb(&gltf_bombs::channels(100, true));
    assert_eq!(result, Ok((1, 3)));
    assert!(memory < 256 << 20, "{memory} bytes");
    let (memory, result) = bomb(&gltf_bombs::channels(100, false));
    let message = result.unwrap_err();
    assert!(
        message.contains("bomb.glb, animations[0].channels[3]: the keyframes of all animations exceed the limit"),
        "{message}"
    );
    assert!(memory < 1 << 30, "{memory} bytes");
}

#[test]
fn nodes_share_skins_and_weights() {
    for file in [gltf_bombs::skin(10_000), gltf_bombs::weights(10_000)] {
        let (memory, result) = bomb(&file);
        assert_eq!(result, Ok((1, 30_000)));
        assert!(memory < 64 << 20, "{memory} bytes");
    }
}

#[test]
fn animated_weights_are_limited() {
    let (memory, result) = bomb(&gltf_bombs::moving_weights(10_000));
    let message = result.unwrap_err();
    assert!(message.contains("channels[6710]: the limit of 67108864 animated numbers is exceeded"), "{message}");
    assert!(memory < 64 << 20, "{memory} bytes");
    assert_eq!(bomb(&gltf_bombs::moving_weights(100)).1, Ok((1, 300)));
}

#[test]
fn only_nodes_that_affect_meshes_are_evaluated() {
    assert_eq!(bomb(&gltf_bombs::nodes(100_000, true)).1, Ok((99_961, 3)));
    let message = bomb(&gltf_bombs::nodes(100_000, false)).1.unwrap_err();
    assert!(message.contains("bomb.glb, animation: ") && message.contains("exceed the limit"), "{message}");
}

fn read_gltf(bytes: &[u8], name: &str) -> bool {
    let path = data(name);
    parse_mesh(bytes, &path, None).is_ok() | parse_animation(bytes, &path, None, Some(4.0)).is_ok()
}

fn gltf(count: u64) {
    let files = files(&["skin.gltf", "skin_inside.gltf", "nodes.gltf", "nodes_inside.gltf"]);
    survive("gltf", &files, count, |bytes| read_gltf(bytes, "damaged.gltf"));
}

fn glb(count: u64) {
    survive("glb", &files(&["skin.glb", "nodes.glb"]), count, |bytes| read_gltf(bytes, "damaged.glb"));
}

/// Returns a mesh to write in various formats.
fn mesh() -> TriangleMesh {
    fibra_exchange::read_mesh(data("nodes.glb"), None).unwrap()
}

fn written(write: impl Fn(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    bytes
}

const PLY_TEXT: &[u8] = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    property float radius\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 1\n1 0 0 1\n0 1 0 1\n3 0 1 2\n";

const CSV_TEXT: &[u8] = b"x,y,z,radius\n0,0,0,1\n\n# note\n1,0,0,0.5\n";

fn obj(count: u64) {
    let files =
        [written(|out| write_obj(&mesh(), out)), b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2/3 3//1 -1\n".to_vec()];
    survive("obj", &files, count, |bytes| parse_mesh(bytes, "damaged.obj", None).is_ok());
}

fn ply(count: u64) {
    let files = [written(|out| write_ply(&mesh(), out)), PLY_TEXT.to_vec()];
    survive("ply", &files, count, |bytes| parse_mesh(bytes, "damaged.ply", None).is_ok());
}

fn points(count: u64) {
    let files =
        [written(|out| write_ply(&mesh(), out)), PLY_TEXT.to_vec(), b"v 0 0 0\nv 1 0 0\n".to_vec(), CSV_TEXT.to_vec()];
    survive("points", &files, count, |bytes| {
        let read = |name: &str| parse_points(bytes, name, Some(1.0)).is_ok();
        read("damaged.ply") | read("damaged.obj") | read("damaged.csv")
    });
}

fn hair(count: u64) {
    let points = vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.5], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
    let even = HairFile::new(points[..4].to_vec(), &[2, 2]).unwrap();
    let files = [HairFile::new(points, &[3, 2]).unwrap(), even].map(|file| written(|out| file.write(out)));
    survive("hair", &files, count, |bytes| {
        let import = CurveImport { scale: 1.0, spacing: 1e6 };
        let curves = parse_curves(bytes, "damaged.hair", None, &import).is_ok();
        curves | parse_strands(bytes, "damaged.hair", None, 1.0).is_ok()
    });
}

fn bcc(count: u64) {
    let file = |kind: &[u8; 2]| {
        let (open, closed) = if kind == b"BZ" { (4i32, -3i32) } else { (4, -4) };
        let mut bytes = [&b"BCC\x44"[..], kind, &[3, 1]].concat();
        bytes.extend([2, u64::from(open.unsigned_abs() + closed.unsigned_abs())].iter().flat_map(|n| n.to_le_bytes()));
        bytes.resize(64, 0);
        for count in [open, closed] {
            bytes.extend(count.to_le_bytes());
            for i in 0..count.unsigned_abs() {
                bytes.extend([i as f32, (i * i) as f32, count as f32].iter().flat_map(|x| x.to_le_bytes()));
            }
        }
        bytes
    };
    let files = [b"C0", b"C1", b"C5", b"BS", b"BZ", b"PL"].map(file);
    // A coarse spacing, so that coordinates of 1e9 give at most a few thousand points.
    let import = CurveImport { scale: 1.0, spacing: 1e6 };
    survive("bcc", &files, count, |bytes| parse_curves(bytes, "damaged.bcc", None, &import).is_ok());
}

fn directions(count: u64) {
    let files = [
        b"x,y,z,u,v,w\n0,0,0,1,0,0\n1,2,3,0,1,0\n# note\n\n1,1,1,0,0,1\n".to_vec(),
        b"x,y,z,u,v,w,alignment\n0,0,0,1,0,0,0.5\n".to_vec(),
    ];
    survive("directions", &files, count, |bytes| parse_directions(bytes, "damaged").is_ok());
}

fn poses(count: u64) {
    let files = [b"# x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,1\n\n1, 2, 3, 0, 0, 1, 0\n".to_vec()];
    survive("poses", &files, count, |bytes| parse_poses(bytes, 24.0, "damaged").is_ok());
}

fn frames(count: u64) {
    let pose = Pose { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
    let frame = Frame {
        index: 3,
        time: 0.125,
        object: vec![0, 0, 1],
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        velocities: vec![[0.0; 3]; 3],
        attributes: vec![Attribute { name: "stretch".into(), unit: "-".into(), values: vec![1.0; 3] }],
        segments: vec![[0, 1]],
        triangles: vec![[0, 1, 2]],
        instances: vec![pose],
        instance_object: vec![0],
        colliders: vec![pose],
        ..Frame::default()
    };
    let files = [frame, Frame::default()].map(|frame| written(|out| frame.to_tensors().write_to(out)));
    survive("frames", &files, count, |bytes| {
        TensorFile::from_bytes(bytes).is_ok_and(|tensors| Frame::from_tensors(&tensors).is_ok())
    });
}
