//! What every Fibra method shares. No paper lives here.
//!
//! | module | holds |
//! |---|---|
//! | [`frame`] | what one moment of a run looks like to the outside: points, attributes, collider poses |
//! | [`geometry`] | meshes and their files, shapes, motions, colliders, filling shapes with particles |
//! | [`random`] | random numbers that depend on a seed and an index alone |

pub mod frame;
pub mod geometry;
pub mod random;
