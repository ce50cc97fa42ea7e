//! The material point method.
