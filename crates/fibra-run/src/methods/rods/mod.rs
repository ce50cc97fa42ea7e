//! Rods and balls in contact as a simulation.

#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
