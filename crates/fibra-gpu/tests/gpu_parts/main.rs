//! The parts that methods share, on every device there is, against the CPU.
#![cfg(feature = "gpu")]

mod colliders;
mod hash_grid;
mod primitives;
mod random;
mod small_matrices;
