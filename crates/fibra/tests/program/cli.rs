//! The command line: exit codes, messages and files.

use crate::command::{ends_with, good};
use crate::toy::{Balls, contents, new_folder, plan};
use fibra_core::appearance::Appearance;
use fibra_run::checkpoint::CheckpointError;
use fibra_run::export::usd::write_stage;
use fibra_run::export::{ExportError, export, export_formats};
use fibra_run::folder::{RunFolder, RunFolderError};
use fibra_run::run_loop::{Outcome, RunError, run};
use fibra_run::{Existing, Job, RunOptions};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn fibra(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fibra")).args(arguments).current_dir(folder).output().unwrap()
}

/// Runs the toy simulation to its end in `parent/run`.
fn toy_run(parent: &Path) -> RunFolder {
    let folder = new_folder(&parent.join("run"));
    run(&mut Balls::new(2), &folder, &plan(2), &AtomicBool::new(false), &mut ()).unwrap();
    folder
}

#[test]
fn bad_input_exits_with_2_and_names_the_problem() {
    let here = tempfile::tempdir().unwrap();
    let run = toy_run(here.path());
    std::fs::create_dir(here.path().join("other")).unwrap();
    std::fs::write(here.path().join("other/notes.txt"), b"mine").unwrap();
    std::fs::write(run.frame_path(1), b"junk").unwrap();
    for (arguments, expected) in [
        (vec!["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (vec!["run", "x", "--frames", "0"], "--frames"),
        (vec!["run", "no-such-scene"], "no-such-scene"),
        (vec!["run", "x", "-o", "run"], "--resume, replace it with --force"),
        (vec!["run", "x", "-o", "other"], "nothing was written"),
        (vec!["run", "--resume", "other"], "other contains no run"),
        (vec!["export", "nowhere", "--to", "ply"], "nowhere contains no run"),
        (vec!["export", "run", "--to", "ply"], "0001.safetensors: 4 bytes are too few"),
        (vec!["export", "run", "--to", "hair"], "0000.safetensors has no curves"),
        (vec!["export", "run", "--to", "glb", "-o", "film.glb"], "--out must name a folder"),
        (vec!["export", "run", "--to", "usd", "-o", "film.usda"], "a folder, or a file FILE.usdc"),
        (vec!["export", "run", "--to", "obj", "-o", "other/notes.txt"], "--out must name a folder"),
        (vec!["render", "run", "--frame", "9"], "no frame 9; the last one is 2"),
        (vec!["render", "run", "--gif", "film.mp4"], "must end in .gif"),
        (vec!["render", "run", "--gif", "film.gif", "-o", "pictures"], "cannot be used with"),
        (vec!["render", "run", "--size", "16384x16384"], "pixels in total"),
        (vec!["validate", "no-such-case"], "no-such-case"),
        (vec!["validate", "--scenes", "no-such-scene"], "no-such-scene"),
        (vec!["validate", "--scenes", "--at-most", "0"], "a number of seconds above 0"),
        (vec!["validate", "--preset", "paper"], "--scenes"),
        (vec!["bench", "no-such-case"], "no-such-case"),
    ] {
        let output = fibra(&arguments, here.path());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    // An export that failed at the first frame leaves no folder.
    assert!(!here.path().join("run/hair").exists() && !here.path().join("film.glb").exists());
}

/// Scenes are judged at their end. Skipped scenes are counted, and nothing is left in the folder of the command.
#[test]
fn validate_runs_scenes_to_their_end() {
    let here = tempfile::tempdir().unwrap();
    let output = fibra(&["validate", "--scenes", "plectoneme", "jelly-drop", "--at-most", "2", "--json"], here.path());
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("skip jelly-drop: estimated run time"), "{output:?}");
    let results: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(results.len(), 1);
    let result = &results[0];
    assert_eq!((&result["scene"], &result["pass"]), (&"plectoneme".into(), &true.into()));
    assert!(!result["expectations"].as_array().unwrap().is_empty() && result["frames"].as_u64() > Some(1));
    assert!(contents(here.path()).is_empty());

    // No scene has this preset.
    let output = fibra(&["validate", "--scenes", "plectoneme", "--preset", "none"], here.path());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "0 scenes hold, 0 fail, 1 skipped\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("skip plectoneme: no preset `none`"));
}

#[test]
fn validation_results_are_saved_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    good(folder.path(), &["validate", "mpm-freefall", "--save", "results.json"]);
    good(folder.path(), &["plot", "results.json"]);
    let chart = std::fs::read_to_string(folder.path().join("results.svg")).unwrap();
    assert!(chart.contains("mpm-freefall") && chart.contains("error / tolerance"), "{chart}");
    let message = ends_with(2, folder.path(), &["plot", "results.json", "--cases", "rod", "-o", "rods.svg"]);
    assert!(message.contains("there are no results of rod"), "{message}");
    std::fs::write(folder.path().join("other.json"), "{}").unwrap();
    let message = ends_with(2, folder.path(), &["plot", "other.json"]);
    assert!(message.contains("results are written by `fibra validate --save FILE`"), "{message}");
    assert!(!folder.path().join("rods.svg").exists() && !folder.path().join("other.svg").exists());
}

#[test]
fn help_names_every_command_and_exits_with_0() {
    let here = tempfile::tempdir().unwrap();
    let output = fibra(&["--help"], here.path());
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8(output.stdout).unwrap();
    for command in ["scenes", "run", "check", "render", "export", "validate", "bench", "friction", "schema"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
}

#[test]
fn a_closed_output_is_not_an_error() {
    for arguments in [&["scenes"][..], &["--help"], &["validate", "--list", "--json"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_fibra")).args(arguments).stdout(writer).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), message.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn exports_every_frame_in_every_format() {
    let here = tempfile::tempdir().unwrap();
    toy_run(here.path());
    for (format, files) in [
        ("ply", &["0000.ply", "0001.ply", "0002.ply"][..]),
        ("obj", &["0000.obj", "0001.obj", "0002.obj"]),
        ("vtk", &["0000.vtp", "0001.vtp", "0002.vtp", "frames.pvd"]),
    ] {
        let output = fibra(&["export", "run", "--to", format, "-o", format], here.path());
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("wrote 3 frames to {format}\n"));
        let names: Vec<String> = contents(&here.path().join(format)).into_keys().collect();
        assert_eq!(names, files);
    }
    // The toy's origin is at x = 1000 m.
    let first = std::fs::read_to_string(here.path().join("obj/0000.obj")).unwrap();
    assert!(first.contains("\nv 1000 1 0\n"), "{first}");
}

#[test]
fn missing_frames_are_reported_and_the_others_exported() {
    let here = tempfile::tempdir().unwrap();
    let run = toy_run(here.path());
    std::fs::remove_file(run.frame_path(1)).unwrap();
    let output = fibra(&["export", "run", "--to", "obj"], here.path());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "note: frames 1 to 1 are missing\n");
    assert!(here.path().join("run/obj/0002.obj").exists());
}

#[test]
fn a_frame_file_with_a_wrong_number_is_rejected() {
    let here = tempfile::tempdir().unwrap();
    let run = toy_run(here.path());
    std::fs::copy(run.frame_path(1), run.frame_path(2)).unwrap();
    let output = fibra(&["export", "run", "--to", "ply"], here.path());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("0002.safetensors contains frame 1"), "{message}");
}

#[test]
fn a_run_with_a_broken_scene_file_is_rejected_with_the_line() {
    let here = tempfile::tempdir().unwrap();
    let run = toy_run(here.path());
    std::fs::write(run.scene_path(), "# edited\ngravitiy = [0, -9.81, 0]\n").unwrap();
    for arguments in [["render", "run", "--frame", "1"].as_slice(), &["export", "run", "--to", "usd"]] {
        let output = fibra(arguments, here.path());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("unknown key `gravitiy`") && message.contains("scene.toml:2:1"), "{message}");
    }
    assert!(!here.path().join("run/usd").exists());
}

