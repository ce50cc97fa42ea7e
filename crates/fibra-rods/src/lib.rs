//! Thin elastic rods in contact, with Coulomb's law of friction satisfied exactly at the end of every step [Bertails2011].
//!
//! | module | holds |
//! |---|---|
//! | [`rod`] | what a rod model must answer, and what a rod is made of |
//! | [`error`] | what makes a rod impossible |
//! | [`super_helix`] | pieces of constant curvature and twist: inextensible, few unknowns, dense |
//! | [`corde`] | nodes and quaternions held together by penalties |
//! | [`alone`] | a step of a rod that touches nothing |
//! | [`band`] | symmetric band matrices and their factors: the operator of every rod's step |

pub mod alone;
pub mod band;
mod bishop;
pub mod corde;
mod ends;
pub mod error;
pub mod rod;
pub mod statics;
pub mod super_helix;
pub mod unknowns;
