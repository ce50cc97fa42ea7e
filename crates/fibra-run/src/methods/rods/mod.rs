//! Rods and balls in contact as a simulation.

pub mod measures;
#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
