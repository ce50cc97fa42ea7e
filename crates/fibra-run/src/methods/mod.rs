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
use rods::RodsSimulation;

/// Builds the simulation of a scene in its initial state.
pub fn simulation_of(loaded: &LoadedScene) -> Result<Box<dyn Simulation>, SceneError> {
    Ok(match set_up(loaded)? {
        Setup::Mpm(setup) => Box::new(MpmSimulation::new(*setup)),
        Setup::Rods(setup) => Box::new(RodsSimulation::new(*setup)),
        Setup::Hair(setup) => Box::new(HairSimulation::new(*setup)),
        Setup::Elastons(setup) => Box::new(ElastonsSimulation::new(*setup)),
    })
}
