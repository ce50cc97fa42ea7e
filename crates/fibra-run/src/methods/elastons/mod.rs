//! [`Simulation`](crate::Simulation) of elastons.

#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
