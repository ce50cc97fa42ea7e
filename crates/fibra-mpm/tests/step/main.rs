//! The step and its stages, seen from outside: against a naive `f64` version, against conservation laws, for any
//! number of threads, and on scenes that nobody meant to run; and the front door, `MpmSim`.

mod anisotropy;
mod colliders;
mod conservation;
mod determinism;
mod naive;
mod robustness;
mod scene;
mod sim;
mod transfers;
