//! Scenes, the run loop, pictures, validation and benchmarks: everything behind the `fibra` command.
//!
//! | module | holds |
//! |---|---|
//! | [`simulation`] | the one interface the run loop knows a method by |

pub mod bench;
pub mod simulation;
