//! Frictional contact problems `u = W r + b` and their solvers.
//!
//! | module | contents |
//! |---|---|
//! | [`problem`] | validated problems, and the error of a solution |
//! | [`cone`] | the friction cone, and Coulomb's law as a projection onto it |
//! | [`alart_curnier`] | Coulomb's law as the zero of a function, with derivatives |
//! | [`local`] | residual and derivatives of the law of one contact |
//! | [`smooth_law`] | a smoothed Alart-Curnier function |
//! | [`one_contact`] | the exact solution of a single contact |
//! | [`newton`] | nonsmooth Newton method with line search |
//! | [`gauss_seidel`] | nonlinear block Gauss-Seidel, one contact at a time |
//! | [`interior_point`] | primal-dual interior-point method |
//! | `second_order_cone` | the algebra of its cones |
//! | `ordering`, `fronts`, `block_lu` | sparse LU factorization with the block pattern of `W` |
//! | [`continuation`] | path following through smoothed problems |
//! | [`auto`] | all methods, in order of cost |
//! | [`file`](mod@file) | problems in JSON files |
//! | [`report`] | solver reports |

pub mod alart_curnier;
pub mod auto;
mod block_lu;
pub mod cone;
pub mod continuation;
pub mod file;
mod fronts;
pub mod gauss_seidel;
pub mod interior_point;
pub mod local;
pub mod newton;
mod newton_system;
pub mod one_contact;
mod ordering;
pub mod problem;
pub mod report;
mod second_order_cone;
pub mod smooth_law;
