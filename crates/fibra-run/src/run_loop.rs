//! The run loop: takes steps, writes frames and checkpoints, and keeps the report up to date.
//!
//! On a given device, the frames and the last checkpoint depend only on the scene. Interruptions, resumes and the
//! times of earlier checkpoints have no effect on them.

use crate::checkpoint::{self, CheckpointError, Position};
use crate::folder::{RunFolder, RunFolderError};
use crate::progress::{Progress, Tick, format_duration};
use crate::report::{FrameQuantities, Machine, RunReport, Stages, Status, StepLengths, peak_rss_bytes};
use crate::simulation::{Failure, Simulation};
use fibra_core::atomic_file::WriteError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Settings of the run loop.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Number of frames after frame 0; frame k shows time k / `fps`.
    pub frames: u32,
    /// Frames per simulated second [1/s].
    pub fps: f64,
    /// Hash of everything in the scene that affects the results. The number of frames is excluded.
    pub scene_hash: String,
    /// Wall-clock time between checkpoints.
    pub checkpoint_every: Duration,
    /// Whether to resume from the folder's checkpoint, if it has one.
    pub resume: bool,
}

/// Result of a run that did not fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the run was stopped before its last frame.
    pub interrupted: bool,
    /// The report, as written to `run.json`.
    pub report: RunReport,
}

/// Runs `simulation` up to the last frame of `plan`, or until `stop` is set.
pub fn run(
    simulation: &mut dyn Simulation,
    folder: &RunFolder,
    plan: &Plan,
    stop: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<Outcome, RunError> {
    let mut run = Run::begin(simulation, folder, plan, progress)?;
    let ending = run.advance(stop);
    run.end(ending)
}

/// A run in progress.
struct Run<'a> {
    simulation: &'a mut dyn Simulation,
    folder: &'a RunFolder,
    plan: &'a Plan,
    progress: &'a mut dyn Progress,
    position: Position,
    report: RunReport,
    clock: Clock,
}

/// Wall-clock times, which are used only in the report.
struct Clock {
    started: Instant,
    last_checkpoint: Instant,
    writing: Duration,
    /// Time of the earlier parts of a resumed run [s].
    seconds_before: f64,
    /// Stage times of the earlier parts.
    stages_before: Stages,
}

enum Ending {
    Done,
    Interrupted,
}

