//! Scenes that are valid TOML but cannot be built: broken meshes and recordings, bodies inside each other, too little
//! memory. Each ends with exit code 2 and a message that names the line and the remedy.
//!
//! All messages are in one snapshot. After a deliberate change, run with `INSTA_UPDATE=always` and review the difference.

use crate::command::{ends_with, good};
use std::fmt::Write;

const SCENE: &str = r#"title = "Two bodies and a floor"
method = "mpm"
time = { frames = 2 }
mpm = { dx = 0.05 }

[domain]
min = [-1, -1, -1]
max = [1, 2, 1]

[[object]]
name = "body"
OBJECT
material.sand = {}

[[collider]]
name = "block"
COLLIDER
"#;

const OBJECT: &str = "shape.sphere = { center = [0, 1, 0], radius = 0.2 }";
const COLLIDER: &str = "shape.box = { center = [0, 0, 0], size = [1, 0.5, 1] }";

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Files beside the scene.
const FILES: &[(&str, &str)] = &[
    ("good.obj", TETRAHEDRON),
    ("empty.obj", "# nothing\n"),
    ("nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"),
    ("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"),
    ("inside-out.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"),
    ("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n"),
    ("missing-vertex.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
    ("mesh.stl", "solid\n"),
    ("cut-off.ply", "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n"),
    ("empty.txt", "# no poses\n"),
    ("short.txt", "0,0,0,0,0,0,1\n0,1,0,0,0,0\n"),
    ("words.txt", "0,0,0,0,0,0,one\n"),
    ("stretched.txt", "0,0,0,0,0,0,2\n"),
    ("columns.csv", "x,y,z\n0,0,0\n"),
    ("short.csv", "x,y,z,u,v,w\n0,0,0,0,0,1\n0,0,0,0,1\n"),
    ("nowhere.csv", "x,y,z,u,v,w\n0,0,0,0,0,0\n"),
    ("no-alignment.csv", "x,y,z,u,v,w\n0,0,0,0,0,1\n"),
];

/// The problem, the object's shape and the collider's lines.
#[rustfmt::skip]
const BROKEN: &[(&str, &str, &str)] = &[
    ("an empty mesh", "shape.mesh = { file = \"empty.obj\" }", COLLIDER),
    ("a mesh with NaN", "shape.mesh = { file = \"nan.obj\" }", COLLIDER),
    ("an open mesh", "shape.mesh = { file = \"open.obj\" }", COLLIDER),
    ("a mesh with inconsistent winding", OBJECT, "shape.mesh = { file = \"inside-out.obj\" }"),
    ("a mesh without volume", OBJECT, "shape.mesh = { file = \"flat.obj\" }"),
    ("a mesh with a missing vertex", OBJECT, "shape.mesh = { file = \"missing-vertex.obj\" }"),
    ("a mesh in an unsupported format", OBJECT, "shape.mesh = { file = \"mesh.stl\" }"),
    ("a truncated mesh", OBJECT, "shape.mesh = { file = \"cut-off.ply\" }"),
    ("a mesh too small for one particle", "shape.mesh = { file = \"good.obj\", scale = 0.001 }", COLLIDER),
    ("a mesh that exceeds the memory", "shape.mesh = { file = \"good.obj\", scale = 1e5 }", COLLIDER),
    ("a mesh outside the domain", "shape.mesh = { file = \"good.obj\", translate = [0.5, 1, 0] }", COLLIDER),
    ("an object inside a collider", "shape.sphere = { center = [0.1, 0, 0], radius = 0.2 }", COLLIDER),
    ("an object mostly inside a collider", "shape.sphere = { center = [0, 0.2, 0], radius = 0.2 }", COLLIDER),
    ("an object inside a mesh", "shape.sphere = { center = [0.25, 1.25, 0.25], radius = 0.1 }", "shape.mesh = { file = \"good.obj\", translate = [0, 1, 0] }"),
    ("a recording without poses", OBJECT, "shape.sphere = { center = [0, 0, 0], radius = 0.2 }\nmotion.recorded = { file = \"empty.txt\", fps = 24 }"),
    ("a recording with a short line", OBJECT, "shape.sphere = { center = [0, 0, 0], radius = 0.2 }\nmotion.recorded = { file = \"short.txt\", fps = 24 }"),
    ("a recording with text for a number", OBJECT, "shape.sphere = { center = [0, 0, 0], radius = 0.2 }\nmotion.recorded = { file = \"words.txt\", fps = 24 }"),
    ("a recording with a quaternion that is not normalized", OBJECT, "shape.sphere = { center = [0, 0, 0], radius = 0.2 }\nmotion.recorded = { file = \"stretched.txt\", fps = 24 }"),
    ("directions in wrong columns", "shape.sphere = { center = [0, 1, 0], radius = 0.2 }\nanisotropy.axes.file = { file = \"columns.csv\" }", COLLIDER),
    ("directions with a short line", "shape.sphere = { center = [0, 1, 0], radius = 0.2 }\nanisotropy.axes.file = { file = \"short.csv\" }", COLLIDER),
    ("a zero direction", "shape.sphere = { center = [0, 1, 0], radius = 0.2 }\nanisotropy.axes.file = { file = \"nowhere.csv\" }", COLLIDER),
    ("an alignment missing in the file", "shape.sphere = { center = [0, 1, 0], radius = 0.2 }\nanisotropy.orientation.alignment.file = { file = \"no-alignment.csv\" }", COLLIDER),
    ("principal axes of a ball", "shape.sphere = { center = [0, 1, 0], radius = 0.2 }\nanisotropy.axes.principal = {}", COLLIDER),
];

#[test]
fn broken_bodies_are_rejected_with_a_remedy() {
    let here = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(here.path().join(name), text).unwrap();
    }
    let scene = |object: &str, collider: &str| {
        let text = SCENE.replace("OBJECT", object).replace("COLLIDER", collider);
        std::fs::write(here.path().join("scene.toml"), text).unwrap();
    };
    scene(OBJECT, COLLIDER);
    good(here.path(), &["check", "scene.toml"]);

    let mut messages = String::new();
    for (what, object, collider) in BROKEN {
        scene(object, collider);
        let message = ends_with(2, here.path(), &["check", "scene.toml"]);
        writeln!(messages, "--- {what}\n{}", plain(&message, here.path())).unwrap();
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!("bodies", messages) });
}

