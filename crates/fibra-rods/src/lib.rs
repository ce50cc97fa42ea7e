//! Thin elastic rods in contact, with Coulomb's law of friction satisfied exactly at the end of every step [Bertails2011].
//!
//! | module | holds |
//! |---|---|
//! | [`rod`] | what a rod model must answer, and what a rod is made of |
//! | [`band`] | symmetric band matrices and their factors: the operator of every rod's step |
//! | [`friction`] | frictional contact problems and their solvers |

pub mod band;
pub mod friction;
pub mod rod;
