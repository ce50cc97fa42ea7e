//! The stages of hair on a graphics card, beside those of the processor that they mirror.
//!
//! | module | mirrors | does |
//! |---|---|---|
//! | [`sim`] | [`HairSim`](crate::HairSim) | [`DeviceHair`](sim::DeviceHair): all of it |
//! | [`hair_device`] | | [`HairDevice`](hair_device::HairDevice): hair on whichever device, as programs use it |
//! | [`strands`] | [`strands`](crate::strands) | strands in the device's memory |
//! | [`predict`] | [`predict`](mod@crate::predict) | change of velocities: one kernel for head, system and solution |
//! | [`settle`](mod@settle) | [`settle`](mod@crate::settle) | lengths, bends, penetration and frames at the end of a step: one kernel |
//! | `limit` | [`settle`](mod@crate::settle) | its part that goes from vertex to vertex |
//! | [`device_grid`] | [`grid`](mod@crate::grid) | the grid between strands |
//! | [`grid`](mod@grid) | `workspace.rs` | transfers between strands and particles |
//! | [`interpolation`] | [`GuidedStrands`](fibra_core::geometry::GuidedStrands) | render strands, interpolated |
//! | `head`, `assembly`, `joint`, `frames` | those | parts of kernels |
//! | [`classes`] | | strands of similar length, for launches of their own |
//! | `team` | | the threads (CubeCL: units) that share a strand, and how they exchange numbers |
//! | `band` | [`band`](crate::band) | `L D L^T` of a band matrix by a team |
//! | [`ldl`] | [`band`](crate::band) | many systems that are in the device's memory |
//! | `vector` | | vectors in arrays and as arguments of kernels |

mod assembly;
mod band;
pub mod classes;
pub mod device_grid;
mod frames;
pub mod grid;
pub mod hair_device;
mod head;
pub mod interpolation;
#[doc(hidden)]
pub mod joint;
pub mod ldl;
mod limit;
pub mod predict;
pub mod settle;
pub mod sim;
pub mod strands;
mod team;
mod vector;
