//! Runs a few frames of every built-in scene. `fibra run` runs a scene to its end and checks its expectations.

use crate::command::{good, output};
use crate::files::contents;
use fibra_core::frame::Frame;
use fibra_scene::builtin;
use serde_json::Value;
use std::path::Path;

/// Runs a scene for two frames and returns its standard output. MPM scenes get grid cells twice as wide.
fn short_run(scene: &str, folder: &Path, more: &[&str]) -> String {
    let table: toml::Table = toml::from_str(builtin::scene(scene).unwrap().text).unwrap();
    let mut arguments = vec!["run", scene, "--frames", "2"];
    let dx = table.get("mpm").map(|mpm| format!("mpm.dx={}", 2.0 * mpm["dx"].as_float().unwrap()));
    if let Some(dx) = &dx {
        arguments.extend(["--set", dx]);
    }
    good(folder, &[&arguments, more].concat())
}

#[test]
fn every_scene_runs() {
    let here = tempfile::tempdir().unwrap();
    for scene in builtin::SCENES {
        let stdout = short_run(scene.name, here.path(), &["--no-preview"]);
        assert_eq!(stdout, format!("wrote out/{}\n", scene.name), "a shortened run checks no expectations");
        let run = here.path().join("out").join(scene.name);
        for index in 0..=2 {
            let frame = Frame::read(&run.join(format!("frames/{index:04}.safetensors"))).unwrap();
            let has = |name: &str| frame.attributes.iter().any(|attribute| attribute.name == name);
            if scene.text.contains("method = \"rods\"") {
                assert!(has("contact_force") && !frame.segments.is_empty(), "{}", scene.name);
            } else if scene.text.contains("method = \"hair\"") {
                assert!(has("pinned") && has("simulated") && !frame.segments.is_empty(), "{}", scene.name);
            } else if scene.text.contains("method = \"elastons\"") {
                assert!(has("strain") && has("plastic_strain"), "{}", scene.name);
            } else {
                assert!(has("pressure") && has("volume_ratio"), "{}", scene.name);
                assert!(frame.points.len() > 500, "{}: {} particles", scene.name, frame.points.len());
            }
        }
        let report: Value = serde_json::from_str(&std::fs::read_to_string(run.join("run.json")).unwrap()).unwrap();
        assert_eq!(report["status"], "done");
        if scene.text.contains("analysis = \"static\"") {
            // A static analysis takes no time steps.
            assert!(report["quantities"][2]["elastic_energy"].as_f64().unwrap() > 0.0, "{}", scene.name);
            continue;
        }
        let stages = [("method = \"rods\"", "form"), ("method = \"elastons\"", "solve")];
        let stage = stages.iter().find(|(method, _)| scene.text.contains(method)).map_or("g2p", |(_, stage)| stage);
        assert!(report["stages"][stage].as_f64().unwrap() > 0.0);
        assert!(report["quantities"][2]["kinetic_energy"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn a_run_is_rendered_and_exported() {
    let here = tempfile::tempdir().unwrap();
    let stdout = short_run("jelly-drop", here.path(), &["-o", "run"]);
    assert!(stdout.ends_with("run/preview.png\n"), "{stdout}");
    // Three frames in a row of 480 x 360 each, with margins.
    let preview = image::open(here.path().join("run/preview.png")).unwrap();
    assert_eq!((preview.width(), preview.height()), (3 * 486 + 6, 372));

    assert_eq!(good(here.path(), &["render", "run", "--frame", "1", "--size", "64x48"]), "run/png/0001.png\n");
    let picture = image::open(here.path().join("run/png/0001.png")).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (64, 48));
    let reddest = picture.pixels().map(|p| i32::from(p.0[0]) - i32::from(p.0[2])).max().unwrap();
    assert!(reddest > 60, "the red ball is not visible");
    assert_eq!(good(here.path(), &["render", "run", "--size", "32x24", "--gif", "film.gif"]), "film.gif\n");
    assert!(std::fs::read(here.path().join("film.gif")).unwrap().starts_with(b"GIF89a"));

    let files =
        [("ply", "0002.ply"), ("obj", "0002.obj"), ("vtk", "0002.vtp"), ("glb", "0002.glb"), ("usd", "run.usdc")];
    for (format, file) in files {
        good(here.path(), &["export", "run", "--to", format, "-o", format]);
        let files = contents(&here.path().join(format));
        assert!(files[file].len() > 10_000, "{file} has {} bytes", files[file].len());
    }
}

#[test]
fn expectations_are_printed_and_a_broken_one_fails_the_run() {
    let here = tempfile::tempdir().unwrap();
    let scene = r#"title = "A ball in space"
method = "mpm"
gravity = [0, 0, 0]
time = { frames = 2 }
mpm = { dx = 0.1 }
object = [{ name = "ball", shape.sphere = { center = [0, 1, 0], radius = 0.3 }, material.sand = {}, velocity = [1, 0, 0] }]
expect = [
    { quantity = "center_y", object = "ball", min = 0.9, max = 1.1, because = "nothing pulls it" },
    { quantity = "max_speed", max = 1.001 },
    { quantity = "mass", min = 1e4 },
]
"#;
    std::fs::write(here.path().join("ball.toml"), scene).unwrap();
    let output = output(here.path(), &["run", "ball.toml", "--no-preview"]);
    assert_eq!(output.status.code(), Some(1));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[..2], ["wrote out/ball", "expectations at the end:"]);
    assert!(lines[2].starts_with("  ok    ") && lines[2].ends_with("center_y of ball: nothing pulls it"), "{stdout}");
    assert!(lines[3].starts_with("  ok    ") && lines[4].starts_with("  FAIL"), "{stdout}");
    let report = std::fs::read_to_string(here.path().join("out/ball/run.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["expectations"][2]["pass"], false);
    // 1600 kg/m^3 in a ball of radius 0.3 m.
    assert!((report["expectations"][2]["measured"].as_f64().unwrap() / 180.956 - 1.0).abs() < 1e-5);

    let shortened =
        crate::command::output(here.path(), &["run", "ball.toml", "-o", "short", "--no-preview", "--frames", "1"]);
    assert_eq!(shortened.status.code(), Some(0));
    assert_eq!(String::from_utf8(shortened.stdout).unwrap(), "wrote short\n");
    let note = "note: the scene's expectations (3) are not checked: the run has 1 of its 2 frames\n";
    let message = String::from_utf8(shortened.stderr).unwrap();
    assert!(message.contains(note), "{message}");
    let report = |folder: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(here.path().join(folder).join("run.json")).unwrap()).unwrap()
    };
    let skipped = serde_json::json!({ "expectations": 3, "scene_frames": 2 });
    assert_eq!(report("short")["unchecked"], skipped);
    assert_eq!(report("out/ball").get("unchecked"), None);
    // The scene in the run folder has no expectations. The original scene has some, and a run to the end of that scene checks them.
    good(here.path(), &["run", "--resume", "short", "--frames", "2", "--no-preview"]);
    assert_eq!(report("short")["unchecked"], skipped);
    crate::command::output(here.path(), &["run", "ball.toml", "-o", "short", "--resume", "--no-preview"]);
    assert_eq!(report("short").get("unchecked"), None);
    assert_eq!(report("short")["expectations"].as_array().unwrap().len(), 3);
}

/// `fibra check` estimates the cost of runs of all methods, in aligned lines.
#[test]
fn check_estimates_the_cost_of_a_run() {
    let here = tempfile::tempdir().unwrap();
    for (scene, limit, contents) in [
        ("jelly-drop", "the stiffness of `", " particles"),
        ("cloth-ball", "speed of sound ", " triangles"),
        ("spaghetti-31", "`rods.dt`", "31 rods with "),
        ("long-hair", "`hair.step` (grid steps; ", " strands with "),
        ("shell-clamped", "`elastons.dt`", " samples, "),
    ] {
        let said = good(here.path(), &["check", scene]);
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].starts_with(&format!("{scene}: valid; ")) && lines[0].ends_with(" particles"), "{said}");
        let labels: Vec<&str> = lines[1..].iter().map(|line| line[..14].trim_end()).collect();
        assert_eq!(labels, ["  contents", "  time step", "  steps", "  memory", "  run time"], "{said}");
        assert!(lines[1].contains(contents), "{said}");
        assert!(lines[2].contains(" s at the start, limited by ") && lines[2].contains(limit), "{said}");
        assert!(lines[3..].iter().all(|line| line[14..].starts_with("about ")), "{said}");
    }
    // If `max_dt` limits the time step, the output names it instead of the stiffness.
    let said = good(here.path(), &["check", "jelly-drop", "--set", "time.max_dt=1e-5"]);
    assert!(said.contains("1.0e-5 s at the start, limited by the frame interval or `time.max_dt`"), "{said}");
}

