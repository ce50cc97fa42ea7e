//! Runs built-in scenes to their end and checks their expectations.

use fibra_run::report::{ExpectationResult, forget_peak_rss, peak_rss_bytes};
use fibra_run::{Card, Existing, Job, RunError, RunEstimate, RunOptions, RunReport};
use fibra_scene::SceneError;
use fibra_scene::builtin::BuiltinScene;
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// How scenes are run.
#[derive(Clone, Copy)]
pub struct SceneOptions<'a> {
    /// The preset to apply. Scenes without this preset are skipped.
    pub preset: Option<&'a str>,
    /// Largest estimated run time on the CPU [s]. Scenes with a longer estimate are skipped.
    pub at_most: Option<f64>,
    /// The GPU that computes the steps. Scenes of methods that run only on the CPU are skipped.
    pub card: Option<&'a Card>,
    /// Folder for the run folders, one per scene.
    pub folder: &'a Path,
    /// Stops the current run after its current step when set to true.
    pub stop: &'a AtomicBool,
}

/// What became of a scene.
#[derive(Clone, Debug)]
pub enum Judged {
    /// The run reached its end or failed.
    Run(SceneResult),
    /// The scene was not run, for this reason.
    Skipped(String),
    /// The user interrupted the run.
    Interrupted,
}

/// Result of a scene.
#[derive(Clone, Debug, Serialize)]
pub struct SceneResult {
    /// Name of the scene.
    pub scene: String,
    /// Whether the run reached its end and all expectations hold.
    pub pass: bool,
    /// The error message of a failed run.
    pub message: Option<String>,
    /// Number of frames simulated.
    pub frames: u32,
    /// Number of steps.
    pub steps: u64,
    /// Number of particles, vertices or elastons.
    pub items: usize,
    /// Wall-clock time without building the scene [s].
    pub seconds: f64,
    /// Mean wall-clock time per frame [s].
    pub seconds_per_frame: f64,
    /// Peak resident memory of the process, including building the scene; 0 if the system does not report it [bytes].
    pub peak_rss_bytes: u64,
    /// Results of the expectations.
    pub expectations: Vec<ExpectationResult>,
}

/// Runs a built-in scene to its end in a folder of its name.
pub fn judge(scene: &BuiltinScene, options: &SceneOptions) -> Result<Judged, SceneError> {
    let name = scene.name;
    if let Some(preset) = options.preset
        && !scene.preset_names().iter().any(|known| known == preset)
    {
        return Ok(Judged::Skipped(format!("no preset `{preset}`")));
    }
    forget_peak_rss();
    let mut job = Job::load(name, options.preset, &[], None)?;
    if let Some(reason) = too_long(&job, options.at_most) {
        return Ok(Judged::Skipped(reason));
    }
    if let Some(card) = options.card
        && let Err(reason) = job.simulation.move_to(card)
    {
        return Ok(Judged::Skipped(reason));
    }
    let run = RunOptions { existing: Existing::Replace, stop: options.stop, ..RunOptions::default() };
    let outcome = job.run(&options.folder.join(name), &run);
    Ok(match outcome {
        Ok(outcome) if outcome.interrupted => Judged::Interrupted,
        Ok(outcome) => Judged::Run(SceneResult::of(name, outcome.report)),
        Err(error) => Judged::Run(SceneResult::failed(name, &job, &error)),
    })
}

/// Returns why a job takes longer than `at_most` seconds, if it does.
fn too_long(job: &Job, at_most: Option<f64>) -> Option<String> {
    let estimate = job.simulation.estimate()?;
    let seconds = RunEstimate { estimate: &estimate, frames: job.frames, fps: job.fps }.seconds();
    (seconds > at_most?).then(|| format!("estimated run time {seconds:.0} s"))
}

impl SceneResult {
    fn of(scene: &str, report: RunReport) -> SceneResult {
        SceneResult {
            scene: scene.to_owned(),
            pass: report.expectations.iter().all(|result| result.pass),
            message: None,
            frames: report.frames,
            steps: report.steps,
            items: report.items,
            seconds: report.seconds,
            seconds_per_frame: report.seconds_per_frame,
            peak_rss_bytes: report.peak_rss_bytes,
            expectations: report.expectations,
        }
    }

    fn failed(scene: &str, job: &Job, error: &RunError) -> SceneResult {
        SceneResult {
            scene: scene.to_owned(),
            pass: false,
            message: Some(error.to_string()),
            frames: 0,
            steps: 0,
            items: job.simulation.items(),
            seconds: 0.0,
            seconds_per_frame: 0.0,
            peak_rss_bytes: peak_rss_bytes(),
            expectations: Vec::new(),
        }
    }
}
