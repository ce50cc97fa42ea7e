//! Scenes, the run loop, pictures, validation and benchmarks: everything behind the `fibra` command.
//!
//! | module | holds |
//! |---|---|
//! | [`appearance`] | how a scene looks, for pictures, the viewer and export |
//! | [`assembly`] | from a scene to a simulation ready to run |
//! | [`benchmark`] | the benchmarks and what they measure |
//! | [`checkpoint`] | a simulation's state and its place in the run, as a file |
//! | [`cli`] | the command line: one file per subcommand, exit codes |
//! | [`elastons_measures`] | strain, volume and parts of elastons, and whether they are in colliders |
//! | [`elastons_simulation`] | elastons as a simulation |
//! | [`export`] | frames as files for other programs |
//! | [`friction_file`] | frictional contact problems from other programs |
//! | [`hair_measures`] | how much room hair takes up, how far it is stretched, and whether it is in the head |
//! | [`hair_simulation`] | hair as a simulation |
//! | [`mesh_measures`] | how far cloth and fibres are stretched, and whether they are in colliders |
//! | [`mpm_simulation`] | the material point method as a simulation |
//! | [`rods_measures`] | masses, energies, stretch and gaps of rods and balls |
//! | [`rods_simulation`] | rods and balls in contact as a simulation |
//! | [`picture`] | what a frame of a scene looks like |
//! | [`plot`] | a run's numbers as charts |
//! | [`progress`] | what a run says while it goes |
//! | [`run_expectations`] | whether what a scene expects came true |
//! | [`run_folder`] | which file of a run lies where |
//! | [`run_loop`] | from the first frame to the last |
//! | [`run_report`] | `run.json` |
//! | [`render`] | pictures of a scene with no GPU and no display |
//! | [`scene`] | scene files: model, loading, checks, built-in scenes |
//! | [`simulation`] | the one interface the run loop knows a method by |
//! | [`validation`] | the physical validation cases and what a comparison is |
//! | [`view`] | the page in the browser that plays a run, and its server |

pub mod appearance;
pub mod assembly;
pub mod benchmark;
pub mod checkpoint;
pub mod cli;
pub mod device;
pub mod elastons_measures;
pub mod elastons_simulation;
pub mod export;
pub mod friction_file;
pub mod hair_measures;
pub mod hair_simulation;
pub mod mesh_measures;
pub mod mpm_simulation;
pub mod picture;
pub mod plot;
pub mod progress;
pub mod render;
pub mod rods_measures;
pub mod rods_simulation;
pub mod run_expectations;
pub mod run_folder;
pub mod run_loop;
pub mod run_report;
pub mod scene;
pub mod simulation;
pub mod validation;
pub mod view;
