//! Tests of [`MpmSim`](fibra_mpm::MpmSim), of the step and of its stages, through the public interface: comparison with a naive
//! `f64` version, conservation laws, thread counts, and invalid or extreme scenes.

mod anisotropy;
mod colliders;
mod conservation;
mod determinism;
mod naive;
mod robustness;
mod scene;
mod sim;
mod transfers;
