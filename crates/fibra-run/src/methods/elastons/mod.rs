//! Elastons as a simulation.

#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
