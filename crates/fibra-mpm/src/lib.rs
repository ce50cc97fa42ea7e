//! The material point method for solids, grains and liquids, and for cloth, yarns and hair.
//!
//! A cube of jelly falls onto a table:
//!
//! ```
//! use fibra_core::geometry::{Collider, RigidPose, Shape};
//! use fibra_mpm::materials::ElasticParams;
//! use fibra_mpm::{MaterialSpec, MpmObject, MpmSettings, MpmSim};
//! use glam::{DVec3, Vec3};
//!
//! let jelly = MaterialSpec::FixedCorotated(ElasticParams { youngs_modulus: 1e4, ..ElasticParams::default() });
//! let (cube, pose) = (Shape::cuboid(Vec3::splat(0.1))?, RigidPose::at(0.15 * DVec3::Y));
//! let mut scene = MpmSim::builder(MpmSettings { dx: 0.05, ..MpmSettings::default() });
//! scene.add_object(MpmObject::solid("jelly", cube, pose, jelly));
//! scene.add_collider(Collider::ground(0.0).friction(0.5));
//! let mut sim = scene.build()?;
//! sim.advance(0.2)?;
//! assert!(sim.positions().iter().all(|x| x.y > -0.01));
//! assert!(sim.quantities()["elastic_energy"] > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The nouns
//! - [`MpmSim`] is a simulation: advance it, read positions, velocities and [totals](MpmSim::quantities), move colliders and pins, save and load.
//! - [`MpmBuilder`] collects what it starts from, and returns an id for each: [`MpmObject`]s (solids, points, surfaces, curves), colliders
//!   ([`fibra_core::geometry::Collider`]) and [`MpmPin`]s, which hold vertices. [`MpmError`] says what is impossible.
//! - [`MpmSettings`] are the grid, the [`Transfer`], the [`Integrator`] and the [`StepLimits`]. Everything is in SI units.
//! - [`MpmMaterial`] is a constitutive law and a density. It comes from a [`MaterialSpec`], a material in the numbers that users set, or from its
//!   parameters alone, such as [`materials::SandParams`]; [`materials`] has one file for each. [`MpmMaterial::new`] takes other laws
//!   ([`Material::custom`], [`materials::Anisotropic`]). Objects of several materials couple through the grid.
//!
//! Examples: `jelly_on_table`, `hanging_cloth` (a pin moved from outside), `sand_plow` (a collider moved from outside),
//! `own_material` (a law of another crate).
//!
//! # How it works
//! [`step::step`] is one step. It takes [`params::Params`] (set by the user, constant), [`state::State`] (exactly what a checkpoint holds) and
//! [`workspace::Workspace`] (scratch and statistics). Its stages, in order:
//!
//! | stage | module | does |
//! |---|---|---|
//! | sort | [`sort`] | particles into the order of 4x4x4 grid blocks, when one has drifted too far |
//! | p2g | [`p2g`] | mass, momentum and the impulse of internal forces to the grid |
//! | grid_update | [`grid_update`] | velocities, gravity, collisions; or the whole implicit solve |
//! | g2p | [`g2p`] | velocities and positions back, deformation update, plastic flow, new stress |
//! | elements | `elements` | curves and surfaces: pins, tangents from the mesh, plastic flow, stress, forces on vertices |
//! | grains | [`display_grains`] | display-only grains, moved and turned by the grid |
//!
//! **Curves and surfaces.** A mesh ([`mesh`]) has a particle for every vertex and one for every element ([`kind`]). Vertices move with the grid.
//! An element lies between its vertices; the directions along it come from them, the normals move with the grid, and its law acts on
//! both: in-manifold stress goes to the vertices, the rest to the grid as that of any particle. Contact and friction are the plastic flow of the normals.
//!
//! **Anisotropic materials.** [`materials::anisotropy`] wraps any of the laws of solids and grains: wood, hay, stacked layers, piles of twigs. A
//! particle's deformation gradient starts at the rotation of its material's axes ([`MpmObject::axes`]), and its polar rotation turns
//! them. Explicit steps only.
//!
//! **Implicit steps.** With [`Integrator::Implicit`] the grid's velocities come from backward Euler by Newton's method ([`internal_force`]: energy,
//! forces and Hessian products; MINRES; contacts and their friction within the solve). Plastic flow comes at the end of the step: until
//! then the material resists elastically.
//!
//! The result is the same bits for any number of threads and any vector width.
//!
//! # Building blocks
//! Other Fibra crates use these modules; their interfaces follow the needs of those crates.
//!
//! | modules | for |
//! |---|---|
//! | [`params`], [`state`], [`workspace`], [`step`], [`timestep`], [`state_file`] | a run without [`MpmSim`] |
//! | [`builder`], [`mesh`], [`kind`] | particles and meshes put together by hand, as scenes do |
//! | [`sort`], [`p2g`], [`grid_update`], [`g2p`], [`keep_out`] | single stages: the grid between strands of hair |
//! | [`law`], [`materials`] | the laws themselves |
//! | [`internal_force`], [`diagnostics`], [`display_grains`] | measurements, totals, display-only grains |
//!
//! # Features
//! `gpu`: steps on graphics cards through CUDA, Vulkan or Metal (`gpu`, `MpmSim::move_to`). Off by default.
//!
//! # Papers, differences and limitations
//! MLS-MPM [Hu2018] with the affine transfer [Jiang2015]; curves, surfaces and damping [Jiang2017]; anisotropy [Schreck2020]; SFLIP [Fei2021]; the laws
//! cite theirs. Differences: linear splines use true gradients, since their second moment is not constant; the
//! stress is computed at the end of a step, where the deformation changed, and kept for the next; an element's energy
//! counts with all of its volume, of which the paper gives it only a share; vertices inside a collider are projected back to
//! its surface.
//!
//! Limitations: one velocity field, so that two bodies in contact share it and stick or slide as
//! the grid resolves them; colliders are not pushed; layers keep about half a cell apart. Implicit steps
//! have no friction where two colliders meet, and SFLIP moves particles otherwise than the grid on which they balance forces.

