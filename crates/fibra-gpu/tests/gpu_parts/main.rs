//! Shared GPU modules on every available device, compared with the CPU.
#![cfg(feature = "gpu")]

mod colliders;
mod hash_grid;
mod primitives;
mod random;
mod small_matrices;
