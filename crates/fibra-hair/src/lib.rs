//! Real-time hair [Huang2023]. Each strand is an elastic rod with its own implicit solve. A material point method (MPM) grid resolves contact
//! between strands.
//!
//! [`HairSim`] is the entry point. Example: a tuft of hair that swings past a ball.
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
//! | type | meaning |
//! |---|---|
//! | [`HairSettings`] | user settings: [`StrandMaterial`], [`StrandParams`], [`GridSettings`], time step |
//! | [`StrandInput`] | input for one strand: points, rest shape, pinned vertices |
//! | [`HairCollider`] | rigid body or deforming mesh, attached to the head or free; identified by a [`ColliderId`] |
//! | [`HairState`] | simulation state, the content of a checkpoint |
//! | [`HairError`], [`StrandError`] | errors of building and advancing hair |
//!
//! One step (`step.rs`):
//!
//! | [`HairStage`] | module | purpose |
//! |---|---|---|
//! | `head` | `head` | applies head motion beyond the per-step limits to the strands on the head as a rigid motion; the roots follow the remaining motion |
//! | `build`, `solve` | `predict` | predicts the velocity change of each strand with one semi-implicit linear solve |
//! | `sort`, `p2g`, `grid_update`, `g2p` | `grid`, [`fibra_mpm`] | treats vertices as particles of sand or fluid; each of several substeps applies an equal fraction of the velocity change |
//! | `settle` | `settle` | limits lengths and bends, projects vertices out of colliders, updates material frames |
//!
//! # Features
//! `gpu`: the same stages on a GPU, in module `gpu`.
//!
//! # Building blocks
//! [`internals`] exports modules for other Fibra crates, tests and experiments: `strands` (strands, their state and workspace), `measures`, `head`,
//! `predict`, `settle`, `grid`, `stretch` and `joint` (elastic energies), `band` (banded LDL^T solver), `lanes` (SIMD lanes, one strand per lane),
//! `random_band` (random test systems for solvers).
//!
//! # Differences from the paper
//! - Twisting stiffness is that of a consistent rod ([`StrandMaterial::twisting`]).
//! - Material frames are transported in time, so no angles relative to reference frames are stored.
//! - Sharp bends are clamped geometrically instead of clamping the curvature values (`joint`).
//! - The linear system is solved for the velocity change.
//! - Tension adds stiffness against rotating an edge (`stretch`).
//! - Twist angles have more inertia than in real hair.
//! - After each strand step, positions are corrected: lengths and bends are limited, and vertices are projected out of colliders. With the grid alone,
//!   folds and stretches of a single edge never relax and keep the hair moving.
//! - Colliders may be moving and deforming meshes. If the head jumps, so do colliders that move likewise, such as the body.
//!
//! # Limitations
//! - Cross-sections are round, and all strands share one material.
//! - Contact between strands is resolved on cells of a centimeter; two strands that cross within one cell are not distinguished.
//! - Colliders receive no forces from hair.
//!
//! Results are bitwise identical for any number of threads and any SIMD width.

mod assembly;
mod band;
mod builder;
mod collider;
mod error;
#[cfg(feature = "gpu")]
mod gpu;
mod grid;
mod group;
mod head;
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
    fibra_core::expose_modules!(band, grid, head, lanes, measures, predict, random_band, settle, strands, stretch);
    #[cfg(feature = "gpu")]
    fibra_core::expose_modules!(gpu);
}
