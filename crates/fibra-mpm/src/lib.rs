//! The material point method (MPM) for elastic solids, granular materials and liquids, and for cloth, yarn and hair.
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
//! # Main types
//! - [`MpmSim`] is a simulation: advance it, read positions, velocities and [totals](MpmSim::quantities), move colliders and pins, save and load.
//! - [`MpmBuilder`] collects the initial scene and returns an id for each item: [`MpmObject`]s (solids, points, surfaces, curves), colliders
//!   ([`fibra_core::geometry::Collider`]) and [`MpmPin`]s, which pin vertices. [`MpmError`] reports invalid input.
//! - [`MpmSettings`] holds the grid spacing, the [`Transfer`], the [`Integrator`] and the [`StepLimits`]. Everything is in SI units.
//! - [`MpmMaterial`] is a constitutive model with a density. It is built from a [`MaterialSpec`] (a material in user-facing parameters) or from
//!   one parameter struct such as [`materials::SandParams`]; [`materials`] has one file for each model. [`MpmMaterial::new`] takes other models
//!   ([`Material::custom`], [`materials::Anisotropic`]). Objects of different materials couple through the grid.
//!
//! Examples: `jelly_on_table`, `hanging_cloth` (a pin driven by the caller), `sand_plow` (a collider driven by the caller),
//! `own_material` (a constitutive model defined outside this crate).
//!
//! # How it works
//! [`step::step`] advances by one time step. It takes [`params::Params`] (set by the user, constant), [`state::State`] (exactly the contents of a
//! checkpoint) and [`workspace::Workspace`] (scratch buffers and statistics). Its stages, in order:
//!
//! | stage | module | does |
//! |---|---|---|
//! | sort | `sort` | sorts particles by 4x4x4 grid block, when one has drifted out of reach of its block's tile |
//! | p2g | `p2g` | transfers mass, momentum and the impulse of internal forces to the grid |
//! | grid_update | `grid_update` | velocities, gravity, collisions; or the whole implicit solve |
//! | g2p | `g2p` | interpolates velocities, moves particles, updates deformation gradients, return mapping, stress |
//! | elements | `elements`, `bending` | curves and surfaces: pins, tangents from the mesh, return mapping, stress, bending, forces on vertices |
//! | grains | `display_grains` | advects and rotates display-only grains with the grid |
//!
//! **Curves and surfaces.** A mesh (`mesh`) has one particle per vertex and one quadrature particle per element ([`kind`]). Vertices move with
//! the grid. An element is positioned between its vertices, which also define its tangents; its normals move with the grid. Its constitutive model
//! acts on both: in-manifold stress becomes forces on the vertices, and the rest goes to the grid like the stress of any particle. Contact and
//! friction are plastic flow of the normals.
//!
//! **Bending.** A surface is also a thin plate, a curve also a discrete elastic rod with a material frame on each segment (`bending`); the forces of
//! both act on the vertices.
//!
//! **Anisotropic materials.** [`materials::anisotropy`] makes any model for solids or granular materials anisotropic: wood, hay, stacked layers,
//! piles of twigs. The initial deformation gradient of a particle is the rotation to its material axes ([`MpmObject::axes`]), and the polar
//! rotation of the deformation gradient rotates them. Explicit integration only.
//!
//! **Implicit steps.** With [`Integrator::Implicit`], grid velocities come from backward Euler with Newton's method (`internal_force`: energy,
//! forces and Hessian-vector products; MINRES; contact and friction inside the solve). The return mapping runs at the end of the step, so
//! the solve treats the material as elastic.
//!
//! Results are bitwise identical for any number of threads and any SIMD width.
//!
//! # Building blocks
//! Modules of [`internals`], for other Fibra crates, tests and experiments. Their interfaces may change.
//!
//! | modules | for |
//! |---|---|
//! | `params`, `state`, `workspace`, `step`, `step_bounds`, `timestep`, `state_file` | a run without [`MpmSim`] |
//! | `builder`, `mesh`, [`kind`] | building particles and meshes by hand, as scenes do |
//! | `sort`, `p2g`, `grid_update`, `g2p`, `resolve_penetration` | single stages, for the grid that couples strands of hair |
//! | [`law`], [`materials`] | the constitutive models |
//! | `internal_force`, `diagnostics`, `display_grains` | forces and energies, totals, display-only grains |
//!
//! # Features
//! `gpu`: runs steps on GPUs through CUDA, Vulkan or Metal (`gpu`, `MpmSim::move_to`). Off by default.
//!
//! # Papers, differences and limitations
//! MLS-MPM [Hu2018] with the affine transfer [Jiang2015]; curves, surfaces and damping [Jiang2017]; bending of curves [Bergou2008]; anisotropy [Schreck2020]; SFLIP [Fei2021]. Each
//! constitutive model cites its own papers.
//!
//! Differences from the papers:
//! - Linear splines use true gradients, since their second moment is not constant.
//! - The stress is computed at the end of a step, right after the deformation update, and stored for the next step.
//! - The energy of an element counts with the element's full volume; the paper uses only the quadrature particle's share.
//! - Cloth is in plane stress: a free strip has its Young's modulus and Poisson's ratio.
//! - Curves and surfaces resist bending.
//! - Vertices inside a collider are projected back to its surface. Where edges and triangles cut through rims of colliders, their vertices are moved.
//!
//! Limitations:
//! - All bodies share one velocity field: bodies in contact slide on each other only by shear within the cells between them.
//! - Coupling to colliders is one-way: colliders are not pushed.
//! - Layers stay about half a cell apart.
//! - Solids rest up to half a cell above or below the surface of a collider, depending on where it lies between grid nodes.
//! - Colliders need a thickness of at least four cells: objects sink into thinner colliders, and fall through a collider of one cell.
//! - Implicit steps have no friction where two colliders meet.
//! - With SFLIP, implicit steps balance forces for the motion of the grid, from which the motion of the particles deviates.

// CubeCL's macros generate items without docs. Builds without the feature check all docs.
#![cfg_attr(feature = "gpu", allow(missing_docs))]

mod bending;
mod builder;
mod diagnostics;
mod display_grains;
mod element_contact;
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
mod links;
mod mesh;
mod minres;
mod p2g;
mod params;
mod pins;
mod resolve_penetration;
mod scatter;
mod sim;
mod sort;
mod split;
mod start;
mod state;
mod state_file;
mod step;
mod step_bounds;
mod step_error;
mod tile;
mod timestep;
mod workspace;

pub use fibra_core::StepsTaken;
pub use fibra_materials::{self as materials, law};
pub use materials::{Material, MaterialSpec};
pub use params::{Implicit, Integrator, Kernel, StepLimits, Transfer};
pub use sim::{
    ColliderId, MpmBuilder, MpmError, MpmMaterial, MpmObject, MpmPin, MpmSettings, MpmSim, ObjectId, PinId, PinProblem,
};
pub use step::StepError;

/// Modules that other Fibra crates, tests and benchmarks build on. Their interfaces may change with any release.
pub mod internals {
    fibra_core::expose_modules!(
        bending,
        builder,
        diagnostics,
        display_grains,
        g2p,
        grid_update,
        internal_force,
        resolve_penetration,
        mesh,
        p2g,
        params,
        sort,
        state,
        state_file,
        step,
        step_bounds,
        timestep,
        workspace
    );
    pub use fibra_materials::kind;
    #[cfg(feature = "gpu")]
    fibra_core::expose_modules!(gpu);
}
