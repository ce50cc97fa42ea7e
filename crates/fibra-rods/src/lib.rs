//! Thin elastic rods in contact, with Coulomb's law of friction satisfied exactly at the end of every step [Bertails2011].
//!
//! | module | holds |
//! |---|---|
//! | [`rod`] | what a rod model must answer, and what a rod is made of |
//! | [`band`] | symmetric band matrices and their factors: the operator of every rod's step |
//! | [`ball`], [`body`] | rigid balls, and what can be in contact |
//! | [`contact`] | where bodies touch |
//! | [`one_step`] | velocities and impulses that satisfy the equations of motion and Coulomb's law together |
//! | [`world`], [`step`](mod@step) | what a run consists of, and one step of it |

pub mod ball;
pub mod band;
pub mod body;
pub mod contact;
pub mod one_step;
pub mod rod;
pub mod step;
pub mod world;
