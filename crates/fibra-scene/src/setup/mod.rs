//! Builds the initial state of a simulation from a scene: particles, rods or clouds from shapes, constitutive models from materials,
//! moving bodies from colliders.
//!
//! | module | contents |
//! |---|---|
//! | `shape` | solids of the scene as shapes with a pose; mesh files |
//! | `geometry` | shapes of objects: solids to fill, meshes of surfaces and curves |
//! | `collider` | colliders, their motion, the walls of the domain |
//! | `pin` | regions and motion of pins |
//! | `origin` | the run origin, to which coordinates are relative |
//! | `overlaps` | rejects objects that start inside colliders or outside the domain |
//! | `mpm` | scenes of the material point method |
//! | `material`, `anisotropy` | materials as constitutive models, and the linear maps of anisotropic ones |
//! | `axes`, `alignment` | initial axes of a material and alignment of its grains |
//! | `particles` | the particles of objects |
//! | `held_vertices` | pinned vertices of cloth and fibers |
//! | `grains` | display grains of solids |
//! | `rods` | scenes of rods and balls |
//! | `held_strands` | pins and external forces on strands |
//! | `hair` | scenes of hair |
//! | `hair_strands` | the strands of hair, on the head |
//! | `elastons` | scenes of elastons |
//! | `elaston_parts` | objects as clouds of material, and render surfaces |
//! | `elaston_matter` | from clouds to samples and elastons |
//! | `rejected` | errors about unusable files and about scenes that need too much memory |
//!
//! Problems that appear only during setup (an open mesh, an object inside a collider) are returned as a [`SceneError`] that points at the line to
//! change.

mod alignment;
mod anisotropy;
mod axes;
mod collider;
mod elaston_matter;
mod elaston_parts;
mod elastons;
mod geometry;
mod grains;
mod hair;
mod hair_strands;
mod held_strands;
mod held_vertices;
mod material;
mod moving;
mod mpm;
mod origin;
mod overlaps;
#[cfg(test)]
mod paper_sizes;
mod particles;
mod pin;
mod rejected;
mod rods;
mod shape;

pub use anisotropy::anisotropic;
pub use elastons::ElastonsSetup;
pub use hair::{HairObject, HairSetup, Surroundings};
pub use moving::Moving;
pub use mpm::MpmSetup;
pub use origin::origin_of;
pub use particles::particle_spacing;
pub use rods::{RodsSetup, StrandOrigin};
pub use shape::{DeformingError, deforming_mesh, read_mesh};

use crate::{LoadedScene, SceneError, Settings};

/// The initial state of a simulation, by method.
pub enum Setup {
    /// The material point method.
    Mpm(Box<MpmSetup>),
    /// Rods and balls in contact.
    Rods(Box<RodsSetup>),
    /// Hair.
    Hair(Box<HairSetup>),
    /// Elastons.
    Elastons(Box<ElastonsSetup>),
}

/// Sets up the simulation of a scene at its start.
pub fn set_up(loaded: &LoadedScene) -> Result<Setup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Mpm(_)) => Ok(Setup::Mpm(Box::new(set_up_mpm(loaded)?))),
        Some(Settings::Rods(_)) => Ok(Setup::Rods(Box::new(set_up_rods(loaded)?))),
        Some(Settings::Hair(_)) => Ok(Setup::Hair(Box::new(set_up_hair(loaded)?))),
        Some(Settings::Elastons(_)) => Ok(Setup::Elastons(Box::new(set_up_elastons(loaded)?))),
        // Loading rejects a scene without the settings of its method.
        None => Err(loaded.error_at("method", "the settings of the method are missing", "add a table of its name")),
    }
}

/// Sets up a scene of the material point method.
pub fn set_up_mpm(loaded: &LoadedScene) -> Result<MpmSetup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Mpm(settings)) => mpm::set_up(loaded, settings),
        _ => Err(loaded.error_at("method", "this is not an MPM scene", "write `method = \"mpm\"`")),
    }
}

/// Sets up a scene of rods.
pub fn set_up_rods(loaded: &LoadedScene) -> Result<RodsSetup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Rods(settings)) => rods::set_up(loaded, settings),
        _ => Err(loaded.error_at("method", "this is not a scene of rods", "write `method = \"rods\"`")),
    }
}

/// Sets up a scene of hair.
pub fn set_up_hair(loaded: &LoadedScene) -> Result<HairSetup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Hair(settings)) => hair::set_up(loaded, settings),
        _ => Err(loaded.error_at("method", "this is not a scene of hair", "write `method = \"hair\"`")),
    }
}

/// Sets up a scene of elastons.
pub fn set_up_elastons(loaded: &LoadedScene) -> Result<ElastonsSetup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Elastons(settings)) => elastons::set_up(loaded, settings),
        _ => Err(loaded.error_at("method", "this is not a scene of elastons", "write `method = \"elastons\"`")),
    }
}
