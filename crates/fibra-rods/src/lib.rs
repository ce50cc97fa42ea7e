//! Thin elastic rods and rigid balls in contact, with Coulomb's law of friction satisfied exactly at the end of every step [Bertails2011].
//!
//! This example simulates a cord that is clamped at one end and swings down:
//! ```
//! use fibra_rods::{End, RodInput, RodSettings, RodSim, RodSimError};
//! use glam::DVec3;
//!
//! let mut sim = RodSim::new(RodSettings::default())?;
//! let points = (0..=20).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 0.0)).collect();
//! let cord = sim.add_rod(RodInput { points, ends: [End::clamped(), End::free()], ..RodInput::default() })?;
//! for _ in 0..10 {
//!     sim.advance(0.025)?;
//!     println!("{:.3} s: tip at {:.4}", sim.time(), sim.positions_of(cord)?[20]);
//! }
//! assert!(sim.positions_of(cord)?[20].y < -0.05);
//! # Ok::<(), RodSimError>(())
//! ```
//!
//! # Main types
//! - [`RodSim`] is the simulation: [`RodSettings`], rods ([`RodInput`]), balls ([`BallInput`]) and colliders ([`fibra_core::geometry::Collider`]).
//! - A rod is a polyline with a [`RodMaterial`], a [`Surface`] (friction, restitution), a [`RodModel`] and two [`End`]s.
//!   Held ends and colliders have a prescribed motion: [`RodSim::move_end`], [`RodSim::move_collider`].
//! - [`RodSim::contacts`] lists each [`ContactForce`] of the last step.
//!
//! # Three kinds of struct
//! [`Params`](world::Params) holds the user's settings, [`State`](world::State) the contents of a checkpoint, and [`Workspace`](world::Workspace)
//! scratch memory, timers and the report of the last step. There is one exception: a body (a rod model or a ball) holds its own parameters, state
//! and scratch together, because its step reads all three in one pass. Its `save` and `load` touch only its state.
//!
//! # Differences from the paper and limitations
//! - Newton's method alternates with accelerated Gauss-Seidel sweeps and an interior-point method until the tolerance is met.
//! - Friction acts on the centerline, so contact does not twist a rod.
//! - A step is split into substeps if bodies would approach by more than their thickness.
//! - Contact does not move colliders. Distances to colliders are evaluated in `f32`. A deformable rod can be held only
//!   at its ends.
//! - Mass-spring rods have circular cross sections. Contact treats every section as a circle.
//! - Each rod model documents its own differences and limitations: `mass_spring`, `corde`, `super_helix`,
//!   `discrete_elastic`.
//!
//! # Building blocks
//! Modules of [`internals`], for other Fibra crates, tests and experiments. Their interfaces may change.
//!
//! | module | contents |
//! |---|---|
//! | `rod` | the interface of a rod model; materials and ends |
//! | `mass_spring`, `corde`, `super_helix`, `discrete_elastic` | the rod models |
//! | `fixed` | rails: rods with a prescribed motion |
//! | `ball`, `body` | rigid balls; bodies (rods and balls) |
//! | `statics`, `stability` | static equilibrium of a single rod; its stability and critical loads |
//! | `internal_loads`, `topology` | internal forces and moments; writhe and linking number |
//! | `section` | cross sections |
//! | `band`, `band_ldl` | symmetric band matrices and their factors |
//! | `contact` | contact detection |
//! | [`friction`] | frictional contact problems given by their Delassus operator, and their solvers |
//! | `one_step` | the one-step problem of bodies in contact |
//! | `world`, `step` | params, state and workspace; one time step |
//! | `measures` | masses, energies, stretch, gaps |

#[cfg(test)]
mod alone;
mod ball;
mod band;
mod band_ldl;
mod bishop;
mod body;
mod chain;
mod contact;
mod corde;
mod discrete_elastic;
mod ends;
mod error;
mod fixed;
pub mod friction;
mod internal_loads;
mod mass_spring;
mod measures;
#[cfg(test)]
mod nodal_tests;
mod one_step;
mod rod;
mod section;
mod settings;
mod sim;
mod stability;
mod state_file;
mod statics;
mod step;
mod super_helix;
mod topology;
mod unknowns;
mod world;

pub use contact::detection::Surface;
pub use contact::pairs::PairValues;
pub use error::RodError;
pub use one_step::solve::{Solver, SolverSettings};
pub use rod::{End, EndLoad, Hold, Integrator, RodEnd, RodMaterial};
pub use section::{Section, SectionShape};
pub use settings::RodSettings;
pub use sim::{
    BallId, BallInput, BodyId, ColliderId, ContactForce, NaturalShape, Reaction, RodId, RodInput, RodLoads, RodModel,
    RodSim, RodSimError, Topology,
};

/// Modules that other Fibra crates, tests and benchmarks build on. Their interfaces may change with any release.
pub mod internals {
    fibra_core::expose_modules!(
        ball,
        band,
        body,
        contact,
        corde,
        discrete_elastic,
        fixed,
        mass_spring,
        measures,
        one_step,
        rod,
        stability,
        statics,
        step,
        super_helix,
        topology,
        world
    );
}
