//! A scene and the simulation built for it, ready to run in a folder.

use crate::checkpoint::CheckpointError;
use crate::folder::{IfTaken, RunFolder};
use crate::methods::simulation_of;
use crate::progress::Progress;
use crate::report::{RunReport, Unchecked};
use crate::run_loop::{self, Outcome, Plan, RunError};
use crate::simulation::Simulation;
use crate::{expectations, scene_hash};
use fibra_scene::{Expect, Scene, SceneError};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A scene and the simulation built for it.
pub struct Job {
    /// Name of the scene.
    pub name: String,
    /// The scene as a complete file: presets and options applied, defaults filled in.
    pub scene_toml: String,
    /// Hash of everything that affects the results; see [`scene_hash`](mod@crate::scene_hash).
    pub scene_hash: String,
    /// Number of frames after frame 0.
    pub frames: u32,
    /// Frames per simulated second [1/s].
    pub fps: f64,
    /// Expectations to check at the end of the run; empty when the run is shorter than the scene.
    pub expect: Vec<Expect>,
    /// Set when the scene's expectations are not checked because the run is shorter than the scene.
    pub unchecked: Option<Unchecked>,
    /// The simulation, in its initial state.
    pub simulation: Box<dyn Simulation>,
}

/// What to do if the folder already has a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Keep it and return an error.
    #[default]
    Refuse,
    /// Replace it.
    Replace,
    /// Resume it, or start a run if there is none.
    Resume,
}

/// Options of a run.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// What to do if the folder already has a run.
    pub existing: Existing,
    /// Wall-clock time between checkpoints.
    pub checkpoint_every: Duration,
    /// Stops the run after the current step, with a checkpoint, when set to true.
    pub stop: &'a AtomicBool,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        RunOptions { existing: Existing::Refuse, checkpoint_every: Duration::from_secs(60), stop: &NEVER }
    }
}

impl Job {
    /// Loads a scene (see [`Scene::load`]) and builds its simulation. `frames` overrides the number of frames of the scene.
    pub fn load(source: &str, preset: Option<&str>, sets: &[String], frames: Option<u32>) -> Result<Job, SceneError> {
        let mut loaded = Scene::load(source, preset, sets)?;
        let mut unchecked = None;
        if let Some(frames) = frames {
            let Scene { time, expect, .. } = &mut loaded.scene;
            // Expectations describe the end of the scene and need not hold earlier.
            if frames < time.frames && !expect.is_empty() {
                unchecked = Some(Unchecked { expectations: expect.len(), scene_frames: time.frames });
                expect.clear();
            }
            time.frames = frames;
        }
        let simulation = simulation_of(&loaded)?;
        let Scene { time, expect, .. } = &loaded.scene;
        Ok(Job {
            scene_toml: loaded.to_resolved_toml(),
            scene_hash: scene_hash::scene_hash(&loaded),
            frames: time.frames,
            fps: time.fps,
            expect: expect.clone(),
            unchecked,
            simulation,
            name: loaded.name,
        })
    }

    /// Runs the job in the folder `out` without progress reports. After the last frame, the results of the expectations are in the report.
    pub fn run(&mut self, out: &Path, options: &RunOptions) -> Result<Outcome, RunError> {
        self.run_with_progress(out, options, &mut ())
    }

    /// Does the same as [`Job::run`] and reports every step and frame to `progress`.
    pub fn run_with_progress(
        &mut self,
        out: &Path,
        options: &RunOptions,
        progress: &mut dyn Progress,
    ) -> Result<Outcome, RunError> {
        let folder = self.claim(out, options.existing)?;
        let plan = Plan {
            frames: self.frames,
            fps: self.fps,
            scene_hash: self.scene_hash.clone(),
            checkpoint_every: options.checkpoint_every,
            resume: options.existing == Existing::Resume,
        };
        let mut outcome = run_loop::run(&mut *self.simulation, &folder, &plan, options.stop, progress)?;
        if !outcome.interrupted {
            outcome.report.expectations = expectations::evaluate(&self.expect, &*self.simulation);
            // The scene in a run folder has no expectations if the run was started with too few frames to check them. In that case, keep `unchecked`
            // of the earlier report.
            let before = outcome.report.unchecked.filter(|_| self.expect.is_empty());
            outcome.report.unchecked = self.unchecked.or(before);
            folder.write_report(&outcome.report)?;
        }
        Ok(outcome)
    }

    /// Creates or opens the run folder and writes the job's scene to it.
    fn claim(&self, out: &Path, existing: Existing) -> Result<RunFolder, RunError> {
        let if_taken = match existing {
            Existing::Refuse => IfTaken::Refuse,
            Existing::Replace => IfTaken::Replace,
            Existing::Resume => match RunFolder::may_create(out, IfTaken::Refuse) {
                Ok(()) => IfTaken::Refuse,
                Err(_) => return self.reclaim(out),
            },
        };
        let report = RunReport::new(&self.name, &self.scene_hash);
        Ok(RunFolder::create(out, if_taken, &self.scene_toml, &report)?)
    }

    /// Opens the folder of a run of the same scene to resume it.
    fn reclaim(&self, out: &Path) -> Result<RunFolder, RunError> {
        let folder = RunFolder::resume(out)?;
        if folder.read_report()?.scene_hash != self.scene_hash {
            return Err(CheckpointError::OtherScene(out.to_owned()).into());
        }
        // Only the number of frames can differ; the next `--resume` should use the new number. An unchanged scene is not rewritten, because
        // the page of `fibra view` would treat the run as a new one.
        if std::fs::read(folder.scene_path()).ok().as_deref() != Some(self.scene_toml.as_bytes()) {
            folder.write_scene(&self.scene_toml)?;
        }
        Ok(folder)
    }
}