/// The committed page is what the program prints.
#[test]
fn the_scene_reference_is_current() {
    let here = tempfile::tempdir().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-reference.md");
    let written = std::fs::read_to_string(&page).unwrap_or_default();
    let line = good(here.path(), &["schema", "--markdown"]);
    let differs = written.lines().zip(line.lines()).position(|(a, b)| a != b);
    assert!(
        written == line,
        "docs/scene-reference.md differs from the schema (line {:?}); update it with \
         `cargo run -p fibra -- schema --markdown > docs/scene-reference.md`",
        differs.map(|line| line + 1)
    );
}

#[test]
fn scenes_and_schema_are_listed() {
    let here = tempfile::tempdir().unwrap();
    let listed: Value = serde_json::from_str(&good(here.path(), &["scenes", "--json"])).unwrap();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap()).collect();
    assert_eq!(names, builtin::SCENES.iter().map(|scene| scene.name).collect::<Vec<_>>());
    assert_eq!((&listed[0]["method"], &listed[0]["figure"]), (&Value::from("mpm"), &Value::Null));
    let text = good(here.path(), &["scenes"]);
    assert!(
        text.contains("jelly-drop")
            && text.lines().any(|line| line.starts_with("hair-tubes ") && line.ends_with("(presets: paper)")),
        "{text}"
    );
    let schema: Value = serde_json::from_str(&good(here.path(), &["schema"])).unwrap();
    assert!(schema["properties"]["mpm"].is_object());
    let said = good(here.path(), &["check", "jelly-drop", "--preset", "fine", "--set", "mpm.dx=0.05"]);
    assert!(said.starts_with("jelly-drop: valid; 60 frames at 24 per second, "), "{said}");
}