#[test]
fn stale_export_files_are_reported() {
    let here = tempfile::tempdir().unwrap();
    let run = toy_run(here.path());
    assert!(fibra(&["export", "run", "--to", "obj"], here.path()).stderr.is_empty());
    std::fs::remove_file(run.frame_path(2)).unwrap();
    let output = fibra(&["export", "run", "--to", "obj"], here.path());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && message.contains("has 1 other .obj files"), "{message}");
}

#[test]
fn an_interrupted_export_leaves_no_incomplete_file() {
    let here = tempfile::tempdir().unwrap();
    let run = toy_run(here.path());
    for name in ["ply", "obj"] {
        let out = here.path().join(name);
        let format = export_formats().find(|format| format.name == name).unwrap();
        let error = export(&run, format, &out, &AtomicBool::new(true)).unwrap_err();
        assert!(matches!(error, ExportError::Interrupted), "{error}");
        assert!(!out.exists());
    }
    let stage = here.path().join("stage/run.usdc");
    let frames: Vec<_> = (0..3).map(|index| run.frame_path(index)).collect();
    std::fs::create_dir(here.path().join("stage")).unwrap();
    let appearance = Appearance { frames_per_second: 24.0, objects: Vec::new(), bodies: Vec::new() };
    let error = write_stage(&frames, "run", appearance, &stage, &AtomicBool::new(true)).unwrap_err();
    assert!(matches!(error, ExportError::Interrupted), "{error}");
    assert_eq!(contents(&here.path().join("stage")).len(), 0);
}

fn toy_job(frames: u32, scene_hash: &str) -> Job {
    Job {
        name: "toy".to_owned(),
        scene_toml: format!("# toy\nframes = {frames}\n"),
        scene_hash: scene_hash.to_owned(),
        frames,
        fps: 24.0,
        expect: Vec::new(),
        unchecked: None,
        simulation: Box::new(Balls::new(2)),
    }
}

fn run_toy(job: &mut Job, out: &Path, existing: Existing) -> Result<Outcome, RunError> {
    job.run(out, &RunOptions { existing, checkpoint_every: Duration::MAX, ..RunOptions::default() })
}

#[test]
fn an_existing_run_is_kept_replaced_or_resumed() {
    let parent = tempfile::tempdir().unwrap();
    let out = parent.path().join("run");
    let whole = parent.path().join("whole");
    run_toy(&mut toy_job(5, "a"), &whole, Existing::Refuse).unwrap();

    // Resuming in a folder without a run starts one.
    run_toy(&mut toy_job(2, "a"), &out, Existing::Resume).unwrap();
    let refused = run_toy(&mut toy_job(2, "a"), &out, Existing::Refuse).unwrap_err();
    assert!(matches!(refused, RunError::Folder(RunFolderError::Taken(_))), "{refused}");

    let before = contents(&out);
    let changed = run_toy(&mut toy_job(2, "b"), &out, Existing::Resume).unwrap_err();
    assert!(matches!(&changed, RunError::Checkpoint(CheckpointError::OtherScene(_))), "{changed}");
    assert_eq!(contents(&out), before);

    run_toy(&mut toy_job(5, "a"), &out, Existing::Resume).unwrap();
    assert_eq!(contents(&out), contents(&whole), "an extended run differs from an uninterrupted one");

    run_toy(&mut toy_job(1, "b"), &out, Existing::Replace).unwrap();
    assert_eq!(RunFolder::open(&out).unwrap().frames().unwrap().indices, [0, 1]);
}
