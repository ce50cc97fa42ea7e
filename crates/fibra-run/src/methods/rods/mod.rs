//! [`Simulation`](crate::Simulation) of rods and balls in contact.

mod continuation;
mod output;
#[cfg(test)]
mod scene_tests;
mod simulation;
#[cfg(test)]
mod statics_tests;

pub use continuation::RodsContinuation;
pub use simulation::*;
