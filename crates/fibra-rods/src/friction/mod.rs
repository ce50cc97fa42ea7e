//! Frictional contact problems `u = W r + b` and their solvers.
//!
//! | module | holds |
//! |---|---|
//! | [`problem`] | the problem, checked, and the error of a solution |
//! | [`cone`] | the friction cone and Coulomb's law as a projection on it |
//! | [`alart_curnier`] | Coulomb's law as the zero of a function, with derivatives |
//! | [`local`] | what a Newton method must know of a contact's law |
//! | [`smooth_law`] | the same function with its corners rounded |
//! | [`one_contact`] | the exact solution of a single contact |
//! | [`newton`] | nonsmooth Newton method with line search |
//! | [`gauss_seidel`] | contact by contact |
//! | [`continuation`] | along a path of smooth problems |
//! | [`auto`] | all of them, in the order of their cost |
//! | [`file`](mod@file) | problems as other programs write them, in JSON |
//! | [`report`] | how well a problem was solved |

pub mod alart_curnier;
pub mod auto;
pub mod cone;
pub mod continuation;
pub mod file;
pub mod gauss_seidel;
pub mod local;
pub mod newton;
mod newton_system;
pub mod one_contact;
pub mod problem;
pub mod report;
pub mod smooth_law;
