//! The one-step problem: velocities at the end of a step and impulses at its contacts that satisfy the equations of motion and
//! Coulomb's law together [Bertails2011, Eq. 7].
//!
//! | module | holds |
//! |---|---|
//! | [`rows`] | contacts as rows of `J`, with the velocities their impulses cause |
//! | [`islands`] | groups of bodies that are not in touch with others |
//! | [`sweeps`] | Gauss-Seidel over contacts that keeps the velocities |
//! | [`anderson`] | what makes sweeps converge sooner |
//! | [`newton`] | Newton's method for all contacts at once, condensed onto the velocities |
//! | [`multifrontal`] | sparse LU factors for it |
//! | [`solve`] | which of them when, and what came of it |

pub mod anderson;
pub mod islands;
pub mod multifrontal;
pub mod newton;
pub mod rows;
pub mod solve;
pub mod sweeps;
