//! Hair in real time [Huang2023]: every strand is an elastic rod that moves by itself, and a grid between the strands corrects what they do.
//!
//! [`sim::HairSim`] is all of it, for a loop that somebody else runs. One step of it:
//!
//! | stage | module | does |
//! |---|---|---|
//! | head | [`head`] | what goes beyond the limits of a step is a rigid motion of everything; roots follow the head |
//! | build, solve | [`step`](mod@step): `predict` | each strand finds how its velocities want to change: one linear system, semi-implicit |
//! | sort, p2g, grid_update, g2p | [`grid`], [`fibra_mpm`] | the vertices are particles of sand or of a liquid; several short steps, each with its share of the change |
//! | settle | [`settle`](mod@settle) | lengths and bends within their limits, vertices out of bodies, frames carried along |
//!
//! | module | holds |
//! |---|---|
//! | [`material`], [`params`], [`grid`] | what strands are made of, how they move, how they feel each other |
//! | [`strands`] | strands, their state and scratch; [`error`]: why they cannot be; [`state_file`]: checkpoints |
//! | [`body`] | what hair bumps into: rigid bodies, on the head or not, and meshes that deform |
//! | [`stretch`], [`joint`] | stretching of an edge, bending and twisting at a vertex |
//! | [`frames`] | directors of edges, carried along in time |
//! | [`lanes`], [`group`] | numbers of several strands side by side, and those strands |
//! | [`assembly`], [`band`] | the system of a step, and its solution; [`random_band`]: systems to try solvers on |
//! | `gpu` | the same stages on a graphics card, with the feature of that name |
//!
//! Differences from the paper: twist has the stiffness of a rod ([`material`]); frames are the material's own, carried along in time, so that there
//! are no angles from reference frames to keep; sharp bends are clamped as shapes, not as numbers ([`joint`]); the system is solved for the change
//! of velocities ([`assembly`]); tension counts against turning an edge ([`stretch`]). Angles have more inertia than hair has. After each step of the strands
//! their lengths and bends are held at positions, and vertices are put out of bodies: with the grid alone, folds and stretches of one edge
//! never relax and stir the hair for ever. Bodies may be meshes that move and deform, and where the head leaps, they leap along.
//!
//! Limitations: round sections, one material for all strands. Strands feel each other through cells of a centimetre: two that cross are not told
//! apart within one. Bodies are not pushed.
//!
//! The result is the same bits for any number of threads and any vector width.

pub mod assembly;
pub mod band;
pub mod body;
pub mod error;
pub mod frames;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod grid;
pub mod group;
pub mod head;
pub mod joint;
pub mod lanes;
pub mod material;
pub mod params;
pub mod random_band;
pub mod settle;
pub mod sim;
pub mod state_file;
pub mod step;
pub mod strands;
pub mod stretch;
