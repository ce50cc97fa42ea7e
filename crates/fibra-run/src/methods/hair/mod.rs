//! [`Simulation`](crate::Simulation) of hair.

mod simulation;

pub use simulation::*;
