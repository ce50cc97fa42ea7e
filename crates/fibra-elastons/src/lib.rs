//! Elastons: rods, shells and solids in one meshless method that does not distinguish between them [Martin2010].
//!
//! [`ElastonSim`] is the entry point. This example simulates a plate that is clamped at one side:
//!
//! ```
//! use fibra_core::geometry::RigidPose;
//! use fibra_elastons::{ElasticMaterial, ElastonSettings, ElastonSim, ElastonObject};
//! use glam::DVec3;
//!
//! let rubber = ElasticMaterial { youngs_modulus: 2e6, density: 1100.0, ..ElasticMaterial::default() };
//! let plate = ElastonObject::cuboid(DVec3::new(0.5, 0.01, 0.3), RigidPose::IDENTITY, 0.03)
//!     .sample_spacing(0.06)
//!     .material(rubber);
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
//! - An [`ElastonObject`] is geometry with a material. It is discretized as a point cloud ([`Cloud`]) of *material points*, called `pieces` in the
//!   API. Each has a sphere for contact and connectivity, and a volume and second moments for mass and stiffness. Joined objects form one
//!   *body*: material points are connected where their spheres overlap.
//! - *Samples* are the GMLS nodes. They carry the unknowns: a displacement with its first and second derivatives. *Elastons* are quadrature
//!   points: small cuboids, more numerous than samples, at which strain and its gradient (bending, twist) are measured.
//! - A *hold* prescribes the positions of material points, at rest or in motion. A *collider* stops material points. A *blade* cuts the links
//!   between them.
//! - [`Params`](world::Params) are set by the user, [`State`](world::State) is exactly what a checkpoint holds, and the
//!   [`Workspace`](workspace::Workspace) holds tables, factors and scratch memory. A new workspace gives bitwise
//!   identical results. Only its statistics restart from zero: `contacts`, `most_contacts`, `iterations` and `factors`
//!   among the quantities, and the stage times.
//!
//! A step is `topology -> assemble -> factor -> contacts -> solve -> plasticity`, in `f64`. Results are bitwise identical for
//! any number of threads.
//!
//! # Differences from the paper
//!
//! The volume correction of an elaston's sides is weighted by the squares of its variances, so that sheets keep their thickness
//! (`elaston`). The matrix of a step is factored only occasionally; in between, the old factor preconditions conjugate gradients. The
//! momentum of free bodies is restored after each step. Render surfaces are cut along with the material, and refined where it is stretched.
//!
//! # Limitations
//!
//! The material law is linear elasticity in corotated frames, with one isotropic material per object. Contacts are
//! penalty forces between spheres, without continuous collision detection. Contact does not move colliders. Checkpoints
//! do not contain the poses of colliders and holds that the caller moves. There is no GPU back end.
//!
//! Too few samples make a bent object too stiff, without a warning: a plate with 8 samples bends 0.4 times as far as beam
//! theory predicts, a plate with 16 samples 0.65 times, and a plate with 45 samples 0.9 times. Set [`ElastonObject::sample_spacing`] to a
//! tenth of the bent length or less; its default is five times the spacing of the material points.
//! [`ElastonSim::find_equilibrium`] computes the static shape without time steps.
//!
//! # Building blocks
//!
//! Modules of [`internals`], for other Fibra crates, tests and experiments. Their interfaces may change.
//!
//! | module | contents |
//! |---|---|
//! | `world` | parameters and state |
//! | `cloud`, `fill`, `connectivity` | point clouds, their generation from geometry, and the connectivity graph |
//! | `matter`, `elaston` | the rest shape: samples and elastons of bodies |
//! | `gmls`, `table`, `discretization` | shape functions, and their tables for a rest shape |
//! | `law`, `equations`, `forces`, `linear` | stress and energy, the equations of a step, and the linear solver |
//! | `step`, `statics`, `resampling`, `workspace` | time step, static equilibrium, resampling, and their memory |
//! | `measures`, `body_measures` | mass, momentum, energy; positions, strains, volumes |
//! | `state_file` | checkpoints |

mod body_measures;
mod branches;
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
mod friction;
mod gmls;
mod influence;
mod law;
mod linear;
mod local_matrix;
mod matter;
mod measures;
mod momentum;
mod object;
mod plasticity;
mod reference;
mod refinement;
mod resampling;
mod sampling;
mod settings;
mod sim;
mod sphere_cloud;
mod sphere_pairs;
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
pub use object::{ElastonObject, ObjectId};
pub use settings::{ElasticMaterial, ElastonSettings};
pub use sim::{ElastonSim, RenderSurface};
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
