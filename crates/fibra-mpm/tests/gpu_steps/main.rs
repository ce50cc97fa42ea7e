//! The device against the processor: one step of random states, and many steps of small scenes.
#![cfg(feature = "gpu")]

// The scenes of the processor's tests, of which these need only some.
#[path = "../step/scene.rs"]
#[allow(dead_code)]
mod scene;

// Likewise: of these scenes, too, only some are needed.
#[path = "../mesh/scene.rs"]
#[allow(dead_code)]
mod mesh_scene;

mod clock;
mod grains;
mod sim;
mod steps;
