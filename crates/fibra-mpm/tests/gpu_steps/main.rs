//! Compares the device with the CPU: one step of random states, and many steps of small scenes.
#![cfg(feature = "gpu")]

// The scenes of the CPU tests; these tests use only some of them.
#[path = "../step/scene.rs"]
#[allow(dead_code)]
mod scene;

// These tests use only some of these scenes, too.
#[path = "../mesh/scene.rs"]
#[allow(dead_code)]
mod mesh_scene;

mod clock;
mod grains;
mod sim;
mod steps;
