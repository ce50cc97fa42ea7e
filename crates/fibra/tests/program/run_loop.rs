//! The run loop with a toy simulation: interruptions do not change the output, and a failure loses no frame.

use crate::toy::{Balls, contents, new_folder, plan};
use fibra_core::frame::Frame;
use fibra_run::folder::RunFolder;
use fibra_run::progress::{Progress, Tick};
use fibra_run::report::Status;
use fibra_run::run_loop::{Outcome, Plan, RunError, run};
use fibra_run::simulation::Simulation;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Sets the stop flag after a number of steps.
struct StopAfter<'a> {
    steps: u64,
    stop: &'a AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn step(&mut self, _now: &Tick) {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn run_until(folder: &RunFolder, plan: &Plan, steps: u64) -> Outcome {
    let stop = AtomicBool::new(steps == 0);
    let mut progress = StopAfter { steps, stop: &stop };
    run(&mut Balls::new(3), folder, plan, &stop, &mut progress).unwrap()
}

fn run_through(root: &Path, plan: &Plan) -> Outcome {
    run(&mut Balls::new(3), &new_folder(root), plan, &AtomicBool::new(false), &mut ()).unwrap()
}

#[test]
fn every_frame_is_written_at_its_time() {
    let out = tempfile::tempdir().unwrap();
    let outcome = run_through(out.path(), &plan(8));
    assert!(!outcome.interrupted);
    let folder = RunFolder::open(out.path()).unwrap();
    assert_eq!(folder.frames().unwrap().indices, (0..=8).collect::<Vec<_>>());
    for index in 0..=8 {
        let frame = Frame::read(&folder.frame_path(index)).unwrap();
        assert_eq!((frame.index, frame.time), (index, f64::from(index) / 24.0));
    }
    let report = folder.read_report().unwrap();
    assert_eq!(report, outcome.report);
    assert_eq!((report.status, report.frames, report.items), (Status::Done, 8, 3));
    assert_eq!(report.quantities.len(), 9);
    assert_eq!(report.quantities[0].values["kinetic_energy"], Some(0.0));
    assert_eq!(report.quantities[0].values["undefined"], None);
    let dt = report.dt.unwrap();
    assert!(0.0 < dt.min && dt.min <= dt.mean && dt.mean <= dt.max && dt.max <= 0.01, "{dt:?}");
    let stages: Vec<&str> = report.stages.0.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(stages, ["fall", "bounce", "write"]);
}

#[test]
fn interruptions_do_not_change_the_output() {
    let whole = tempfile::tempdir().unwrap();
    let unbroken = run_through(whole.path(), &plan(8));
    let expected = contents(whole.path());
    let last = unbroken.report.steps;
    assert!(last > 40, "too few steps to interrupt: {last}");

    // Successive parts of 0, 1, 2... steps, and single stops after the first, the last and other steps.
    let in_many_parts = std::iter::once((0..last).collect());
    let in_two = [1, 7, 20, last - 1, last].map(|step| vec![step]);
    for stops in in_many_parts.chain(in_two) {
        let out = tempfile::tempdir().unwrap();
        let folder = new_folder(out.path());
        let resumed = Plan { resume: true, ..plan(8) };
        let mut outcome = None;
        for (part, steps) in stops.iter().chain([&u64::MAX]).enumerate() {
            let plan = if part == 0 { plan(8) } else { resumed.clone() };
            outcome = Some(run_until(&folder, &plan, *steps));
            if !outcome.as_ref().unwrap().interrupted {
                break;
            }
            let report = folder.read_report().unwrap();
            assert_eq!(report.status, Status::Interrupted);
            // A state between two frames is not written as a frame.
            assert_eq!(folder.frames().unwrap().indices.last(), Some(&report.frames));
        }
        let report = outcome.unwrap().report;
        assert_eq!(contents(out.path()), expected, "stopped after {stops:?}");
        assert_eq!(report.steps, last);
        assert_eq!(report.dt, unbroken.report.dt);
        assert_eq!(report.quantities, unbroken.report.quantities);
    }
}

#[test]
fn checkpoints_do_not_change_the_output() {
    let plain = tempfile::tempdir().unwrap();
    run_through(plain.path(), &plan(4));
    let often = tempfile::tempdir().unwrap();
    run_through(often.path(), &Plan { checkpoint_every: Duration::ZERO, ..plan(4) });
    assert_eq!(contents(often.path()), contents(plain.path()));
}

