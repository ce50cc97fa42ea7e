//! Hair on every device there is, against the CPU: its parts, its stages, and whole frames.
#![cfg(feature = "gpu")]

mod classes;
mod flight;
mod hair;
mod joints;
mod ldl;
mod stages;
