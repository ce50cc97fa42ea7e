//! Hair in real time [Huang2023]: every strand is an elastic rod that moves by itself.
//!
//! | module | holds |
//! |---|---|
//! | [`lanes`] | numbers of several strands side by side |
//! | [`band`] | symmetric band matrices of several strands, factored and solved together |

pub mod band;
pub mod lanes;
