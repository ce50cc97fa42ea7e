//! Built-in scenes of hair, for validation and benchmarks to look into.

use crate::assembly::assemble_hair;
use crate::hair_simulation::HairSimulation;
use crate::scene::Scene;
use crate::simulation::Simulation;

/// A scene of hair at work.
pub struct HairScene {
    /// The hair, and what happens to it.
    pub simulation: HairSimulation,
    /// When the scene ends [s].
    pub end: f64,
}

impl HairScene {
    /// A built-in scene, with a preset and changed values (`path=value`).
    pub fn load(name: &str, preset: Option<&str>, sets: &[String]) -> Result<HairScene, String> {
        let loaded = Scene::load(name, preset, sets, None).map_err(|error| error.render(false))?;
        let simulation = assemble_hair(&loaded).map_err(|error| error.render(false))?;
        Ok(HairScene { simulation, end: f64::from(loaded.scene.time.frames) / loaded.scene.time.fps })
    }

    /// Moves everything on to a time [s], in as many steps as that takes.
    pub fn advance_to(&mut self, time: f64) -> Result<(), String> {
        while self.simulation.time() < time {
            self.simulation.step(time).map_err(|failure| failure.to_string())?;
        }
        Ok(())
    }
}
