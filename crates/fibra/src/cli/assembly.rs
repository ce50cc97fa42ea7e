//! From the arguments that choose a scene to a simulation ready to run.

use super::CliError;
use crate::simulation::Simulation;

/// The arguments that choose and change a scene.
#[derive(Clone, Debug, clap::Args)]
pub struct SceneArgs {
    /// A built-in scene (see `fibra scenes`) or a scene file
    pub scene: String,
    /// Take the values of the scene's table [preset.NAME], such as `paper`
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Change one value, in SI units, such as `time.fps=30`; may be given again
    #[arg(long, value_name = "KEY.PATH=VALUE")]
    pub set: Vec<String>,
}

/// A scene and the simulation built for it.
pub struct Job {
    /// What the scene goes by.
    pub name: String,
    /// The scene as a complete file: presets and options applied, defaults filled in.
    pub scene_toml: String,
    /// Fingerprint of all of the scene but the number of frames.
    pub scene_hash: String,
    /// Number of frames after the start.
    pub frames: u32,
    /// Frames per simulated second [1/s].
    pub fps: f64,
    /// The simulation, at its start.
    pub simulation: Box<dyn Simulation>,
}

/// Loads a scene and builds its simulation; `frames` takes the place of the scene's own number.
pub fn assemble(args: &SceneArgs, _frames: Option<u32>) -> Result<Job, CliError> {
    Err(CliError::bad_input(format!("there is no scene `{}`", args.scene)))
}
