//! Scenes, the run loop, pictures, validation and benchmarks: everything behind the `fibra` command.
//!
//! | module | holds |
//! |---|---|
//! | [`render`] | pictures of a scene with no GPU and no display |
//! | [`simulation`] | the one interface the run loop knows a method by |

pub mod render;
pub mod simulation;
