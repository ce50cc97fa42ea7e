//! The device against the processor: one step of random states, and many steps of small scenes.
#![cfg(feature = "gpu")]

#[path = "../step/scene.rs"]
#[allow(dead_code)]
mod scene;

#[path = "../mesh/scene.rs"]
#[allow(dead_code)]
mod mesh_scene;

mod grains;
mod steps;