/// Removes the parts of a message that depend on the machine.
fn plain(message: &str, folder: &std::path::Path) -> String {
    let message = message.replace(&folder.display().to_string(), "FOLDER");
    match message.split_once("but this machine has ") {
        Some((before, after)) => {
            let after = after.split_once(" GiB").map_or(after, |(_, after)| after);
            // The suggested spacing depends on the memory too.
            let (after, remedy) = after.split_once("`mpm.dx = ").unwrap_or((after, ""));
            let remedy = remedy.split_once("`").map_or(remedy, |(_, rest)| rest);
            format!("{before}but this machine has N GiB{after}`mpm.dx = N`{remedy}")
        }
        None => message,
    }
}

/// Every shape from a file names the unsupported format and the supported ones.
#[test]
fn unsupported_formats_are_rejected_with_the_supported_ones() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("model.xyz"), b"anything").unwrap();
    let object = |shape: &str, material: &str| {
        format!("[[object]]\nname = \"a\"\nshape.{shape} = {{ file = \"model.xyz\" }}\nmaterial.{material} = {{}}\n")
    };
    let ball = "[[object]]\nname = \"a\"\nshape.sphere = { center = [0, 1, 0], radius = 0.2 }\nmaterial.sand = {}\n";
    let body = "[[collider]]\nname = \"b\"\nshape.deforming-mesh = { file = \"model.xyz\" }\n";
    for (settings, rest, supported) in [
        (
            "mpm.dx = 0.05",
            object("mesh", "sand"),
            "mesh file format is not supported; supported formats are .obj, .ply, .usd",
        ),
        (
            "mpm.dx = 0.05",
            object("surface-mesh", "cloth"),
            "mesh file format is not supported; supported formats are .obj",
        ),
        (
            "mpm.dx = 0.05",
            object("curve-file", "fiber"),
            "curve file format is not supported; supported formats are .hair, .bcc",
        ),
        (
            "rods.spacing = 0.01",
            object("curve-file", "rod"),
            "curve file format is not supported; supported formats are .hair",
        ),
        (
            "hair = {}",
            object("hair-file", "hair"),
            "hair file format is not supported; supported formats are .hair, .usd",
        ),
        (
            "elastons.spacing = 0.1",
            object("mesh", "elastic"),
            "mesh file format is not supported; supported formats are .obj",
        ),
        (
            "elastons.spacing = 0.1",
            object("cloud", "elastic"),
            "point file format is not supported; supported formats are .ply",
        ),
        (
            "mpm.dx = 0.05",
            format!("{ball}{body}"),
            "animation file format is not supported; supported formats are .usd",
        ),
    ] {
        let method = settings.split(['.', ' ']).next().unwrap();
        let scene = format!("title = \"A file\"\nmethod = \"{method}\"\ntime.frames = 2\n{settings}\n{rest}");
        std::fs::write(here.path().join("scene.toml"), &scene).unwrap();
        let message = ends_with(2, here.path(), &["check", "scene.toml"]);
        assert!(message.contains(supported), "{scene}{message}");
        assert!(message.contains("help: convert the file to a supported format"), "{scene}{message}");
    }
}
