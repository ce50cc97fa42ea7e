//! [`Simulation`](crate::Simulation) with the material point method.

mod estimate;
pub mod measures;
#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
