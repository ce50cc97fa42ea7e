//! [`Simulation`](crate::Simulation) with the material point method.

pub mod measures;
#[cfg(test)]
mod scene_tests;
mod simulation;

pub use simulation::*;
