//! Hair in real time [Huang2023]: every strand is an elastic rod that moves by itself.
//!
//! | module | holds |
//! |---|---|
//! | [`material`], [`error`] | what strands are made of, and why they cannot be made |
//! | [`frames`] | directors of edges, carried along in time |
//! | [`joint`] | bending and twisting at one vertex |
//! | [`lanes`] | numbers of several strands side by side |
//! | [`band`] | symmetric band matrices of several strands, factored and solved together |

pub mod band;
pub mod error;
pub mod frames;
pub mod joint;
pub mod lanes;
pub mod material;
