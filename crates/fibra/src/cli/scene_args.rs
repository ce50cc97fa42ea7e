//! The arguments that choose and change a scene.

use super::CliError;
use fibra_run::Job;

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

impl SceneArgs {
    /// Loads the scene and builds its simulation; `frames` replaces the scene's own number.
    pub fn load(&self, frames: Option<u32>) -> Result<Job, CliError> {
        Ok(Job::load(&self.scene, self.preset.as_deref(), &self.set, frames)?)
    }
}
