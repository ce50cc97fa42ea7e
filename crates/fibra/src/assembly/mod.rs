//! From a scene to a simulation ready to run: shapes to particles, materials to laws, colliders to moving bodies.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | shapes of the scene as shapes with a pose; mesh files |
//! | `material` | materials of the scene as laws |
//! | `collider` | colliders, their motion, the walls of the domain |
//! | `particles` | filling objects with particles, and where they must not be |
//! | `origin` | the point that particles' coordinates start from |
//!
//! What is wrong with a scene and shows only here (an open mesh, an object inside a collider) comes back as a
//! [`SceneError`] that points at the line to change.

mod collider;
mod material;
pub(crate) mod origin;
mod particles;
mod shape;
#[cfg(test)]
mod tests;

pub use particles::particle_spacing;
pub use shape::read_mesh;

use shape::Body;

use crate::mpm_simulation::MpmSimulation;
use crate::scene::{LoadedScene, Mpm, Scene, SceneError, Time, Transfer, memory, mpm};
use fibra_mpm::mesh::Meshes;
use fibra_mpm::params::{self, Integrator, Object, Params, StepLimits, Substance};

/// Builds the simulation of a scene, at its start.
pub fn assemble(loaded: &LoadedScene) -> Result<MpmSimulation, SceneError> {
    let scene = &loaded.scene;
    let bodies = particles::bodies(loaded)?;
    check_memory(loaded, &bodies)?;
    let colliders = collider::colliders(loaded)?;
    let filled = particles::fill(loaded, &bodies)?;
    let origin = origin::run_origin(loaded, &filled)?;
    particles::check_overlaps(loaded, &filled, &colliders, origin)?;

    let (objects, substances) = objects(scene);
    let params = Params {
        dx: scene.mpm.dx as f32,
        kernel: kernel(scene.mpm.kernel),
        transfer: transfer(&scene.mpm),
        gravity: scene.gravity.map(|g| g as f32),
        integrator: Integrator::Explicit,
        meshes: Meshes::default(),
        limits: limits(&scene.time),
        objects,
        substances,
        colliders,
        origin,
    };
    let state = particles::state(scene, &filled, &params);
    Ok(MpmSimulation::new(params, state, scene.colliders.len()))
}

/// Refuses a scene whose objects, meshes included, need more memory than there is.
fn check_memory(loaded: &LoadedScene, bodies: &[Body]) -> Result<(), SceneError> {
    let volume = bodies.iter().filter_map(|body| body.shape.volume()).sum();
    memory::check(volume, &loaded.scene.mpm, memory::installed())
        .map_err(|refusal| loaded.error_at("mpm.dx", &refusal.message, &refusal.remedy))
}

/// Objects by index, and their materials; equal ones are shared, so that their particles are handled together.
fn objects(scene: &Scene) -> (Vec<Object>, Vec<Substance>) {
    let mut substances: Vec<Substance> = Vec::new();
    let mut share = |substance: Substance| match substances.iter().position(|known| *known == substance) {
        Some(index) => index as u32,
        None => {
            substances.push(substance);
            substances.len() as u32 - 1
        }
    };
    let object = |object: &crate::scene::Object| Object {
        name: object.name.clone(),
        material: share(material::substance(&object.material)),
    };
    (scene.objects.iter().map(object).collect(), substances)
}

fn kernel(kernel: mpm::Kernel) -> params::Kernel {
    match kernel {
        mpm::Kernel::Linear => params::Kernel::Linear,
        mpm::Kernel::Quadratic => params::Kernel::Quadratic,
        mpm::Kernel::Cubic => params::Kernel::Cubic,
    }
}

fn transfer(mpm: &Mpm) -> params::Transfer {
    let ratio = mpm.flip_ratio as f32;
    match mpm.transfer {
        Transfer::Apic => params::Transfer::Apic { damping: mpm.damping as f32 },
        Transfer::Pic => params::Transfer::Pic,
        Transfer::Flip => params::Transfer::Flip { ratio },
        Transfer::Sflip => {
            params::Transfer::Sflip { ratio, trap_breaking: mpm.trap_breaking.map(|share| share as f32) }
        }
    }
}

fn limits(time: &Time) -> StepLimits {
    StepLimits {
        cfl: time.cfl as f32,
        sound_cfl: time.sound_cfl as f32,
        // A step ends with its frame at the latest, so this is no limit at all.
        max_dt: time.max_dt.unwrap_or(1.0 / time.fps),
        min_dt: time.min_dt,
    }
}
