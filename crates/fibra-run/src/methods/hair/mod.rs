//! Hair as a simulation.

mod simulation;

pub use simulation::*;
