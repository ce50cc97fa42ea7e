//! Benchmarks.
pub mod pcg64;
pub mod peer_block;
