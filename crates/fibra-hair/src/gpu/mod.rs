//! The stages of hair on a GPU, next to the CPU stages that they mirror.
//!
//! | module | mirrors | purpose |
//! |---|---|---|
//! | [`sim`] | [`HairSim`](crate::HairSim) | [`DeviceHair`](sim::DeviceHair): the whole simulation |
//! | [`hair_device`] | | [`HairDevice`](hair_device::HairDevice): hair on any device, behind a trait object |
//! | [`strands`] | [`strands`](crate::strands) | strands in device memory |
//! | [`predict`] | [`predict`](mod@crate::predict) | velocity change: one kernel for head motion, assembly and solve |
//! | [`settle`](mod@settle) | [`settle`](mod@crate::settle) | lengths, bends, penetration and frames at the end of a step: one kernel |
//! | `limit` | [`settle`](mod@crate::settle) | the sequential part of `settle` along a strand |
//! | [`device_grid`] | [`grid`](mod@crate::grid) | contact grid |
//! | [`grid`](mod@grid) | `workspace.rs` | transfers between strands and particles |
//! | [`interpolation`] | [`GuidedStrands`](fibra_core::geometry::GuidedStrands) | render strands, interpolated |
//! | `head`, `assembly`, [`stretch`] | same names | parts of kernels; joints and directors are in [`fibra_gpu::rod_joint`] and [`fibra_gpu::edge_frames`] |
//! | [`classes`] | | strands of similar length, for separate launches |
//! | `team` | | the threads (CubeCL: units) that share a strand, and their data exchange |
//! | `band` | [`band`](crate::band) | `L D L^T` of a band matrix by a team |
//! | [`ldl`] | [`band`](crate::band) | many systems in device memory |
//! | `vector` | | vectors in arrays and as kernel arguments |

mod assembly;
mod band;
pub mod classes;
pub mod device_grid;
pub mod grid;
pub mod hair_device;
mod head;
pub mod interpolation;
#[doc(hidden)]
pub mod ldl;
mod limit;
pub mod predict;
pub mod settle;
pub mod sim;
pub mod strands;
#[doc(hidden)]
pub mod stretch;
mod team;
mod vector;
