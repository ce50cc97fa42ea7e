//! Hair as a simulation.

pub mod measures;
mod simulation;

pub use simulation::*;
