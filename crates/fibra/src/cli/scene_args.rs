//! Arguments that select and modify a scene.

use super::CliError;
use fibra_run::Job;

/// Arguments that select and modify a scene.
#[derive(Clone, Debug, clap::Args)]
pub struct SceneArgs {
    /// A built-in scene (see `fibra scenes`) or a scene file
    pub scene: String,
    /// Apply the scene's table [preset.NAME], such as `paper` (see `fibra scenes`)
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Override one value, in SI units, such as `time.fps=30`; may be repeated
    #[arg(long, value_name = "KEY.PATH=VALUE")]
    pub set: Vec<String>,
}

impl SceneArgs {
    /// Loads the scene and builds its simulation; `frames` overrides the number of frames of the scene.
    pub fn load(&self, frames: Option<u32>) -> Result<Job, CliError> {
        Ok(Job::load(&self.scene, self.preset.as_deref(), &self.set, frames)?)
    }
}
