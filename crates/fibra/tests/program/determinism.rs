//! Runs give the same bytes for any number of threads and any number of interruptions.

use crate::command::{good, start};
use crate::files::contents;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A scene shortened to 14 frames: its name and a `--set` option that makes it fast.
type ShortScene = [&'static str; 2];

/// All materials, a spinning collider and walls; coarse, and long enough for all of them to come into contact.
const PARTICLES: ShortScene = ["mixed-materials", "mpm.dx=0.05"];
/// Rods in contact with each other and with a plate.
const RODS: ShortScene = ["spaghetti-31", "object.spaghetti.shape.rod-bundle.rods=12"];
/// Hair on a dancing figure, with render strands.
const HAIR: ShortScene = ["dance", "object.hair.shape.hairstyle={strands=300,interpolated=100}"];

fn arguments<'a>([scene, set]: ShortScene, more: &[&'a str]) -> Vec<&'a str> {
    let short = ["run", scene, "--no-preview", "--frames", "14", "--set", set];
    short.iter().chain(more).copied().collect()
}

#[test]
fn mpm_does_not_depend_on_threads() {
    same_for_any_threads(PARTICLES);
}

#[test]
fn rods_do_not_depend_on_threads() {
    same_for_any_threads(RODS);
}

#[test]
fn hair_does_not_depend_on_threads() {
    same_for_any_threads(HAIR);
}

fn same_for_any_threads(scene: ShortScene) {
    let here = tempfile::tempdir().unwrap();
    good(here.path(), &arguments(scene, &["-o", "one", "--threads", "1"]));
    good(here.path(), &arguments(scene, &["-o", "two", "--threads", "2"]));
    good(here.path(), &arguments(scene, &["-o", "three", "--threads", "3"]));
    let one = contents(&here.path().join("one"));
    assert_eq!(one.len(), 15 + 2, "frames, scene and checkpoint");
    for other in ["two", "three"] {
        let other = contents(&here.path().join(other));
        for (name, bytes) in &one {
            assert!(other[name] == *bytes, "{name} differs");
        }
    }
}

#[test]
fn mpm_does_not_depend_on_interruptions() {
    same_after_interruptions(PARTICLES);
}

#[test]
fn rods_do_not_depend_on_interruptions() {
    same_after_interruptions(RODS);
}

#[test]
fn hair_does_not_depend_on_interruptions() {
    same_after_interruptions(HAIR);
}

fn same_after_interruptions(scene: ShortScene) {
    let here = tempfile::tempdir().unwrap();
    good(here.path(), &arguments(scene, &["-o", "whole", "--threads", "2"]));
    let out = here.path().join("parts");
    // The folder alone is enough to resume.
    let first = arguments(scene, &["-o", "parts", "--threads", "1"]);
    let resume = ["run", "--resume", "parts", "--no-preview", "--threads", "2"];
    for (part, frame) in [3, 6, 11].into_iter().enumerate() {
        let arguments = if part == 0 { &first[..] } else { &resume[..] };
        interrupt_after(frame, &out, here.path(), arguments);
    }
    let said = good(here.path(), &resume);
    assert!(said.starts_with("wrote parts"), "{said}");
    let (whole, parts) = (contents(&here.path().join("whole")), contents(&out));
    assert_eq!(whole.keys().collect::<Vec<_>>(), parts.keys().collect::<Vec<_>>());
    for (name, bytes) in &whole {
        assert!(parts[name] == *bytes, "{name} differs");
    }
    let quantities = |run: &str| {
        let report = std::fs::read_to_string(here.path().join(run).join("run.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&report).unwrap()["quantities"].clone()
    };
    assert_eq!(quantities("whole"), quantities("parts"));
}

/// Sends Ctrl-C once a frame is written; the run must print how to continue.
fn interrupt_after(frame: u32, out: &Path, folder: &Path, arguments: &[&str]) {
    let child = start(folder, arguments);
    let begun = Instant::now();
    while !out.join(format!("frames/{frame:04}.safetensors")).exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "frame {frame} was not written within 60 s");
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.ends_with("continue with: fibra run --resume parts\n"), "{message}");
}
