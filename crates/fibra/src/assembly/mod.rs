//! From a scene to a simulation ready to run: shapes to particles, rods or clouds, materials to laws, colliders to moving bodies.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | solids of the scene as shapes with a pose; mesh files |
//! | `geometry` | shapes of objects: solids to fill, meshes of surfaces and curves |
//! | `collider` | colliders, their motion, the walls of the domain |
//! | `pin` | what a pin's region catches, and how it moves |
//! | `origin` | the point that coordinates start from |
//! | `mpm` | scenes of the material point method |
//! | `material`, `anisotropy` | materials of the scene as laws, and the maps around those that differ with direction |
//! | `axes`, `alignment` | where the axes of a material point, and how its grains lie |
//! | `particles` | the particles of objects, and where they must not be |
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
mod bending;
mod collider;
mod elaston_matter;
mod elaston_parts;
mod elastons;
#[cfg(test)]
mod elastons_tests;
mod geometry;
mod grains;
mod hair;
mod hair_strands;
mod held_strands;
mod held_vertices;
mod material;
mod mpm;
pub(crate) mod origin;
#[cfg(test)]
mod paper_sizes;
mod particles;
mod pin;
mod rods;
#[cfg(test)]
mod rods_tests;
mod shape;
#[cfg(test)]
mod tests;

pub(crate) use anisotropy::anisotropic;
pub use particles::particle_spacing;
pub use shape::{DeformingError, deforming_mesh, read_mesh};

use crate::elastons_simulation::ElastonsSimulation;
use crate::hair_simulation::HairSimulation;
use crate::rods_simulation::RodsSimulation;
use crate::scene::{LoadedScene, SceneError, Settings};
use crate::simulation::Simulation;

/// Builds the simulation of a scene, at its start.
pub fn assemble(loaded: &LoadedScene) -> Result<Box<dyn Simulation>, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Mpm(settings)) => Ok(Box::new(mpm::assemble(loaded, settings)?)),
        Some(Settings::Rods(settings)) => Ok(Box::new(rods::assemble(loaded, settings)?)),
        Some(Settings::Hair(settings)) => Ok(Box::new(hair::assemble(loaded, settings)?)),
        Some(Settings::Elastons(settings)) => Ok(Box::new(elastons::assemble(loaded, settings)?)),
        // Loading has refused it already.
        None => Err(loaded.error_at("method", "the settings of the method are missing", "add a table of its name")),
    }
}

/// Builds the simulation of a scene of rods, for those who want to look into it.
pub fn assemble_rods(loaded: &LoadedScene) -> Result<RodsSimulation, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Rods(settings)) => rods::assemble(loaded, settings),
        _ => Err(loaded.error_at("method", "this is no scene of rods", "write `method = \"rods\"`")),
    }
}

/// Builds the simulation of a scene of hair, for those who want to look into it.
pub fn assemble_hair(loaded: &LoadedScene) -> Result<HairSimulation, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Hair(settings)) => hair::assemble(loaded, settings),
        _ => Err(loaded.error_at("method", "this is no scene of hair", "write `method = \"hair\"`")),
    }
}

/// Builds the simulation of a scene of elastons, for those who want to look into it.
pub fn assemble_elastons(loaded: &LoadedScene) -> Result<ElastonsSimulation, SceneError> {
    match loaded.scene.settings() {
        Some(Settings::Elastons(settings)) => elastons::assemble(loaded, settings),
        _ => Err(loaded.error_at("method", "this is no scene of elastons", "write `method = \"elastons\"`")),
    }
}
