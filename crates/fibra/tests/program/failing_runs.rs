//! Failing runs: a clear message, the right exit code, and no incomplete files.

use crate::command::{ends_with, good};
use crate::files::contents;
use fibra_core::frame::Frame;
use std::process::Command;

/// Two jelly balls; one spins so fast that its stress overflows `f32`.
const TOO_FAST: &str = r#"title = "A ball that spins too fast"
method = "mpm"
time = { frames = 2, min_dt = 1e-30 }
mpm = { dx = 20 }

[[object]]
name = "slow"
shape.sphere = { center = [0, 900, 0], radius = 50 }
material.fixed-corotated = {}

[[object]]
name = "fast"
shape.sphere = { center = [0, 100, 0], radius = 50 }
material.fixed-corotated = {}
angular_velocity = [0, 1e16, 0]
"#;

#[test]
fn a_non_finite_value_is_named() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("spin.toml"), TOO_FAST).unwrap();
    let message = ends_with(1, here.path(), &["run", "spin.toml", "--no-preview"]);
    for part in ["error: frame 1: the ", "of object `fast` is not finite in stage `g2p`", "reduce time"] {
        assert!(message.contains(part), "`{part}` is not in\n{message}");
    }
    let run = here.path().join("out/spin");
    let report = std::fs::read_to_string(run.join("run.json")).unwrap();
    assert!(report.contains("\"status\": \"failed\"") && report.contains("not finite"), "{report}");
    Frame::read(&run.join("frames/0000.safetensors")).unwrap();
}

#[test]
fn a_time_step_below_min_dt_is_explained() {
    let here = tempfile::tempdir().unwrap();
    let message = ends_with(
        1,
        here.path(),
        &["run", "dam-break", "--no-preview", "--set", "mpm.dx=0.05", "--set", "object.water.velocity=[0,1e7,0]"],
    );
    for part in ["below time.min_dt = 1e-7 s", "of object `water` at 1.000e7 m/s", "stage `time step`", "reduce time"] {
        assert!(message.contains(part), "`{part}` is not in\n{message}");
    }
}

#[test]
fn a_full_disk_leaves_no_incomplete_files() {
    let here = tempfile::tempdir().unwrap();
    // Frames of about 1200 particles take 50 kB; the checkpoint takes four times as much.
    let limited =
        "trap '' XFSZ; ulimit -f 120; exec \"$0\" run jelly-drop --no-preview --frames 3 -o run --set mpm.dx=0.06";
    let child = Command::new("bash")
        .args(["-c", limited, env!("CARGO_BIN_EXE_fibra")])
        .current_dir(here.path())
        .output()
        .unwrap();
    let message = String::from_utf8(child.stderr).unwrap();
    assert_eq!(child.status.code(), Some(1), "{message}");
    assert!(message.contains("checkpoint.safetensors") && message.contains("exceeds the file size limit"), "{message}");
    let files = contents(&here.path().join("run"));
    assert!(files.contains_key("frames/0003.safetensors") && !files.contains_key("checkpoint.safetensors"));
    for name in files.keys() {
        assert!(!name.contains(".tmp-"), "{name} was left behind");
        if name.starts_with("frames") {
            Frame::read(&here.path().join("run").join(name)).unwrap();
        }
    }
    // Without the limit, the run can be finished.
    good(here.path(), &["run", "--resume", "run", "--no-preview"]);
}

#[test]
fn damaged_or_foreign_checkpoints_are_rejected() {
    let here = tempfile::tempdir().unwrap();
    let short = ["run", "jelly-drop", "-o", "run", "--no-preview", "--set", "mpm.dx=0.06"];
    good(here.path(), &[&short[..], &["--frames", "2"]].concat());
    let checkpoint = here.path().join("run/checkpoint.safetensors");
    let valid = std::fs::read(&checkpoint).unwrap();

    let other_scene = [&short[..], &["--resume", "--frames", "3", "--set", "gravity=[0,-5,0]"]].concat();
    assert!(ends_with(2, here.path(), &other_scene).contains("different scene"));

    let resume = ["run", "--resume", "run", "--no-preview", "--frames", "3"];
    let mut not_finite = valid.clone();
    let end = not_finite.len();
    not_finite[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    for (bytes, expected) in [
        (&valid[..valid.len() / 2], "but the data have only"),
        (&b"not a checkpoint"[..], "not a safetensors file"),
        (&not_finite, "is not finite at element"),
    ] {
        std::fs::write(&checkpoint, bytes).unwrap();
        let message = ends_with(2, here.path(), &resume);
        let parts =
            ["error: cannot resume: run/checkpoint.safetensors: ", expected, "start the run again with --force"];
        for part in parts {
            assert!(message.contains(part), "`{part}` is not in\n{message}");
        }
    }
    std::fs::write(&checkpoint, &valid).unwrap();
    good(here.path(), &resume);
}

#[test]
fn unknown_devices_are_rejected() {
    let here = tempfile::tempdir().unwrap();
    let message = ends_with(2, here.path(), &["run", "jelly-drop", "--device", "abacus"]);
    assert!(
        message.contains("'abacus'") && message.contains("[possible values: cpu, cuda, vulkan, auto]"),
        "{message}"
    );
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_gpu_support_is_explained() {
    let here = tempfile::tempdir().unwrap();
    for device in ["cuda", "vulkan"] {
        for command in [&["run", "jelly-drop"][..], &["bench", "mpm-jelly"]] {
            let message = ends_with(2, here.path(), &[command, &["--device", device]].concat());
            assert!(message.contains("built without GPU support"), "{message}");
        }
    }
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0, "something was written");
    good(here.path(), &["run", "jelly-drop", "--device", "auto", "--frames", "1", "--no-preview"]);
}
