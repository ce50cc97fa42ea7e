//! Tests of the step and its stages through the public interface: against a naive `f64` version, conservation laws, thread counts,
//! and invalid or extreme scenes; and of [`MpmSim`](fibra_mpm::MpmSim).

mod anisotropy;
mod colliders;
mod conservation;
mod determinism;
mod naive;
mod robustness;
mod scene;
mod sim;
mod transfers;
