//! Fibra simulates cloth, hair, rods and granular materials with frictional contact.
//!
//! This crate re-exports the public API of all Fibra crates. Each method can also be used alone, from its own crate.
//!
//! | task | use |
//! |---|---|
//! | run a scene file or a built-in scene | [`run::Job`], [`scene::Scene`] |
//! | simulate solids, grains, liquids, cloth or yarns from your own program | [`mpm::MpmSim`] |
//! | simulate rods with exact Coulomb friction | [`rods::RodSim`] |
//! | simulate hair in real time | [`hair::HairSim`] |
//! | simulate rods, shells and solids without a mesh | [`elastons::ElastonSim`] |
//! | read and write meshes, curves and whole runs | [`exchange`] |
//! | draw pictures and charts | [`render`] |
//! | show a run in a browser | [`view`] |
//!
//! The four simulations have similar interfaces: settings with defaults, `advance`, `positions`, `velocities`, `quantities`, colliders and pins that the
//! caller can move, `save` and `load`. They differ where the methods do:
//!
//! | | MPM | rods | elastons | hair |
//! |---|---|---|---|---|
//! | add objects | to a builder | to the simulation | to a builder | to a builder |
//! | fixed parts | `MpmPin` | `End::clamped()` | `hold` | the first `pinned` vertices of a strand, which follow the head |
//! | `advance` takes | a duration | a duration | a duration | the pose of the head and a duration |
//! | positions | `f64` | `f64` | `f64` | `f32` |
//!
//! # Dependencies
//!
//! Fibra is not on crates.io. Copy the repository, and depend by path on this crate or on the crate of one method. The crate of one method compiles
//! faster than this one.
//!
//! ```toml
//! [dependencies]
//! fibra = { path = "path/to/fibra/crates/fibra" }
//! ```
//!
//! The prelude has the vector types in use; `fibra::glam` is the whole `glam` crate. Each crate is a module here: where an example of a crate says
//! `use fibra_mpm::materials`, write `use fibra::mpm::materials`.
//!
//! # Example
//!
//! ```
//! use fibra::prelude::*;
//!
//! // A cord that is clamped at one end bends under its own weight.
//! let mut sim = RodSim::new(RodSettings::default())?;
//! let cord = sim.add_rod(RodInput {
//!     points: (0..=20).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 0.0)).collect(),
//!     ends: [End::clamped(), End::free()],
//!     ..RodInput::default()
//! })?;
//! sim.advance(0.05)?;
//! assert!(sim.positions_of(cord)?[20].y < -0.005);
//!
//! // Run a built-in scene and write its frames to a folder, as `fibra run` does.
//! let mut job = Job::load("jelly-drop", None, &["mpm.dx=0.06".to_owned()], Some(1))?;
//! let folder = std::env::temp_dir().join(format!("fibra-doctest-{}", std::process::id()));
//! let outcome = job.run(&folder, &RunOptions { existing: Existing::Replace, ..RunOptions::default() })?;
//! assert!(outcome.report.steps > 0);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The command `fibra` is a thin layer over these crates: it parses arguments and prints results.

/// Compiles and runs the Rust code blocks of the documentation. `docs/check.py` checks the other blocks.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/files.md")]
    struct Files;
    #[doc = include_str!("../../../docs/library.md")]
    struct Library;
}

pub use fibra_core as core;
pub use fibra_elastons as elastons;
pub use fibra_exchange as exchange;
pub use fibra_hair as hair;
pub use fibra_mpm as mpm;
pub use fibra_render as render;
pub use fibra_rods as rods;
pub use fibra_run as run;
pub use fibra_scene as scene;
pub use fibra_validation as validation;
pub use fibra_view as view;
pub use glam;

/// The types that most programs need: `use fibra::prelude::*;`
pub mod prelude {
    pub use fibra_core::frame::Frame;
    pub use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
    pub use fibra_elastons::{ElasticMaterial, ElastonObject, ElastonSettings, ElastonSim};
    pub use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput, StrandMaterial};
    pub use fibra_mpm::materials::{ClothParams, ElasticParams, FiberParams, FluidParams, SandParams, SnowParams};
    pub use fibra_mpm::{MaterialSpec, MpmMaterial, MpmObject, MpmPin, MpmSettings, MpmSim};
    pub use fibra_rods::{BallInput, End, RodInput, RodMaterial, RodModel, RodSettings, RodSim};
    pub use fibra_run::{Existing, Job, Outcome, RunFolder, RunOptions, Simulation, simulation_of};
    pub use fibra_scene::{LoadedScene, Scene, SceneError};
    pub use glam::{DQuat, DVec3, Vec3};
}
