//! Sets up simulations with the material point method from scenes.

use super::anisotropy::anisotropic;
use super::geometry::{Geometry, geometry};
use super::overlaps::Obstacles;
use super::rejected::too_large;
use super::{collider, grains, held_vertices, material, origin, particles};
use crate::model::memory::Amount;
use crate::model::mpm::Kernel;
use crate::{Integrator, LoadedScene, Mpm, SceneError, Time, Transfer, memory};
use fibra_mpm::MpmSim;
use fibra_mpm::internals::builder::Builder;
use fibra_mpm::internals::params::{self, Object, Params, StepLimits, Substance};
use fibra_mpm::materials::Material;
use std::sync::Arc;

/// Initial state of a scene of the material point method.
pub struct MpmSetup {
    /// The particles and their colliders.
    pub sim: MpmSim,
    /// Number of colliders that belong to the scene and are written to frames; walls of the domain follow them.
    pub shown_colliders: usize,
    /// Warnings for the user, one line each.
    pub warnings: Vec<String>,
}

/// Sets up a scene at its start.
pub(super) fn set_up(loaded: &LoadedScene, mpm: &Mpm) -> Result<MpmSetup, SceneError> {
    let scene = &loaded.scene;
    let geometries: Vec<Geometry> =
        (0..scene.objects.len()).map(|object| geometry(loaded, object)).collect::<Result<_, _>>()?;
    check_memory(loaded, mpm, &geometries)?;
    let colliders = collider::colliders(loaded)?;
    let bodies = grains::bodies(loaded, &geometries);
    let contents = particles::fill(loaded, mpm, geometries)?;
    let origin = origin::run_origin(loaded, contents.iter().flat_map(|content| content.positions().iter().copied()))?;
    particles::check_overlaps(&Obstacles::new(loaded, &colliders, origin), &contents, origin)?;

    let transfer = transfer(mpm);
    let mut builder = Builder::new(origin);
    let affine = matches!(transfer, params::Transfer::Apic { .. });
    let first_numbers = particles::add(loaded, &contents, affine, &mut builder)?;
    held_vertices::add(loaded, &contents, &first_numbers, &colliders, origin, &mut builder)?;
    let counts = grains::counts(&contents);
    // Free the meshes of the objects: they are large and no longer needed.
    drop(contents);
    let (mut state, meshes) = builder.finish();
    let grains = grains::add(loaded, mpm, &bodies, (&first_numbers, &counts), (&mut state, origin))?;

    let (objects, substances) = objects(loaded)?;
    let params = Params {
        dx: mpm.dx as f32,
        kernel: kernel(mpm.kernel),
        transfer,
        gravity: scene.gravity.map(|g| g as f32),
        integrator: integrator(mpm),
        limits: limits(&scene.time),
        objects,
        substances,
        meshes,
        grains,
        colliders,
        origin,
    };
    let (shown_colliders, warnings) = (scene.bodies().len(), assumed_sizes(loaded));
    Ok(MpmSetup { sim: MpmSim::from_parts(params, state), shown_colliders, warnings })
}

/// Returns a warning for each cloth without a thickness and each fiber without a radius. Mass and forces are proportional to its cross-section, so a
/// default that nobody noticed changes the result.
fn assumed_sizes(loaded: &LoadedScene) -> Vec<String> {
    let warning = |(index, object): (usize, &crate::Object)| {
        let (key, size, unit) = match &object.material {
            crate::Material::Cloth(cloth) => ("cloth.thickness", cloth.thickness, "kg/m^2"),
            crate::Material::Fiber(fiber) => ("fiber.radius", fiber.radius, "kg/m"),
            _ => return None,
        };
        if loaded.is_set(&format!("object.{index}.material.{key}")) {
            return None;
        }
        let mass = object.material.density() * material::mesh(&object.material).section;
        let name = &object.name;
        Some(format!(
            "`{name}` does not set `material.{key}`: the default of {size} m is used, which gives {mass:.2e} {unit}"
        ))
    };
    loaded.scene.objects.iter().enumerate().filter_map(warning).collect()
}

/// Rejects a scene whose objects, including those from files, need more memory than is installed.
fn check_memory(loaded: &LoadedScene, mpm: &Mpm, geometries: &[Geometry]) -> Result<(), SceneError> {
    let amount = geometries.iter().zip(&loaded.scene.objects).map(|(geometry, object)| {
        let amount = geometry.amount();
        Amount { grain_volume: object.grains_per_particle() * amount.volume, ..amount }
    });
    let amount = amount.sum();
    memory::check(amount, mpm, memory::installed())
        .map_err(|refusal| too_large(loaded, "mpm.dx", &refusal, geometries.iter().map(Geometry::bounds)))
}

/// Returns the objects by index and their materials. Equal materials are shared, so that their particles are processed together.
fn objects(loaded: &LoadedScene) -> Result<(Vec<Object>, Vec<Substance>), SceneError> {
    let mut substances: Vec<Substance> = Vec::new();
    let mut share = |substance: Substance| match substances.iter().position(|known| *known == substance) {
        Some(index) => index as u32,
        None => {
            substances.push(substance);
            substances.len() as u32 - 1
        }
    };
    let object = |(index, object): (usize, &crate::Object)| -> Result<Object, SceneError> {
        // Loading rejects materials without a constitutive model and invalid anisotropy.
        let mut substance = material::substance(&object.material).ok_or_else(|| {
            loaded.error_at(
                &format!("object.{index}.material"),
                "method `mpm` does not support rods",
                "use another material",
            )
        })?;
        if let Some(wanted) = &object.anisotropy {
            let wrapped = anisotropic(&object.material, wanted).map_err(|bad| {
                loaded.error_at(&format!("object.{index}.anisotropy"), &bad.to_string(), "write other numbers")
            })?;
            substance.material = Material::Anisotropic(Arc::new(wrapped));
        }
        Ok(Object { name: object.name.clone(), material: share(substance) })
    };
    let objects = loaded.scene.objects.iter().enumerate().map(object).collect::<Result<_, _>>()?;
    Ok((objects, substances))
}

fn kernel(kernel: Kernel) -> params::Kernel {
    match kernel {
        Kernel::Linear => params::Kernel::Linear,
        Kernel::Quadratic => params::Kernel::Quadratic,
        Kernel::Cubic => params::Kernel::Cubic,
    }
}

fn transfer(mpm: &Mpm) -> params::Transfer {
    let ratio = mpm.flip_ratio as f32;
    match mpm.transfer {
        Transfer::Apic => params::Transfer::Apic { damping: mpm.damping_rate as f32 },
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
        // A step never extends beyond the end of its frame, so this default imposes no limit.
        max_dt: time.max_dt.unwrap_or(1.0 / time.fps),
        min_dt: time.min_dt,
    }
}
