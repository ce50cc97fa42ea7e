//! What the methods share on a graphics card: opening a device, memory on it, sums, sorting and a sparse grid.
//!
//! Kernels are written in Rust with CubeCL and run on CUDA and on Vulkan (Metal on macOS). Those of a method are in the method's crate,
//! beside the stages of the processor that they mirror; what is here knows no physics.
//!
//! | module | does |
//! |---|---|
//! | [`device`] | opens a device, or says why there is none; names what went wrong on it |
//! | [`device_sim`] | the contract of simulations on a device: upload, advance, download, wait |
//! | [`buffer`] | arrays on the device |
//! | [`launch`] | how many blocks (CubeCL: cubes) of threads (units) a kernel is started with |
//! | [`vector`] | vectors in kernels |
//! | [`colliders`] | bodies that push material |
//! | [`prefix_sum`] | sums before each place of an array |
//! | [`radix_sort`] | sorts pairs of numbers, keeping the order of equals |
//! | [`unique`] | the distinct numbers of a sorted array |
//! | [`block_grid`] | the occupied blocks of a sparse grid and their neighbors, for particles that are sorted |
//! | [`pieces`] | the parts of a block's particles that cubes work on |
//! | [`hash_grid`] | the same for particles that stay where they are, found anew in every step |
//!
//! All of it but [`hash_grid`] gives the same bits every time: none of the results depends on the order in which threads run.
//!
//! Without the feature `gpu` the crate is empty.

#![cfg(feature = "gpu")]

pub mod block_grid;
pub mod buffer;
pub mod colliders;
pub mod device;
pub mod device_sim;
pub mod hash_grid;
pub mod launch;
pub mod pieces;
pub mod prefix_sum;
pub mod radix_sort;
pub mod unique;
pub mod vector;

pub use buffer::Buffer;
pub use colliders::DeviceColliders;
pub use cubecl::Runtime;
pub use device::{CudaGpu, DeviceError, Gpu, VulkanGpu};
pub use device_sim::{DeviceSim, DeviceStage};
