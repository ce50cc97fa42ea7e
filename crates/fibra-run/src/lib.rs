//! Runs simulations: from a scene to a folder of frames that can be resumed, rendered, viewed and exported.
//!
//! A [`Job`] is a scene with the simulation built for it; [`Job::run`] runs it from the first frame to the last. On a given
//! device, the frames depend only on the scene, not on interruptions, checkpoints or the number of threads.
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
//! | module | content |
//! |---|---|
//! | [`job`] | a scene and its simulation, and how to run it in a folder |
//! | [`simulation`] | the interface between the run loop and the methods |
//! | [`methods`] | the four methods behind that interface |
//! | [`run_loop`] | steps, frames and checkpoints, from the first frame to the last |
//! | [`folder`], [`checkpoint`], [`report`] | the run folder, the state to resume from, `run.json` |
//! | [`mod@scene_hash`] | a hash of everything in a scene that affects the result |
//! | [`expectations`] | checks of the expectations that a scene states about its end |
//! | [`progress`] | progress reports |
//! | [`quantity_groups`] | the quantities that are plotted together |
//! | [`appearance`] | the appearance of a run, for pictures, the viewer and export |
//! | [`export`] | export of frames to other programs |
//! | [`estimate`] | rough memory and run time, before a run |
//! | [`device`] | the device that computes the steps: the CPU, or a GPU (feature `gpu`) |

pub mod appearance;
pub mod checkpoint;
pub mod device;
pub mod estimate;
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
pub use estimate::{Estimate, RunEstimate};
pub use folder::{IfTaken, RunFolder};
pub use job::{Existing, Job, RunOptions};
pub use methods::simulation_of;
pub use report::{RunReport, Unchecked};
pub use run_loop::{Outcome, RunError};
pub use simulation::{Failure, Simulation};
