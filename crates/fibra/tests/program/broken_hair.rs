//! Hair that cannot be built: `.hair` files that are truncated, inconsistent or not finite, and hair that starts in the wrong place.
//! Each ends with exit code 2 and a message that names the line and the remedy. Repairable files only cause a warning.
//!
//! All messages are in one snapshot. After a deliberate change, run with `INSTA_UPDATE=always` and review the difference.

use crate::command::{ends_with, good, output};
use std::fmt::Write;
use std::path::Path;

const SCENE: &str = r#"title = "Hair of a file"
method = "hair"
time = { frames = 2 }
HAIR

[[object]]
name = "hair"
SHAPE
MATERIAL

[[collider]]
name = "block"
shape.box = { center = [0, -1, 0], size = [1, 0.5, 1] }
"#;

const HAIR: &str = "[hair]";
const FILE: &str = "shape.hair-file = { file = \"good.hair\", scale = 0.01, strands = 2, interpolated = 3 }";
const MATERIAL: &str = "material.hair = {}";

/// Encodes a `.hair` file from the counts of strands and points in its header, the segments of each strand, and the points.
fn hair_file(strands: u32, points: u32, segments: &[u16], positions: &[[f32; 3]]) -> Vec<u8> {
    let mut bytes = b"HAIR".to_vec();
    for number in [strands, points, 3, 0] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [0.1f32, 0.0, 0.5, 0.4, 0.3] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(128, 0);
    segments.iter().for_each(|count| bytes.extend(count.to_le_bytes()));
    positions.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes
}

/// Returns the points of strands that hang side by side, four points each [cm].
fn hanging(strands: usize) -> Vec<[f32; 3]> {
    (0..4 * strands).map(|k| [(k / 4) as f32, 10.0 - (k % 4) as f32, 0.0]).collect()
}

fn write_files(folder: &Path) {
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();
    let good = hair_file(3, 12, &[3; 3], &hanging(3));
    let mut not_finite = hanging(3);
    not_finite[5][1] = f32::NAN;
    let mut dented = hanging(3);
    dented[2] = dented[1];
    dented[4..8].fill([1.0, 5.0, 0.0]);
    write("truncated.hair", good[..good.len() - 10].to_vec());
    write("header.hair", good[..100].to_vec());
    write("longer.hair", [&good[..], b"more"].concat());
    write("counts.hair", hair_file(3, 13, &[3; 3], &hanging(3)));
    write("nan.hair", hair_file(3, 12, &[3; 3], &not_finite));
    write("points.hair", hair_file(3, 12, &[3; 3], &[[1.0; 3]; 12]));
    write("dented.hair", hair_file(3, 12, &[3; 3], &dented));
    write("none.hair", hair_file(0, 0, &[], &[]));
    write("model.tfx", b"TressFX".to_vec());
    write("other.hair", b"not hair at all".to_vec());
    // 65,536 segments in one strand do not fit into a 16-bit count.
    let points: Vec<[f32; 3]> = (0..65_537).map(|k| [0.0, k as f32, 0.0]).collect();
    let mut long = hair_file(1, 65_537, &[], &points);
    long[12..20].copy_from_slice(&[2, 0, 0, 0, 0, 0, 1, 0]);
    write("long.hair", long);
    write("good.hair", good);
}

