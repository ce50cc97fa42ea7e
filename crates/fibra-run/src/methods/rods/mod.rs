//! [`Simulation`](crate::Simulation) of rods and balls in contact.

#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
