//! Invalid elaston scenes: settings out of range, invalid clouds, pins and samples that do not fit. Each ends with exit code 2
//! and a message that names the line and the remedy.
//!
//! All messages are in one snapshot. After a deliberate change, run with `INSTA_UPDATE=always` and review the difference.

use crate::command::{ends_with, good};
use std::fmt::Write;

const SCENE: &str = r#"title = "A bar, a shell, a wire and a cloud"
method = "elastons"
time = { frames = 2 }

[elastons]
spacing = 0.05

[[object]]
name = "bar"
shape.box = { center = [0, 1, 0], size = [1, 0.1, 0.1] }
material.elastic = {}
[[object.pin]]
region.box = { center = [-0.5, 1, 0], size = [0.2, 1, 1] }

[[object]]
name = "shell"
shape.sheet = { center = [0, 2, 0], width = 0.5, depth = 0.5 }
material.elastic = { thickness = 0.01 }
sampling = { samples = 16, elastons = 60 }

[[object]]
name = "wire"
shape.helix = { center = [0, 3, 0], radius = 0.2, pitch = 0.2, turns = 2 }
material.elastic = { radius = 0.01 }

[[object]]
name = "cloud"
shape.cloud = { file = "good.csv", translate = [0, 4, 0] }
material.elastic = {}

[[collider]]
name = "block"
shape.box = { center = [0, 0, 0], size = [1, 0.5, 1] }

[[blade]]
name = "knife"
shape.sheet = { center = [0, 5, 0], width = 1, depth = 1 }
from = 0.01
until = 0.02
"#;

/// Files beside the scene.
const FILES: &[(&str, &str)] = &[
    ("good.csv", "x,y,z,radius\n0,0,0,0.06\n0.1,0,0,0.06\n0.2,0,0,0.06\n0.2,0.1,0,0.06\n"),
    ("isolated.csv", "x,y,z,radius\n0,0,0,0.06\n0.1,0,0,0.06\n0.5,0,0,0.06\n"),
    ("doubled.csv", "x,y,z,radius\n0,0,0,0.06\n0.1,0,0,0.06\n0.1,0,0,0.06\n"),
    ("zero.csv", "x,y,z,radius\n0,0,0,0.06\n0.1,0,0,0\n0.2,0,0,0.06\n"),
    ("one.csv", "x,y,z,radius\n0,0,0,0.06\n"),
    ("words.csv", "x,y,z,radius\n0,0,0,wide\n"),
    ("bare.csv", "x,y,z\n0,0,0\n0.1,0,0\n"),
    ("cloud.txt", "0 0 0\n"),
    ("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"),
];

