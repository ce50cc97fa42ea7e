//! Tests of the shared GPU modules on every available device, against the CPU.
#![cfg(feature = "gpu")]

mod colliders;
mod hash_grid;
mod primitives;
mod random;
mod small_matrices;
