//! Hair in real time [Huang2023]: every strand is an elastic rod that moves by itself.
//!
//! [`strands::Strands`] are made from polylines; [`step::step`] moves them by one step, or its stages do, with others in between.
//!
//! | module | holds |
//! |---|---|
//! | [`material`], [`params`] | what strands are made of, and how they move |
//! | [`strands`] | strands, their state and scratch; [`error`]: why they cannot be |
//! | [`step`](mod@step) | one step, and its stages |
//! | [`head`] | how strands follow the head |
//! | [`stretch`], [`joint`] | stretching of an edge, bending and twisting at a vertex |
//! | [`frames`] | directors of edges, carried along in time |
//! | [`lanes`], [`group`] | numbers of several strands side by side, and those strands |
//! | [`assembly`], [`band`] | the system of a step, and its solution; [`random_band`]: systems to try solvers on |
//!
//! Differences from the paper: twist has the stiffness of a rod ([`material`]); frames are the material's own, carried along in time, so that there
//! are no angles from reference frames to keep; sharp bends are clamped as shapes, not as numbers ([`joint`]); the system is solved for the change
//! of velocities ([`assembly`]); tension counts against turning an edge ([`stretch`]). Angles have more inertia than hair has.
//!
//! Limitations: round sections, one material for all strands.
//!
//! The result is the same bits for any number of threads and any vector width.

pub mod assembly;
pub mod band;
pub mod body;
pub mod error;
pub mod frames;
pub mod grid;
pub mod group;
pub mod head;
pub mod joint;
pub mod lanes;
pub mod material;
pub mod params;
pub mod random_band;
pub mod sim;
pub mod state_file;
pub mod step;
pub mod strands;
pub mod stretch;
