//! Validation cases, which compare Fibra with closed forms and measurements, and benchmarks.
//!
//! | item | contents |
//! |---|---|
//! | [`Case`] | name, description and function of a validation case or benchmark |
//! | [`validation`] | cases that compute numbers and compare them with reference values |
//! | [`scenes`] | runs of built-in scenes to their end, which check their expectations |
//! | [`benchmark`] | timings of steps, solvers, pictures and export |

pub mod benchmark;
mod case;
pub mod scenes;
pub mod validation;

pub use case::Case;
