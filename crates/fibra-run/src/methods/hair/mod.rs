//! [`Simulation`](crate::Simulation) of hair.

#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