/// The problem, the text of [`SCENE`] to replace, and its replacement.
#[rustfmt::skip]
const BROKEN: &[(&str, &str, &str)] = &[
    // Settings.
    ("no settings", "[elastons]\nspacing = 0.05\n", ""),
    ("a spacing of 0", "spacing = 0.05", "spacing = 0"),
    ("a step of a second", "spacing = 0.05", "spacing = 0.05\ndt = 1"),
    ("an unknown order", "spacing = 0.05", "spacing = 0.05\norder = \"third\""),
    ("too small a support", "spacing = 0.05", "spacing = 0.05\nsupport = 0.5"),
    ("fewer elastons than samples", "spacing = 0.05", "spacing = 0.05\nelaston_ratio = 0.5"),
    ("soft contact", "spacing = 0.05", "spacing = 0.05\ncontact.stiffness = 0"),
    ("a resampling interval of 0", "spacing = 0.05", "spacing = 0.05\nresampling.interval = 0"),
    ("a max_dt, which elastons do not have", "time = { frames = 2 }", "time = { frames = 2, max_dt = 0.1 }"),
    ("a spacing that exceeds the memory", "spacing = 0.05", "spacing = 1e-6"),
    // Objects.
    ("sand with elastons", "size = [1, 0.1, 0.1] }\nmaterial.elastic = {}", "size = [1, 0.1, 0.1] }\nmaterial.sand = {}"),
    ("a shell without thickness", "thickness = 0.01", "density = 500"),
    ("a wire without section", "material.elastic = { radius = 0.01 }", "material.elastic = {}"),
    ("a wire with two sections", "radius = 0.01 }", "radius = 0.01, section = { width = 0.01, height = 0.01 } }"),
    ("a wire with a thickness", "material.elastic = { radius = 0.01 }", "material.elastic = { radius = 0.01, thickness = 0.01 }"),
    ("a section with a zero up vector", "radius = 0.01 }", "section = { width = 0.01, height = 0.01, up = [0, 0, 0] } }"),
    ("an incompressible material", "thickness = 0.01", "thickness = 0.01, poisson_ratio = 0.5"),
    ("no yield strain", "thickness = 0.01", "thickness = 0.01, plasticity.yield_strain = 0"),
    ("a body of a single piece", "size = [1, 0.1, 0.1]", "size = [0.04, 0.04, 0.04]"),
    ("an object inside a collider", "center = [0, 0, 0], size = [1, 0.5, 1]", "center = [0.4, 1, 0], size = [0.5, 0.5, 1]"),
    ("a plane", "shape.box = { center = [0, 1, 0], size = [1, 0.1, 0.1] }", "shape.plane = { point = [0, 0, 0] }"),
    ("an open mesh", "shape.box = { center = [0, 1, 0], size = [1, 0.1, 0.1] }", "shape.mesh = { file = \"open.obj\" }"),
    // Sampling.
    ("more samples than pieces", "samples = 16, elastons = 60", "samples = 1600, elastons = 6000"),
    ("more elastons than pieces", "samples = 16, elastons = 60", "samples = 16, elastons = 6000"),
    ("more samples than elastons", "samples = 16, elastons = 60", "samples = 60, elastons = 16"),
    ("no samples", "samples = 16, elastons = 60", "samples = 0"),
    ("a grading factor below 1", "elastons = 60 }", "elastons = 60, grading = { region.sphere = { center = [0, 2, 0], radius = 1 }, factor = 0.5 } }"),
    // Clouds.
    ("an isolated point", "good.csv", "isolated.csv"),
    ("a duplicate point", "good.csv", "doubled.csv"),
    ("a radius of 0", "good.csv", "zero.csv"),
    ("a single point", "good.csv", "one.csv"),
    ("a radius that is not a number", "good.csv", "words.csv"),
    ("points without radii", "good.csv", "bare.csv"),
    ("a cloud in an unsupported format", "good.csv", "cloud.txt"),
    ("a missing cloud file", "good.csv", "none.csv"),
    // Pins and blades.
    ("a pin without vertices", "center = [-0.5, 1, 0], size", "center = [-5, 1, 0], size"),
    ("a pin with `hold`, which only rods have", "[[object.pin]]", "[[object.pin]]\nhold = \"pinned\""),
    ("a blade that stops before it begins", "until = 0.02", "until = 0.005"),
    ("a blade that begins before 0 s", "from = 0.01", "from = -1"),
    ("a blade without extent", "width = 1, depth = 1", "width = 0, depth = 1"),
    ("a blade that is a solid", "shape.sheet = { center = [0, 5, 0], width = 1, depth = 1 }", "shape.box = { center = [0, 5, 0], size = [1, 1, 1] }"),
    ("two blades with the same name", "[[blade]]", "[[blade]]\nname = \"knife\"\nshape.sheet = { center = [0, 6, 0], width = 2, depth = 2 }\n[[blade]]"),
    ("a sticky collider", "size = [1, 0.5, 1] }", "size = [1, 0.5, 1] }\ncontact = \"sticky\""),
];

#[test]
fn broken_elastons_are_rejected_with_a_remedy() {
    let here = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(here.path().join(name), text).unwrap();
    }
    let write = |text: &str| std::fs::write(here.path().join("scene.toml"), text).unwrap();
    write(SCENE);
    // 20 x 2 x 2 cubes, 10 x 10 squares, a wire of 2.54 m and the 4 points of the file.
    assert!(good(here.path(), &["check", "scene.toml"]).contains(" 235 particles\n"));

    let mut messages = String::new();
    for (what, from, to) in BROKEN {
        assert_eq!(SCENE.matches(from).count(), 1, "{what}: `{from}` is not in the valid scene exactly once");
        write(&SCENE.replacen(from, to, 1));
        let message = ends_with(2, here.path(), &["check", "scene.toml"]);
        writeln!(messages, "--- {what}\n{}", plain(&message, here.path())).unwrap();
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!("elastons", messages) });
}

/// Removes the parts of a message that depend on the machine.
fn plain(message: &str, folder: &std::path::Path) -> String {
    let message = message.replace(&folder.display().to_string(), "FOLDER");
    // The suggested spacing depends on the memory.
    match message.split_once("use a larger spacing, `") {
        Some((before, after)) => {
            let after = after.split_once("` [m]").map_or(after, |(_, after)| after);
            format!("{before}use a larger spacing, `N` [m]{after}")
        }
        None => message,
    }
}
