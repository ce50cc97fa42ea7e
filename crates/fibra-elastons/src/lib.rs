//! Rods, shells and solids in one meshless method that does not distinguish between them: elastons [Martin2010].
//!
//! [`ElastonSim`] is the entry point. A plate that is clamped at one side:
//!
//! ```
//! use fibra_core::geometry::RigidPose;
//! use fibra_elastons::{ElasticMaterial, ElastonSettings, ElastonSim, Object};
//! use glam::DVec3;
//!
//! let rubber = ElasticMaterial { youngs_modulus: 2e6, density: 1100.0, ..ElasticMaterial::default() };
//! let plate = Object::cuboid(DVec3::new(0.5, 0.01, 0.3), RigidPose::IDENTITY, 0.03).material(rubber);
//!
//! let mut builder = ElastonSim::builder(ElastonSettings { dt: 0.01, ..ElastonSettings::default() });
//! let plate = builder.add(plate)?;
//! builder.hold(plate, |x| x.x < -0.2)?;
//! let mut sim = builder.build()?;
//! sim.advance(0.1)?;
//! let lowest = sim.positions().iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
//! assert!(lowest < -0.01);
//! # Ok::<(), fibra_elastons::ElastonError>(())
//! ```
//!
//! # Terms
//!
//! - An [`Object`] is geometry with a material. It is cut in *pieces* (a [`Cloud`]): each has a ball for contact and connection, a volume and
//!   second moments for mass and stiffness. Objects that are joined make one *body*, connected where balls overlap.
//! - *Samples* among the pieces carry the unknowns: a displacement with its first and second derivatives. *Elastons*, more of them, are
//!   small cuboids at which strain and its gradient (bending, twist) are measured.
//! - A *hold* keeps pieces where it is, still or moving; a *collider* stops them; a *blade* cuts them.
//! - [`Params`](world::Params) are set by the user, [`State`](world::State) is exactly what a checkpoint holds, and the
//!   [`Workspace`](workspace::Workspace) has tables, factors and scratch memory. A new workspace gives the same bits; only its statistics
//!   (`contacts`, `most_contacts`, `iterations` and `factors` among the quantities, and the times of stages) start again from zero.
//!
//! A [step](mod@step) is `topology -> assemble -> factor -> contacts -> solve -> plasticity`, in `f64`. The result has the same bits for any
//! number of threads.
//!
//! # Differences from the paper
//!
//! The sides of an elaston are corrected in proportion to the square of its variances, so that sheets keep their thickness
//! ([`elaston`]). The matrix of a step is factored seldom and preconditions conjugate gradients in between. Momentum of free bodies is
//! restored after each step. Surfaces are cut along with the material, and refined where it is drawn out.
//!
//! # Limitations
//!
//! Linear elasticity in corotated frames, one isotropic material for each object. Contacts are penalties between balls, and there is no
//! continuous collision detection. Colliders are not pushed. Poses of colliders and holds that the caller moves are not part of a
//! checkpoint. There is no GPU back end.
//!
//! # Building blocks
//!
//! For other Fibra crates and for experiments; their interface may change.
//!
//! | module | holds |
//! |---|---|
//! | [`world`] | parameters and state |
//! | [`cloud`], [`fill`], [`connectivity`] | pieces, made from geometry, and their connections |
//! | [`matter`], [`elaston`] | the rest state: samples and elastons of bodies |
//! | [`gmls`], [`table`], [`discretization`] | shape functions, tabulated for a rest state |
//! | [`law`], [`equations`], [`forces`], [`linear`] | stress and energy, the equations of a step, and their solution |
//! | [`step`](mod@step), [`statics`], [`resampling`], [`workspace`] | a step, an equilibrium, a new rest state, and their memory |
//! | [`measures`], [`body_measures`] | mass, momentum, energy; positions, strains, volumes |
//! | [`state_file`] | checkpoints |

mod ball_cloud;
mod ball_pairs;
mod body_measures;
mod builder;
mod cloud;
mod connectivity;
mod contacts;
mod cutting;
mod discretization;
mod drive;
mod elaston;
mod equations;
mod error;
mod fill;
mod forces;
mod gmls;
mod law;
mod linear;
mod matter;
mod measures;
mod momentum;
mod object;
mod plasticity;
mod reference;
mod refinement;
mod resampling;
mod response;
mod sampling;
mod settings;
mod sim;
mod state_file;
mod statics;
mod step;
mod step_system;
mod support;
mod surface;
mod symmetric_eigen;
mod table;
mod workspace;
mod world;

pub use builder::{ColliderId, ElastonBuilder, HoldId};
pub use cloud::Cloud;
pub use error::{ElastonError, OutOfRange};
pub use gmls::Order;
pub use object::{Object, ObjectId};
pub use settings::{ElasticMaterial, ElastonSettings};
pub use sim::{DrawnSurface, ElastonSim};
pub use world::{ContactLaw, Plasticity, Resampling};

/// Modules that other Fibra crates, tests and benchmarks build on. Their interfaces may change with any release.
pub mod internals {
    fibra_core::expose_modules!(
        body_measures,
        cloud,
        connectivity,
        discretization,
        elaston,
        equations,
        fill,
        forces,
        gmls,
        law,
        linear,
        matter,
        measures,
        resampling,
        state_file,
        statics,
        step,
        table,
        workspace,
        world
    );
}
