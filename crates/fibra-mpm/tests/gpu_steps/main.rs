//! Compares the device with the CPU: one step of random states, and many steps of small scenes.
#![cfg(feature = "gpu")]

// Scenes shared with the CPU tests. Some of their functions are not used here.
#[path = "../step/scene.rs"]
#[allow(dead_code)]
mod scene;

// Meshes shared with the CPU tests. Some of their functions are not used here.
#[path = "../mesh/scene.rs"]
#[allow(dead_code)]
mod mesh_scene;

mod clock;
mod grains;
mod sim;
mod steps;
