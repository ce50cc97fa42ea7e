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
//! | [`statics`] | rods brought to rest |
//! | [`alone`] | a step of a rod that touches nothing |
//! | [`band`] | symmetric band matrices and their factors: the operator of every rod's step |

pub mod alone;
pub mod band;
mod bishop;
mod chain;
pub mod corde;
pub mod discrete_elastic;
mod ends;
pub mod error;
pub mod mass_spring;
#[cfg(test)]
mod nodal_tests;
pub mod rod;
pub mod statics;
pub mod super_helix;
mod unknowns;
