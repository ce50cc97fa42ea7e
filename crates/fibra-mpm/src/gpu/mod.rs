//! The material point method on a graphics card.
//!
//! [`sim::DeviceMpm`] holds the particles of a run on a device and moves them on; the stages of a step are those of the processor, each beside the
//! one it mirrors:
//!
//! | module | does |
//! |---|---|
//! | [`sim`] | steps one after the other, without waiting for the device; sorts when a particle has drifted too far |
//! | [`fixed_steps`] | steps of a given length, with a grid that is made anew in each: for what moves many cells between them |
//! | [`clock`] | chooses the length of each step on the device |
//! | [`particles`] | the particles' numbers on the device |
//! | `bounds`, `gift`, `p2g`, `grid_update`, `g2p`, `stencil` | the transfers and the grid's update |
//! | `meshes`, `elements` | curves and surfaces |
//! | `grains` | grains that are only drawn |
//!
//! Explicit steps only. Grid blocks exist only where particles are, and a step takes five launches (four more with meshes, two with grains that are drawn).
//!
//! The result is the same bits every time on the same device: sums that many units add to are sums of integers ([`p2g`]), all others have a fixed order.

// The macros of CubeCL make items that nobody can describe.
#![allow(missing_docs)]
// In kernels `&&` need not spare its second half, there are no ranges to ask, what is not below the largest number may be no number, and
// stages take what they read and write one by one.
#![allow(clippy::collapsible_if, clippy::manual_range_contains, clippy::neg_cmp_op_on_partial_ord)]
#![allow(clippy::too_many_arguments)]

mod anisotropic_laws;
mod bounds;
pub mod clock;
mod elements;
pub mod fixed_steps;
mod g2p;
mod gift;
mod grains;
mod grid_update;
pub mod laws;
mod meshes;
mod p2g;
pub mod particles;
pub mod sim;
mod stencil;
pub mod substances;
