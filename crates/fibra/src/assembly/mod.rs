//! From a scene to a simulation ready to run: shapes to particles, materials to laws, colliders to moving bodies.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | solids of the scene as shapes with a pose; mesh files |
//! | `geometry` | shapes of objects: solids to fill, meshes of surfaces and curves |
//! | `material` | materials of the scene as laws |
//! | `collider` | colliders, their motion, the walls of the domain |
//! | `particles` | the particles of objects, and where they must not be |
//! | `bending`, `pin` | springs against bending, and what holds vertices |
//! | `origin` | the point that particles' coordinates start from |
//!
//! What is wrong with a scene and shows only here (an open mesh, an object inside a collider) comes back as a
//! [`SceneError`] that points at the line to change.

mod bending;
mod collider;
mod geometry;
mod material;
pub(crate) mod origin;
#[cfg(test)]
mod paper_sizes;
mod particles;
mod pin;
mod shape;
#[cfg(test)]
mod tests;

pub use particles::particle_spacing;
pub use shape::read_mesh;

use geometry::Geometry;

use crate::mpm_simulation::MpmSimulation;
use crate::scene::{Integrator, LoadedScene, Mpm, Scene, SceneError, Time, Transfer, memory, mpm};
use fibra_mpm::builder::Builder;
use fibra_mpm::params::{self, Object, Params, StepLimits, Substance};

/// Builds the simulation of a scene, at its start.
pub fn assemble(loaded: &LoadedScene) -> Result<MpmSimulation, SceneError> {
    let scene = &loaded.scene;
    let geometries: Vec<Geometry> =
        (0..scene.objects.len()).map(|object| geometry::geometry(loaded, object)).collect::<Result<_, _>>()?;
    check_memory(loaded, &geometries)?;
    let colliders = collider::colliders(loaded)?;
    let contents = particles::fill(loaded, geometries)?;
    let origin = origin::run_origin(loaded, &contents)?;
    particles::check_overlaps(loaded, &contents, &colliders, origin)?;

    let transfer = transfer(&scene.mpm);
    let mut builder = Builder::new(origin);
    let affine = matches!(transfer, params::Transfer::Apic { .. });
    let first_numbers = particles::add(loaded, &contents, affine, &mut builder)?;
    pin::add(loaded, &contents, &first_numbers, &colliders, origin, &mut builder)?;
    // The meshes the objects were made from are large, and done with.
    drop(contents);
    let (state, meshes) = builder.finish();

    let (objects, substances) = objects(scene);
    let params = Params {
        dx: scene.mpm.dx as f32,
        kernel: kernel(scene.mpm.kernel),
        transfer,
        gravity: scene.gravity.map(|g| g as f32),
        integrator: integrator(&scene.mpm),
        limits: limits(&scene.time),
        objects,
        substances,
        meshes,
        colliders,
        origin,
    };
    Ok(MpmSimulation::new(params, state, scene.colliders.len()))
}

/// Refuses a scene whose objects, those of files included, need more memory than there is.
fn check_memory(loaded: &LoadedScene, geometries: &[Geometry]) -> Result<(), SceneError> {
    let amount = geometries.iter().map(Geometry::amount).sum();
    memory::check(amount, &loaded.scene.mpm, memory::installed())
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

fn integrator(mpm: &Mpm) -> params::Integrator {
    match mpm.integrator {
        Integrator::Explicit => params::Integrator::Explicit,
        Integrator::Implicit => params::Integrator::Implicit(params::Implicit {
            newton_iterations: mpm.implicit.newton_iterations,
            linear_iterations: mpm.implicit.linear_iterations,
            tolerance: mpm.implicit.tolerance as f32,
        }),
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
