//! From the arguments that choose a scene to a simulation ready to run.

use super::CliError;
use crate::assembly;
use crate::checkpoint::fingerprint;
use crate::scene::{Expect, LoadedScene, Scene};
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
    /// Fingerprint of all of the scene but the number of frames and what is expected of the last one.
    pub scene_hash: String,
    /// Number of frames after the start.
    pub frames: u32,
    /// Frames per simulated second [1/s].
    pub fps: f64,
    /// What must hold at the end; nothing when the run was made to end before the scene does.
    pub expect: Vec<Expect>,
    /// The simulation, at its start.
    pub simulation: Box<dyn Simulation>,
}

/// Loads a scene and builds its simulation; `frames` takes the place of the scene's own number.
pub fn assemble(args: &SceneArgs, frames: Option<u32>) -> Result<Job, CliError> {
    let mut loaded = Scene::load(&args.scene, args.preset.as_deref(), &args.set, None)?;
    if let Some(frames) = frames {
        let time = &mut loaded.scene.time;
        // What holds at the end of the scene need not hold before.
        if frames < time.frames {
            loaded.scene.expect.clear();
        }
        time.frames = frames;
    }
    let simulation = assembly::assemble(&loaded)?;
    let Scene { time, expect, .. } = &loaded.scene;
    Ok(Job {
        scene_toml: loaded.to_resolved_toml(),
        scene_hash: scene_hash(&loaded),
        frames: time.frames,
        fps: time.fps,
        expect: expect.clone(),
        simulation,
        name: loaded.name,
    })
}

/// Fingerprint of what is computed: the scene without its length and its claims, and the files it names.
fn scene_hash(loaded: &LoadedScene) -> String {
    let mut scene = loaded.clone();
    scene.scene.time.frames = 1;
    scene.scene.expect.clear();
    let mut text = scene.to_resolved_toml();
    for file in scene.scene.files_mut() {
        // A file that cannot be read has stopped the assembly already.
        let bytes = std::fs::read(file).unwrap_or_default();
        text += &fingerprint(&String::from_utf8_lossy(&bytes));
    }
    fingerprint(&text)
}
