//! Scenes, the run loop, pictures, validation and benchmarks: everything behind the `fibra` command.
//!
//! | module | holds |
//! |---|---|
//! | [`checkpoint`] | a simulation's state and its place in the run, as a file |
//! | [`progress`] | what a run says while it goes |
//! | [`run_folder`] | which file of a run lies where |
//! | [`run_loop`] | from the first frame to the last |
//! | [`run_report`] | `run.json` |
//! | [`simulation`] | the one interface the run loop knows a method by |

pub mod checkpoint;
pub mod progress;
pub mod run_folder;
pub mod run_loop;
pub mod run_report;
pub mod simulation;
