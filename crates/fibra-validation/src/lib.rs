//! Physics of Fibra compared with closed forms and measurements, and benchmarks.
//!
//! | module | holds |
//! |---|---|
//! | [`Case`] | the name and the work of either |
//! | [`validation`] | each case computes a number and the reference it must meet |
//! | [`benchmark`] | how long steps, solves, pictures and export take |

pub mod benchmark;
mod case;
pub mod validation;

pub use case::Case;
