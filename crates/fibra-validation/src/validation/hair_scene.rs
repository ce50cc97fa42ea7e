//! Built-in scenes of hair, for validation and benchmarks to look into.

use fibra_run::methods::hair::HairSimulation;
use fibra_run::simulation::Simulation;
use fibra_scene::Scene;
use fibra_scene::setup::set_up_hair;

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
        let loaded = Scene::load(name, preset, sets).map_err(|error| error.render(false))?;
        let simulation = HairSimulation::new(set_up_hair(&loaded).map_err(|error| error.render(false))?);
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
