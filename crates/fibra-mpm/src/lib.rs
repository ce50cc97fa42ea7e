//! The material point method for solids, grains and liquids, and for what is thin: cloth, yarns, hair.
//!
//! One call advances everything: [`step::step`] takes [`params::Params`] (what the user set), [`state::State`] (what a
//! checkpoint holds) and [`workspace::Workspace`] (scratch). Its stages, in order:
//!
//! | stage | module | does |
//! |---|---|---|
//! | sort | [`sort`] | particles into the order of 4x4x4 grid blocks, when one has drifted too far; [`links`] between them |
//! | p2g | [`p2g`] | mass, momentum and the impulse of internal forces to the grid |
//! | grid_update | [`grid_update`] | velocities, gravity, collisions; or a whole [`implicit`] solve |
//! | g2p | [`g2p`] | velocities and positions back, deformation update, plastic flow, new stress |
//! | elements | [`elements`] | curves and surfaces: tangents from the mesh, plastic flow, stress, forces on vertices |
//! | grains | [`display_grains`] | grains that are only drawn, carried along and turned by the grid; where there are any |
//!
//! A [`law`] answers a trial deformation with a stress; the laws are in [`materials`], one per file. Several materials in
//! one scene couple through the grid with no further code. [`tile`] holds the inner loops of both transfers,
//! [`simd`] compiles them for the machine's vectors; [`timestep`] the bounds on the step, [`diagnostics`] what is conserved, [`state_file`] the checkpoint.
//!
//! # Curves and surfaces
//! A mesh ([`mesh`]) has a particle for every vertex and one for every element ([`kind`]); [`builder`] makes them. Vertices move
//! with the grid. An element lies between its vertices; the directions along it come from them, the normals are carried by the
//! grid, and its law acts on both: in-manifold stress goes to the vertices, the rest to the grid as that of any particle. Contact and
//! friction are the plastic flow of the normals. [`pins`] moves vertices that are held, [`keep_out`] keeps vertices out of colliders.
//!
//! # Anisotropic materials
//! [`materials::anisotropy`] wraps any of the laws of solids and grains: wood, hay, stacked layers, piles of twigs whose axes turn with
//! them. A particle's deformation gradient starts at the rotation that its material's axes have ([`builder::Builder::orient`]), and
//! its polar rotation is where they are. Explicit steps only.
//!
//! # Implicit steps
//! With [`params::Integrator::Implicit`] the grid's velocities come from [`implicit`]: backward Euler by Newton's method
//! ([`internal_force`]: energy, forces and Hessian products of everything; [`minres`] on [`grid_vector`]s;
//! [`implicit_contacts`]: colliders and their friction within the solve). Plastic flow waits for the end of the step: until then
//! what would flow resists elastically.
//!
//! Papers: MLS-MPM [Hu2018] with the affine transfer [Jiang2015]; curves, surfaces and damping [Jiang2017]; anisotropy [Schreck2020]; SFLIP [Fei2021]; the laws
//! cite theirs. Differences: linear splines use true gradients, since their second moment is not constant; the
//! stress is computed at the end of a step, where the deformation changed, and kept for the next; an element's energy
//! counts with all of its volume, of which the paper gives it only a share; vertices inside a collider are put back on
//! its surface.
//!
//! Limitations: one velocity field, so that two bodies in contact share it and stick or slide as
//! the grid resolves them; colliders are rigid and are not pushed; layers keep about half a cell apart. Implicit steps
//! know no friction where two colliders meet, and SFLIP moves particles otherwise than the grid on which they balance forces.
//!
//! The result is the same bits for any number of threads and any vector width.

// What CubeCL's macros write has no docs; without the feature everything is checked.
#![cfg_attr(feature = "gpu", allow(missing_docs))]

pub mod builder;
pub mod diagnostics;
pub mod display_grains;
pub mod elements;
mod force_batch;
pub mod g2p;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod grid_update;
pub mod grid_vector;
pub mod implicit;
pub mod implicit_contacts;
pub mod internal_force;
pub mod keep_out;
pub mod kind;
pub mod law;
pub mod links;
pub mod materials;
pub mod mesh;
pub mod minres;
pub mod p2g;
pub mod params;
pub mod pins;
mod scatter;
mod sim;
pub mod sort;
pub mod split;
mod start;
pub mod state;
pub mod state_file;
pub mod step;
mod step_error;
pub mod tile;
pub mod timestep;
pub mod workspace;

pub use fibra_core::{dispatch, simd};
pub use materials::Material;
pub use params::{Implicit, Integrator, Kernel, StepLimits, Transfer};
pub use sim::{
    ColliderId, MpmBuilder, MpmError, MpmObject, MpmPin, MpmSettings, MpmSim, ObjectId, PinId, PinProblem, StepsTaken,
};
pub use step::StepError;
