//! Curves and surfaces in whole steps: conservation, motion, and determinism.

mod conservation;
mod determinism;
mod motion;
mod scene;