// What CubeCL's macros write has no docs; without the feature everything is checked.
#![cfg_attr(feature = "gpu", allow(missing_docs))]

mod bending;
mod builder;
mod diagnostics;
mod display_grains;
mod elements;
mod force_batch;
mod g2p;
#[cfg(feature = "gpu")]
mod gpu;
mod grid_update;
mod grid_vector;
mod implicit;
mod implicit_contacts;
mod internal_force;
mod keep_out;
mod links;
mod mesh;
mod minres;
mod p2g;
mod params;
mod pins;
mod scatter;
mod sim;
mod sort;
mod split;
mod start;
mod state;
mod state_file;
mod step;
mod step_error;
mod tile;
mod timestep;
mod workspace;

pub use fibra_materials::{self as materials, law};
pub use materials::{Material, MaterialSpec};
pub use params::{Implicit, Integrator, Kernel, StepLimits, Transfer};
pub use sim::{
    ColliderId, MpmBuilder, MpmError, MpmMaterial, MpmObject, MpmPin, MpmSettings, MpmSim, ObjectId, PinId, PinProblem,
    StepsTaken,
};
pub use step::StepError;

/// Modules that other Fibra crates, tests and benchmarks build on. Their interfaces may change with any release.
pub mod internals {
    fibra_core::expose_modules!(
        builder,
        diagnostics,
        display_grains,
        g2p,
        grid_update,
        internal_force,
        keep_out,
        mesh,
        p2g,
        params,
        sort,
        state,
        state_file,
        step,
        timestep,
        workspace
    );
    pub use fibra_materials::kind;
    #[cfg(feature = "gpu")]
    fibra_core::expose_modules!(gpu);
}
