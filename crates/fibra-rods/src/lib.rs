//! Thin elastic rods in contact, with Coulomb's law of friction satisfied exactly at the end of every step [Bertails2011].
//!
//! | module | holds |
//! |---|---|
//! | [`rod`] | what a rod model must answer, and what a rod is made of |
//! | [`error`] | why a rod cannot be made |
//! | [`mass_spring`] | the model of masses and springs |
//! | [`corde`] | nodes and quaternions held together by penalties |
//! | [`super_helix`] | pieces of constant curvature and twist: inextensible, few unknowns, dense |
//! | [`discrete_elastic`] | the discrete elastic rod |
//! | [`fixed`] | rods that are held as a whole |
//! | [`statics`] | rods brought to rest |
//! | [`alone`] | a step of a rod that touches nothing |
//! | [`band`] | symmetric band matrices and their factors: the operator of every rod's step |
//! | [`ball`], [`body`] | rigid balls, and what can be in contact |
//! | [`contact`] | where bodies touch |
//! | [`friction`] | frictional contact problems by themselves, and solvers for them |
//! | [`one_step`] | velocities and impulses that satisfy the equations of motion and Coulomb's law together |
//! | [`world`], [`step`](mod@step) | what a run consists of, and one step of it |
//! | [`state_file`] | what a checkpoint holds |

pub mod alone;
pub mod ball;
pub mod band;
mod bishop;
pub mod body;
mod chain;
pub mod contact;
pub mod corde;
pub mod discrete_elastic;
mod ends;
pub mod error;
pub mod fixed;
pub mod friction;
pub mod mass_spring;
#[cfg(test)]
mod nodal_tests;
pub mod one_step;
pub mod rod;
pub mod state_file;
pub mod statics;
pub mod step;
pub mod super_helix;
mod unknowns;
pub mod world;
