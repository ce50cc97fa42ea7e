//! Curves and surfaces in a whole step: what they conserve, where they go, and that they do so to the bit.

mod conservation;
mod determinism;
mod motion;
mod scene;