impl<'a> Run<'a> {
    fn begin(
        simulation: &'a mut dyn Simulation,
        folder: &'a RunFolder,
        plan: &'a Plan,
        progress: &'a mut dyn Progress,
    ) -> Result<Run<'a>, RunError> {
        let mut report = folder.read_report()?;
        let saved = folder.checkpoint_path();
        let position = if plan.resume && saved.exists() {
            checkpoint::read(&saved, simulation, &plan.scene_hash)?
        } else {
            Position::default()
        };
        report.quantities.retain(|entry| entry.frame < position.next_frame);
        report.expectations.clear();
        report.message = None;
        report.machine = Machine::here();
        let now = Instant::now();
        let clock = Clock {
            started: now,
            last_checkpoint: now,
            writing: Duration::ZERO,
            seconds_before: report.seconds,
            stages_before: report.stages.clone(),
        };
        let run = Run { simulation, folder, plan, progress, position, report, clock };
        let tick = run.tick();
        run.progress.begin(&tick);
        Ok(run)
    }

    fn advance(&mut self, stop: &AtomicBool) -> Result<Ending, RunError> {
        while self.position.next_frame <= self.plan.frames {
            let until = f64::from(self.position.next_frame) / self.plan.fps;
            while self.simulation.time() < until {
                if stop.load(Ordering::Relaxed) {
                    self.write_checkpoint()?;
                    return Ok(Ending::Interrupted);
                }
                self.step(until)?;
                if self.clock.last_checkpoint.elapsed() >= self.plan.checkpoint_every {
                    self.write_checkpoint()?;
                }
            }
            self.write_frame()?;
        }
        self.write_checkpoint()?;
        Ok(Ending::Done)
    }

    fn step(&mut self, until: f64) -> Result<(), RunError> {
        let before = self.simulation.time();
        let step = self.simulation.step(until).map_err(|failure| self.failed(failure))?;
        let time = self.simulation.time();
        if time <= before || !time.is_finite() {
            return Err(self.failed(Failure {
                what: format!("a step of {} s does not advance the simulated time", step.longest),
                stage: "time step".to_owned(),
                time: before,
                remedy: "the time step is below the precision of the simulated time: use a softer material or a \
                         coarser grid, and check for objects that overlap at the start"
                    .to_owned(),
                machine: false,
            }));
        }
        // Saturating, because a damaged checkpoint may contain any number.
        self.position.steps = self.position.steps.saturating_add(step.count);
        self.position.dt_min = self.position.dt_min.min(step.shortest);
        self.position.dt_max = self.position.dt_max.max(step.longest);
        let tick = self.tick();
        self.progress.step(&tick);
        Ok(())
    }

    fn write_frame(&mut self) -> Result<(), RunError> {
        let begun = Instant::now();
        let index = self.position.next_frame;
        let frame = self.simulation.frame(index);
        if let Some(point) = frame.first_non_finite() {
            return Err(self.failed(Failure {
                what: format!(
                    "the position of point {point} (object number {}) is not finite",
                    frame.object.get(point).copied().unwrap_or_default()
                ),
                stage: "frame".to_owned(),
                time: frame.time,
                remedy: "reduce the time step: `time.max_dt`, `rods.dt`, `elastons.dt` or `hair.step`, depending on the method"
                    .to_owned(),
                machine: false,
            }));
        }
        frame.write(&self.folder.frame_path(index))?;
        self.clock.writing += begun.elapsed();

        let values = self.simulation.quantities().into_iter();
        self.report.quantities.push(FrameQuantities {
            frame: index,
            time: frame.time,
            values: values.map(|(name, value)| (name.to_owned(), value.is_finite().then_some(value))).collect(),
        });
        self.position.next_frame = index + 1;
        let tick = self.tick();
        self.progress.frame(&tick);
        Ok(())
    }

    /// Writes the report and the checkpoint. The report is written first, so that it always covers all frames before the checkpoint.
    fn write_checkpoint(&mut self) -> Result<(), RunError> {
        let begun = Instant::now();
        self.update_report(Status::Running);
        self.folder.write_report(&self.report)?;
        let path = self.folder.checkpoint_path();
        checkpoint::write(&path, &*self.simulation, &self.position, &self.plan.scene_hash)?;
        self.clock.writing += begun.elapsed();
        self.clock.last_checkpoint = Instant::now();
        Ok(())
    }

    /// Writes the final report and returns the outcome.
    fn end(mut self, ending: Result<Ending, RunError>) -> Result<Outcome, RunError> {
        let status = match &ending {
            Ok(Ending::Done) => Status::Done,
            Ok(Ending::Interrupted) => Status::Interrupted,
            Err(error) => {
                self.report.message = Some(error.to_string());
                Status::Failed
            }
        };
        self.update_report(status);
        let written = self.folder.write_report(&self.report);
        self.progress.end(&self.summary());
        let ending = ending?;
        // The error of a failed run takes precedence: on a full disk, writing the report fails for the same reason.
        written?;
        Ok(Outcome { interrupted: matches!(ending, Ending::Interrupted), report: self.report })
    }

    fn update_report(&mut self, status: Status) {
        let Position { next_frame, steps, dt_min, dt_max } = self.position;
        let seconds = self.clock.seconds_before + self.clock.started.elapsed().as_secs_f64();
        let frames = next_frame.saturating_sub(1);
        let mut stages = self.clock.stages_before.clone();
        for (stage, seconds) in self.simulation.stage_seconds() {
            stages.add(stage, seconds);
        }
        stages.add("write", self.clock.writing.as_secs_f64());

        let report = &mut self.report;
        report.status = status;
        report.frames = frames;
        report.steps = steps;
        report.seconds = seconds;
        report.seconds_per_frame = seconds / f64::from(frames.max(1));
        report.items = self.simulation.items();
        report.peak_rss_bytes = report.peak_rss_bytes.max(peak_rss_bytes());
        report.stages = stages;
        report.dt =
            (steps > 0).then(|| StepLengths { min: dt_min, max: dt_max, mean: self.simulation.time() / steps as f64 });
    }

    fn summary(&self) -> String {
        let report = &self.report;
        let word = match report.status {
            Status::Running => "running",
            Status::Done => "done",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
        };
        let (frame, frames) = (report.frames, self.plan.frames);
        // A finished run may be resumed with fewer frames than it has.
        let reached = if frame > frames {
            format!("already at frame {frame} ({frames} requested)")
        } else {
            format!("frame {frame}/{frames}")
        };
        let seconds = Duration::try_from_secs_f64(report.seconds).unwrap_or_default();
        format!("{word}: {reached}, {} steps in {}", report.steps, format_duration(seconds))
    }

    fn failed(&self, failure: Failure) -> RunError {
        RunError::Failed { frame: self.position.next_frame, failure }
    }

    fn tick(&self) -> Tick {
        let frame = self.position.next_frame.saturating_sub(1);
        Tick {
            frame,
            // A finished run may be resumed with fewer frames than it has.
            frames: self.plan.frames.max(frame),
            time: self.simulation.time(),
            end_time: f64::from(self.plan.frames) / self.plan.fps,
            steps: self.position.steps,
        }
    }
}

/// The reason why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The simulation failed. Earlier frames and the last checkpoint are valid.
    #[error("frame {frame}: {failure}")]
    #[expect(missing_docs, reason = "the message explains them")]
    Failed { frame: u32, failure: Failure },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The run folder is not usable.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
}