#[test]
fn a_finished_run_can_be_extended() {
    let long = tempfile::tempdir().unwrap();
    run_through(long.path(), &plan(6));
    let out = tempfile::tempdir().unwrap();
    run_through(out.path(), &plan(2));
    let folder = RunFolder::resume(out.path()).unwrap();
    run_until(&folder, &Plan { resume: true, ..plan(6) }, u64::MAX);
    assert_eq!(contents(out.path()), contents(long.path()));
}

/// Keeps the last line of a run and the state at its start.
#[derive(Default)]
struct Summary(String, Vec<Tick>);

impl Progress for Summary {
    fn begin(&mut self, now: &Tick) {
        self.1.push(*now);
    }

    fn end(&mut self, summary: &str) {
        summary.clone_into(&mut self.0);
    }
}

#[test]
fn a_run_resumed_with_fewer_frames_is_already_done() {
    let out = tempfile::tempdir().unwrap();
    run_through(out.path(), &plan(6));
    let before = contents(out.path());
    let folder = RunFolder::resume(out.path()).unwrap();
    let mut summary = Summary::default();
    let shorter = Plan { resume: true, ..plan(2) };
    run(&mut Balls::new(3), &folder, &shorter, &AtomicBool::new(false), &mut summary).unwrap();
    assert_eq!(summary.1.iter().map(|now| (now.frame, now.frames)).collect::<Vec<_>>(), [(6, 6)]);
    assert!(summary.0.starts_with("done: already at frame 6 (2 requested), "), "{}", summary.0);
    assert_eq!(contents(out.path()), before);
}

#[test]
fn a_failure_names_the_frame_and_keeps_the_frames_before() {
    let whole = tempfile::tempdir().unwrap();
    run_through(whole.path(), &plan(8));

    let out = tempfile::tempdir().unwrap();
    let folder = new_folder(out.path());
    let frequent = Plan { checkpoint_every: Duration::ZERO, ..plan(8) };
    let mut failing = Balls { fails_at: 5.5 / 24.0, ..Balls::new(3) };
    let error = run(&mut failing, &folder, &frequent, &AtomicBool::new(false), &mut ()).unwrap_err();
    let message = error.to_string();
    for part in ["frame 6", "`balls`", "NaN m/s", "`bounce`", "lower `time.max_dt`"] {
        assert!(message.contains(part), "{message}");
    }
    let report = folder.read_report().unwrap();
    assert_eq!((report.status, report.frames), (Status::Failed, 5));
    assert_eq!(report.message, Some(message));
    assert_eq!(folder.frames().unwrap().indices, [0, 1, 2, 3, 4, 5]);

    // Without the cause of the failure, the run resumes from the last checkpoint.
    let done = run_until(&folder, &Plan { resume: true, ..plan(8) }, u64::MAX);
    assert_eq!((done.report.status, done.report.message), (Status::Done, None));
    assert_eq!(contents(out.path()), contents(whole.path()));
}

#[test]
fn a_changed_scene_or_a_damaged_checkpoint_is_rejected() {
    let out = tempfile::tempdir().unwrap();
    run_through(out.path(), &plan(1));
    let folder = RunFolder::resume(out.path()).unwrap();
    let before = contents(out.path());
    let resume = |simulation: &mut dyn Simulation, plan: Plan| {
        run(simulation, &folder, &plan, &AtomicBool::new(false), &mut ()).unwrap_err()
    };
    let resumed = Plan { resume: true, ..plan(2) };

    let changed = resume(&mut Balls::new(3), Plan { scene_hash: "other".to_owned(), ..resumed.clone() });
    assert!(matches!(changed, RunError::Checkpoint(_)));
    assert!(changed.to_string().contains("different scene"), "{changed}");

    let wrong_size = resume(&mut Balls::new(4), resumed.clone()).to_string();
    assert!(wrong_size.contains("`heights` is of shape [3], expected 4 rows"), "{wrong_size}");
    assert_eq!(contents(out.path()), before);

    std::fs::write(folder.checkpoint_path(), b"junk").unwrap();
    let damaged = resume(&mut Balls::new(3), resumed).to_string();
    assert!(damaged.contains("checkpoint.safetensors") && damaged.contains("--force"), "{damaged}");
}

/// A time step below the precision of the simulated time must end the run, not hang it.
#[test]
fn steps_that_do_not_advance_the_time_fail() {
    let out = tempfile::tempdir().unwrap();
    let folder = new_folder(out.path());
    let mut stuck = Balls { stuck: true, ..Balls::new(1) };
    let error = run(&mut stuck, &folder, &plan(1), &AtomicBool::new(false), &mut ()).unwrap_err();
    assert!(error.to_string().contains("does not advance"), "{error}");
}
