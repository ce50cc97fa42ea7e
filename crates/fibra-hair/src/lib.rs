//! Hair in real time [Huang2023]: every strand is an elastic rod that moves by itself, and a grid of the material point method between the
//! strands resolves their contact.
//!
//! [`HairSim`] is the front door. A tuft of hair that swings past a ball:
//!
//! ```
//! use fibra_core::geometry::{RigidPose, Shape};
//! use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
//! use glam::{DVec3, Vec3};
//!
//! let mut builder = HairSim::builder(HairSettings::default());
//! for k in 0..20 {
//!     // 19 cm of hair, hanging from a bar along x; two pinned vertices hold the root's direction.
//!     let points = (0..20).map(|i| Vec3::new(0.002 * k as f32, -0.01 * i as f32, 0.0)).collect();
//!     builder.add_strand(StrandInput { points, pinned: 2, ..StrandInput::default() });
//! }
//! let ball = builder.add_collider(HairCollider::new(Shape::sphere(0.05)?));
//! let mut hair = builder.build()?;
//! hair.place_collider(ball, RigidPose::at(DVec3::new(0.02, -0.15, -0.1)))?;
//! for frame in 1..=30 {
//!     let z = 0.003 * f64::from(frame);
//!     hair.move_collider(ball, RigidPose::at(DVec3::new(0.02, -0.15, z - 0.1)))?;
//!     hair.advance(&RigidPose::IDENTITY, 1.0 / 60.0)?;
//! }
//! assert!(hair.positions()[19].z > 0.02, "the ball pushes the tips");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | noun | is |
//! |---|---|
//! | [`HairSettings`] | what the user sets: [`StrandMaterial`], [`StrandParams`], [`GridSettings`], length of steps |
//! | [`StrandInput`] | a strand to be built: points, rest shape, pinned vertices |
//! | [`HairCollider`] | a rigid body or a deforming mesh, on the head or not; a [`ColliderId`] names it |
//! | [`HairState`] | what a checkpoint holds |
//! | [`HairError`], [`StrandError`] | why hair cannot be built or advanced |
//!
//! One step (`step.rs`):
//!
//! | [`HairStage`] | module | does |
//! |---|---|---|
//! | `head` | [`head`] | moves everything rigidly with the head beyond the limits of a step; roots follow the head |
//! | `build`, `solve` | [`predict`](mod@predict) | predicts the change of velocity of each strand: one linear system, semi-implicit |
//! | `sort`, `p2g`, `grid_update`, `g2p` | [`grid`], [`fibra_mpm`] | vertices are particles of sand or of a liquid; several short steps, each with a share of the change |
//! | `settle` | [`settle`](mod@settle) | limits lengths and bends, resolves penetration of colliders, updates frames |
//!
//! # Features
//! `gpu`: the same stages on a graphics card, in module `gpu`.
//!
//! # Building blocks
//! For other Fibra crates and for tests: [`strands`] (strands, their state and scratch), [`measures`], [`head`], [`predict`](mod@predict),
//! [`settle`](mod@settle), [`grid`], [`stretch`] and [`joint`] (elastic energies), [`band`] (the linear solver), [`lanes`] (vectors of several strands side by side),
//! [`random_band`] (systems to test solvers with).
//!
//! # Differences from the paper
//! Twist has the stiffness of a rod ([`StrandMaterial::twisting`]). Frames are material frames, transported in time, so that there are no angles from
//! reference frames to store. Sharp bends are clamped as shapes, not as numbers ([`joint`]). The system is solved for the change of velocities.
//! Tension counts against turning an edge ([`stretch`]). Angles have more inertia than hair has. After each step of the strands their lengths
//! and bends are limited at positions, and vertices are projected out of colliders: with the grid alone, folds and stretches of one edge never
//! relax and stir the hair for ever. Colliders may be meshes that move and deform, and they jump along where the head jumps.
//!
//! # Limitations
//! Round cross-sections, one material for all strands. Contact of strands is resolved by cells of a centimeter: two strands that cross within one are
//! not told apart. Colliders are not pushed.
//!
//! The result is the same bits for any number of threads and any vector width.

mod assembly;
mod band;
mod builder;
mod collider;
mod error;
mod frames;
#[cfg(feature = "gpu")]
mod gpu;
mod grid;
mod group;
mod head;
mod joint;
mod lanes;
mod material;
mod measures;
mod params;
mod predict;
mod random_band;
mod settings;
mod settle;
mod sim;
mod state_file;
mod step;
mod strands;
mod stretch;
mod workspace;

pub use builder::HairBuilder;
pub use collider::{ColliderId, HairCollider};
pub use error::{HairError, StrandError};
pub use grid::{Between, GridSettings};
pub use material::StrandMaterial;
pub use params::{HeadLimits, StrandParams};
pub use settings::HairSettings;
pub use sim::{HairSim, HairState};
pub use step::HairStage;
pub use strands::{RestShape, StrandInput, Strands};

/// Modules that other Fibra crates, tests and benchmarks build on. Their interfaces may change with any release.
pub mod internals {
    fibra_core::expose_modules!(
        band,
        grid,
        head,
        joint,
        lanes,
        measures,
        predict,
        random_band,
        settle,
        strands,
        stretch
    );
    #[cfg(feature = "gpu")]
    fibra_core::expose_modules!(gpu);
}
