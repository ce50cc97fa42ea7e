//! GPU infrastructure shared by the methods: devices, memory, prefix sums, sorting and a sparse grid.
//!
//! Kernels are written in Rust with CubeCL and run on CUDA and on Vulkan (Metal on macOS). The kernels of a method are in the method's crate,
//! beside the CPU stages that they mirror. This crate contains no physics except contact with colliders.
//!
//! | module | contents |
//! |---|---|
//! | [`device`] | opens a device, or explains why there is none; device errors |
//! | [`device_sim`] | the contract of simulations on a device: upload, advance, download, wait |
//! | [`buffer`] | arrays on the device |
//! | [`launch`] | number of thread blocks (CubeCL: cubes of units) of a kernel launch |
//! | [`vector`] | vectors in kernels |
//! | [`rod_joint`], [`edge_frames`] | bending and twisting of discrete elastic rods, and their directors |
//! | [`colliders`] | colliders: distances, contact response and motion |
//! | [`prefix_sum`] | exclusive prefix sums |
//! | [`radix_sort`] | stable sort of key-value pairs |
//! | [`unique`] | the distinct numbers of a sorted array |
//! | [`block_grid`] | occupied blocks of a sparse grid and their neighbors, for sorted particles |
//! | [`chunks`] | chunks of a block's particles, one per thread block |
//! | [`hash_grid`] | the same grid for unsorted particles, rebuilt in every step |
//!
//! All modules except [`hash_grid`] are bitwise deterministic: no result depends on the order in which threads run.
//!
//! Without the feature `gpu` the crate is empty.

#![cfg(feature = "gpu")]

pub mod block_grid;
pub mod buffer;
pub mod chunks;
pub mod colliders;
pub mod device;
pub mod device_sim;
pub mod edge_frames;
pub mod hash_grid;
pub mod launch;
pub mod prefix_sum;
pub mod radix_sort;
pub mod rod_joint;
pub mod unique;
pub mod vector;

pub use buffer::Buffer;
pub use colliders::DeviceColliders;
pub use cubecl::Runtime;
pub use device::{CudaGpu, DeviceError, Gpu, VulkanGpu};
pub use device_sim::{DeviceSim, DeviceStage};
