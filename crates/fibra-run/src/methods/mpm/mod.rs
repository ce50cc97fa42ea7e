//! The material point method as a simulation.

mod estimate;
pub mod measures;
#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
