//! Built-in hair scenes for validation cases and benchmarks.

use fibra_run::methods::hair::HairSimulation;
use fibra_run::simulation::Simulation;
use fibra_scene::Scene;
use fibra_scene::setup::set_up_hair;

/// A running hair scene.
pub struct HairScene {
    /// The simulation.
    pub simulation: HairSimulation,
    /// End time of the scene [s].
    pub end: f64,
}

impl HairScene {
    /// Loads a built-in scene, with a preset and changed values (`path=value`).
    pub fn load(name: &str, preset: Option<&str>, sets: &[String]) -> Result<HairScene, String> {
        let loaded = Scene::load(name, preset, sets).map_err(|error| error.render(false))?;
        let simulation = HairSimulation::new(set_up_hair(&loaded).map_err(|error| error.render(false))?);
        Ok(HairScene { simulation, end: f64::from(loaded.scene.time.frames) / loaded.scene.time.fps })
    }

    /// Advances the simulation to a time [s].
    pub fn advance_to(&mut self, time: f64) -> Result<(), String> {
        while self.simulation.time() < time {
            self.simulation.step(time).map_err(|failure| failure.to_string())?;
        }
        Ok(())
    }
}
