//! Built-in scenes of rods, for validation and benchmarks to look into.

use fibra_run::methods::rods::RodsSimulation;
use fibra_run::simulation::Simulation;
use fibra_scene::Scene;
use fibra_scene::setup::set_up_rods;

/// A scene of rods at work.
pub struct RodsScene {
    /// The bodies, and what happens to them.
    pub simulation: RodsSimulation,
    /// Number of frames.
    pub frames: u32,
    /// Frames per second [1/s].
    pub fps: f64,
}

impl RodsScene {
    /// A built-in scene, with a preset and changed values (`path=value`).
    pub fn load(name: &str, preset: Option<&str>, sets: &[String]) -> Result<RodsScene, String> {
        let loaded = Scene::load(name, preset, sets).map_err(|error| error.render(false))?;
        let simulation = RodsSimulation::new(set_up_rods(&loaded).map_err(|error| error.render(false))?);
        Ok(RodsScene { simulation, frames: loaded.scene.time.frames, fps: loaded.scene.time.fps })
    }

    /// When the scene ends [s].
    pub fn end(&self) -> f64 {
        f64::from(self.frames) / self.fps
    }

    /// Takes the steps that a run of the scene would take, up to its end or to where `each` says, after a step, that it has seen enough.
    pub fn run(&mut self, mut each: impl FnMut(&RodsSimulation) -> bool) -> Result<(), String> {
        for frame in 1..=self.frames {
            let until = f64::from(frame) / self.fps;
            while self.simulation.time() < until {
                self.simulation.step(until).map_err(|failure| failure.to_string())?;
                if each(&self.simulation) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
