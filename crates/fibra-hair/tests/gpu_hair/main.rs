//! Compares hair on every available device with the CPU: parts, stages and whole frames.
#![cfg(feature = "gpu")]

mod classes;
mod flight;
mod hair;
mod joints;
mod ldl;
mod stages;
