//! Runs Fibra's simulations: from a scene to a folder of frames that can be resumed, drawn, viewed and exported.
//!
//! A [`Job`] is a scene with the simulation built for it; [`Job::run`] takes it from the first frame to the last. What a run computes
//! depends on the scene alone: interruptions, checkpoints and the number of threads leave no trace in its frames.
//!
//! ```
//! use fibra_run::{Existing, Job, RunOptions};
//!
//! let folder = std::env::temp_dir().join(format!("fibra-run-doctest-{}", std::process::id()));
//! let mut job = Job::load("jelly-drop", None, &["mpm.dx=0.06".to_owned()], Some(2))?;
//! let outcome = job.run(&folder, &RunOptions { existing: Existing::Replace, ..RunOptions::default() })?;
//! assert_eq!(outcome.report.frames, 2);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`job`] | a scene and its simulation, and how to run it in a folder |
//! | [`simulation`] | the interface by which the run loop knows a method |
//! | [`methods`] | the four methods behind that interface |
//! | [`run_loop`] | from the first frame to the last |
//! | [`folder`], [`checkpoint`], [`report`] | the run folder, the state to resume from, `run.json` |
//! | [`mod@scene_hash`] | whether two runs compute the same |
//! | [`expectations`] | checks of what a scene expects of its end |
//! | [`progress`] | how a run reports progress |
//! | [`quantity_groups`] | which quantities are plotted together |
//! | [`appearance`] | how a run looks, for pictures, the viewer and export |
//! | [`export`] | frames as files for other programs |
//! | [`device`] | where to compute: the CPU, or a GPU (feature `gpu`) |

pub mod appearance;
pub mod checkpoint;
pub mod device;
pub mod expectations;
pub mod export;
pub mod folder;
pub mod job;
pub mod methods;
pub mod progress;
pub mod quantity_groups;
pub mod report;
pub mod run_loop;
pub mod scene_hash;
pub mod simulation;

pub use device::{Card, Device};
pub use folder::{IfTaken, RunFolder};
pub use job::{Existing, Job, RunOptions, Unchecked};
pub use methods::simulation_of;
pub use report::RunReport;
pub use run_loop::{Outcome, RunError};
pub use simulation::{Failure, Simulation};
