//! Scenes, the run loop, pictures, validation and benchmarks: everything behind the `fibra` command.
//!
//! | module | holds |
//! |---|---|
//! | [`scene`] | scene files: model, loading, checks, built-in scenes |
//! | [`simulation`] | the one interface the run loop knows a method by |

pub mod scene;
pub mod simulation;