/// The problem, the settings, the object's shape and its material.
#[rustfmt::skip]
const BROKEN: &[(&str, &str, &str, &str)] = &[
    ("a truncated file", HAIR, "shape.hair-file = { file = \"truncated.hair\" }", MATERIAL),
    ("a file truncated in its header", HAIR, "shape.hair-file = { file = \"header.hair\" }", MATERIAL),
    ("a file with trailing bytes", HAIR, "shape.hair-file = { file = \"longer.hair\" }", MATERIAL),
    ("inconsistent counts", HAIR, "shape.hair-file = { file = \"counts.hair\" }", MATERIAL),
    ("a point that is not finite", HAIR, "shape.hair-file = { file = \"nan.hair\" }", MATERIAL),
    ("strands without length", HAIR, "shape.hair-file = { file = \"points.hair\" }", MATERIAL),
    ("a file without strands", HAIR, "shape.hair-file = { file = \"none.hair\" }", MATERIAL),
    ("a file in another format", HAIR, "shape.hair-file = { file = \"other.hair\" }", MATERIAL),
    ("a file of an unsupported format", HAIR, "shape.hair-file = { file = \"model.tfx\" }", MATERIAL),
    ("a strand of 65,536 segments", HAIR, "shape.hair-file = { file = \"long.hair\" }", MATERIAL),
    ("a file in kilometers", HAIR, "shape.hair-file = { file = \"good.hair\", scale = 1000 }", MATERIAL),
    ("render strands without a number of simulated strands", HAIR, "shape.hair-file = { file = \"good.hair\", interpolated = 3 }", MATERIAL),
    ("too many points", HAIR, "shape.hair-file = { file = \"good.hair\", spacing = 1e-12 }", MATERIAL),
    ("a file in centimeters read as meters", HAIR, "shape.hair-file = { file = \"good.hair\", scale = 10, spacing = 1e-7 }", MATERIAL),
    ("a step too long for the grid", "[hair]\nstep = 0.1", FILE, MATERIAL),
    ("bangs without strands", HAIR, FILE, "material.hair = { bangs = { region.sphere = { center = [5, 0, 0], radius = 1 } } }"),
    ("hair that starts in a block", "[hair]\nhead.position = [0, -1, 0]", FILE, MATERIAL),
    ("closed curves", HAIR, "shape.strands = { curves = [[[0, 1, 0], [0.1, 1, 0], [0, 1.1, 0]]], closed = true }", MATERIAL),
    ("strands with too few points", HAIR, "shape.hairstyle = { strands = 100, points = 150 }", MATERIAL),
    ("curls too small for the point spacing", HAIR, "shape.hairstyle = { strands = 100, curl.curly = { radius = 0.002, pitch = 0.004 } }", MATERIAL),
    ("shortest longer than longest", HAIR, "shape.hairstyle = { strands = 100, shortest = 0.3 }", MATERIAL),
    ("a very thin head", "[hair]\nhead.size = [0.01, 0.2, 0.2]", "shape.hairstyle = { strands = 100 }", MATERIAL),
];

#[test]
fn broken_hair_is_rejected_with_a_remedy() {
    let here = tempfile::tempdir().unwrap();
    write_files(here.path());
    let scene = |hair: &str, shape: &str, material: &str| {
        let text = SCENE.replace("HAIR", hair).replace("SHAPE", shape).replace("MATERIAL", material);
        std::fs::write(here.path().join("scene.toml"), text).unwrap();
    };
    scene(HAIR, FILE, MATERIAL);
    // Strands of 3 cm in segments of 1 cm; two of the three strands are simulated.
    assert!(good(here.path(), &["check", "scene.toml"]).contains(" 8 particles\n"));

    let mut messages = String::new();
    for (what, hair, shape, material) in BROKEN {
        scene(hair, shape, material);
        let message = ends_with(2, here.path(), &["check", "scene.toml"]);
        writeln!(messages, "--- {what}\n{}", message.replace(&here.path().display().to_string(), "FOLDER")).unwrap();
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!("hair", messages) });

    scene(HAIR, &FILE.replace("good", "dented"), MATERIAL);
    let run = output(here.path(), &["run", "scene.toml", "--no-preview"]);
    assert!(run.status.success());
    let warnings = String::from_utf8(run.stderr).unwrap();
    let warning = "warning: the hair of `hair` was repaired: removed 1 strands without length and 1 repeated points\n";
    assert!(warnings.starts_with(warning), "{warnings}");
}
