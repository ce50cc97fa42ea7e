//! Whole runs of a toy simulation: the same bytes however often interrupted, and nothing lost when one fails.

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
fn an_unbroken_run_writes_every_frame_at_its_time() {
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
fn an_interrupted_run_ends_with_the_bytes_of_an_unbroken_one() {
    let whole = tempfile::tempdir().unwrap();
    let unbroken = run_through(whole.path(), &plan(8));
    let expected = contents(whole.path());
    let last = unbroken.report.steps;
    assert!(last > 40, "too few steps to interrupt: {last}");

    // Parts of 0, 1, 2... steps in turn, and single stops at the first, last and one-past-last step.
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
            // A state between two frames is not shown as a frame.
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
fn checkpoints_on_the_way_change_nothing() {
    let plain = tempfile::tempdir().unwrap();
    run_through(plain.path(), &plan(4));
    let often = tempfile::tempdir().unwrap();
    run_through(often.path(), &Plan { checkpoint_every: Duration::ZERO, ..plan(4) });
    assert_eq!(contents(often.path()), contents(plain.path()));
}

#[test]
fn a_finished_run_can_be_made_longer() {
    let long = tempfile::tempdir().unwrap();
    run_through(long.path(), &plan(6));
    let out = tempfile::tempdir().unwrap();
    run_through(out.path(), &plan(2));
    let folder = RunFolder::resume(out.path()).unwrap();
    run_until(&folder, &Plan { resume: true, ..plan(6) }, u64::MAX);
    assert_eq!(contents(out.path()), contents(long.path()));
}

#[test]
fn a_failure_names_the_frame_and_keeps_what_was_good() {
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

    // With the cause gone, the run goes on from the last good state.
    let done = run_until(&folder, &Plan { resume: true, ..plan(8) }, u64::MAX);
    assert_eq!((done.report.status, done.report.message), (Status::Done, None));
    assert_eq!(contents(out.path()), contents(whole.path()));
}

#[test]
fn a_changed_scene_or_a_damaged_checkpoint_is_not_resumed() {
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

/// Time that stands still must end the run, not hang it.
#[test]
fn steps_that_lead_nowhere_are_a_failure() {
    let out = tempfile::tempdir().unwrap();
    let folder = new_folder(out.path());
    let mut stuck = Balls { stuck: true, ..Balls::new(1) };
    let error = run(&mut stuck, &folder, &plan(1), &AtomicBool::new(false), &mut ()).unwrap_err();
    assert!(error.to_string().contains("does not advance"), "{error}");
}
