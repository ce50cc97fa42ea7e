//! The material point method on GPUs.
//!
//! [`sim::DeviceMpm`] holds the particles of a run on a device and advances them. The stages of a step mirror those on the CPU and have the same
//! names:
//!
//! | module | purpose |
//! |---|---|
//! | [`sim`] | runs steps without waiting for the device; sorts when a particle has drifted too far |
//! | [`fixed_steps`] | steps of given length with a grid that is rebuilt in each step, for particles that move many cells between steps |
//! | [`clock`] | chooses the length of each step on the device |
//! | [`particles`] | particle data on the device |
//! | `bounds`, `contribution`, `p2g`, `grid_update`, `g2p`, `stencil` | the transfers and the grid update |
//! | `meshes`, `elements` | curves and surfaces |
//! | `grains` | display-only grains |
//!
//! Explicit steps only. Grid blocks exist only where particles are. A step takes five launches; meshes add four, display-only grains two.
//!
//! Results are bitwise reproducible on one device. Sums to which many threads contribute are integer sums ([`p2g`]); all other sums have a fixed
//! order.

// The macros of CubeCL generate public items that cannot be documented.
#![allow(missing_docs)]
// In kernels `&&` does not short-circuit and there are no range checks. `!(a < b)` is also true for NaN. Stages take their many inputs and
// outputs as separate arguments.
#![allow(clippy::collapsible_if, clippy::manual_range_contains, clippy::neg_cmp_op_on_partial_ord)]
#![allow(clippy::too_many_arguments)]

mod anisotropic_laws;
mod bending;
mod bounds;
pub mod clock;
mod contribution;
mod element_contact;
mod elements;
pub mod fixed_steps;
mod g2p;
mod grains;
mod grid_update;
pub mod laws;
mod meshes;
mod p2g;
pub mod particles;
pub mod sim;
mod stencil;
pub mod substances;
