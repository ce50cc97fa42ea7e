//! Implementations of [`Simulation`] for all methods: frames, measures, checkpoints and error messages.

pub mod elastons;
pub mod hair;
pub mod mpm;
#[cfg(test)]
mod pin_tests;
pub mod rods;

use crate::simulation::Simulation;
use elastons::ElastonsSimulation;
use fibra_scene::setup::{Setup, set_up};
use fibra_scene::{LoadedScene, SceneError};
use hair::HairSimulation;
use mpm::MpmSimulation;
use rods::{RodsContinuation, RodsSimulation};

/// Builds the simulation of a scene in its initial state.
pub fn simulation_of(loaded: &LoadedScene) -> Result<Box<dyn Simulation>, SceneError> {
    let continuation = loaded.scene.rods.as_ref().and_then(|rods| rods.continuation.clone());
    if let Some(continuation) = continuation {
        return Ok(Box::new(RodsContinuation::new(loaded, continuation)?));
    }
    Ok(match set_up(loaded)? {
        Setup::Mpm(setup) => Box::new(MpmSimulation::new(*setup)),
        Setup::Rods(setup) => Box::new(RodsSimulation::new(*setup)),
        Setup::Hair(setup) => Box::new(HairSimulation::new(*setup)),
        Setup::Elastons(setup) => Box::new(ElastonsSimulation::new(*setup)),
    })
}
