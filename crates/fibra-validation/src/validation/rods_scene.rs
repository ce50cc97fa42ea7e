//! Built-in rod scenes for validation cases and benchmarks.

use fibra_run::methods::rods::RodsSimulation;
use fibra_run::simulation::Simulation;
use fibra_scene::Scene;
use fibra_scene::setup::set_up_rods;

/// A running rod scene.
pub struct RodsScene {
    /// The simulation.
    pub simulation: RodsSimulation,
    /// Number of frames.
    pub frames: u32,
    /// Frames per second [1/s].
    pub fps: f64,
}

impl RodsScene {
    /// Loads a built-in scene, with a preset and changed values (`path=value`).
    pub fn load(name: &str, preset: Option<&str>, sets: &[String]) -> Result<RodsScene, String> {
        let loaded = Scene::load(name, preset, sets).map_err(|error| error.render(false))?;
        let simulation = RodsSimulation::new(set_up_rods(&loaded).map_err(|error| error.render(false))?);
        Ok(RodsScene { simulation, frames: loaded.scene.time.frames, fps: loaded.scene.time.fps })
    }

    /// End time of the scene [s].
    pub fn end(&self) -> f64 {
        f64::from(self.frames) / self.fps
    }

    /// Takes the same steps as a run of the scene, until its end or until `each` returns true after a step.
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
