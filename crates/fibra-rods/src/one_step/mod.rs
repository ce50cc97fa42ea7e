//! The one-step problem: velocities at the end of a step and contact impulses that satisfy the equations of motion and Coulomb's law together
//! [Bertails2011, Eq. 7].
//!
//! | module | contents |
//! |---|---|
//! | [`rows`] | contacts as rows of `J`, with the velocity changes per impulse |
//! | [`islands`] | connected components of the contact graph |
//! | [`sweeps`] | matrix-free Gauss-Seidel over contacts |
//! | [`anderson`] | Anderson acceleration of the sweeps |
//! | [`newton`] | Newton's method for all contacts at once, condensed onto the velocities |
//! | [`interior_point`] | interior-point method for all contacts at once, condensed likewise |
//! | [`multifrontal`] | sparse LU factorization for Newton's method |
//! | [`solve`] | solver selection, settings and reports |

pub mod anderson;
pub mod interior_point;
pub mod islands;
pub mod multifrontal;
pub mod newton;
pub mod rows;
pub mod solve;
pub mod sweeps;
