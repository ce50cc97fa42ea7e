//! Thin elastic rods in contact, with Coulomb's law of friction satisfied exactly at the end of every step [Bertails2011].
//!
//! | module | holds |
//! |---|---|
//! | [`rod`] | what a rod model must answer, and what a rod is made of |
//! | [`error`] | why a rod cannot be made |
//! | [`mass_spring`] | the model of masses and springs |
//! | [`discrete_elastic`] | the discrete elastic rod |
//! | [`statics`] | rods brought to rest |
//! | [`band`] | symmetric band matrices and their factors: the operator of every rod's step |

pub mod band;
mod chain;
pub mod discrete_elastic;
pub mod error;
pub mod mass_spring;
#[cfg(test)]
mod nodal_tests;
pub mod rod;
pub mod statics;
mod unknowns;
