//! From a scene to the state a simulation starts from: shapes become particles, rods or clouds, materials become laws, colliders become moving bodies.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | solids of the scene as shapes with a pose; mesh files |
//! | `geometry` | shapes of objects: solids to fill, meshes of surfaces and curves |
//! | `collider` | colliders, their motion, the walls of the domain |
//! | `pin` | what a pin's region catches, and how it moves |
//! | `origin` | the point that coordinates start from |
//! | `overlaps` | objects that start inside colliders or outside the domain are rejected |
//! | `mpm` | scenes of the material point method |
//! | `material`, `anisotropy` | materials of the scene as laws, and the maps around those that differ with direction |
//! | `axes`, `alignment` | where the axes of a material point, and how its grains lie |
//! | `particles` | the particles of objects |
//! | `bending`, `held_vertices` | springs against bending, and what holds vertices |
//! | `grains` | grains by which solids are drawn |
//! | `rods` | scenes of rods and balls |
//! | `held_strands` | what holds strands and pulls at them |
//! | `hair` | scenes of hair |
//! | `hair_strands` | the strands of hair, on the head |
//! | `elastons` | scenes of elastons |
//! | `elaston_parts` | objects as clouds of material, and the skins that are drawn |
//! | `elaston_matter` | from clouds to samples and elastons |
//!
//! What is wrong with a scene and shows only here (an open mesh, an object inside a collider) comes back as a
//! [`SceneError`] that points at the line to change.

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

/// The start of a simulation, by its method.
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

/// Sets up the simulation of a scene, at its start.
pub fn set_up(loaded: &LoadedScene) -> Result<Setup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Mpm(_)) => Ok(Setup::Mpm(Box::new(set_up_mpm(loaded)?))),
        Some(Settings::Rods(_)) => Ok(Setup::Rods(Box::new(set_up_rods(loaded)?))),
        Some(Settings::Hair(_)) => Ok(Setup::Hair(Box::new(set_up_hair(loaded)?))),
        Some(Settings::Elastons(_)) => Ok(Setup::Elastons(Box::new(set_up_elastons(loaded)?))),
        // Loading has rejected it already.
        None => Err(loaded.error_at("method", "the settings of the method are missing", "add a table of its name")),
    }
}

/// Sets up a scene of the material point method.
pub fn set_up_mpm(loaded: &LoadedScene) -> Result<MpmSetup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Mpm(settings)) => mpm::set_up(loaded, settings),
        _ => Err(loaded.error_at("method", "this is no scene of particles", "write `method = \"mpm\"`")),
    }
}

/// Sets up a scene of rods.
pub fn set_up_rods(loaded: &LoadedScene) -> Result<RodsSetup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Rods(settings)) => rods::set_up(loaded, settings),
        _ => Err(loaded.error_at("method", "this is no scene of rods", "write `method = \"rods\"`")),
    }
}

/// Sets up a scene of hair.
pub fn set_up_hair(loaded: &LoadedScene) -> Result<HairSetup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Hair(settings)) => hair::set_up(loaded, settings),
        _ => Err(loaded.error_at("method", "this is no scene of hair", "write `method = \"hair\"`")),
    }
}

/// Sets up a scene of elastons.
pub fn set_up_elastons(loaded: &LoadedScene) -> Result<ElastonsSetup, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Elastons(settings)) => elastons::set_up(loaded, settings),
        _ => Err(loaded.error_at("method", "this is no scene of elastons", "write `method = \"elastons\"`")),
    }
}
