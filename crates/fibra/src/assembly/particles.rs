//! Filling objects with particles.

use super::shape::{Body, body};
use crate::scene::{self, LoadedScene, Pattern, Scene, SceneError};
use fibra_core::geometry::sampling::{self, Samples, SamplingError};
use fibra_core::geometry::{Collider, PlacedCollider};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::random::CounterRng;
use fibra_mpm::kind::Kind;
use fibra_mpm::params::{Params, Transfer};
use fibra_mpm::state::State;
use glam::DVec3;
use rayon::prelude::*;

/// Share of an object's particles that may start inside colliders [-]; more is a mistake, less a tight fit.
const MOST_INSIDE: f64 = 0.5;

/// An object's particles.
pub(super) struct Filled {
    pub(super) samples: Samples,
    /// The point the object's angular velocity turns it about [m].
    centre: DVec3,
}

/// The bodies of the scene's objects.
pub(super) fn bodies(loaded: &LoadedScene) -> Result<Vec<Body>, SceneError> {
    // Filling a mesh asks its surface, not its sampled distances, so the coarsest sampling will do.
    let cell = f64::INFINITY;
    let objects = loaded.scene.objects.iter().enumerate();
    objects.map(|(index, object)| body(loaded, &format!("object.{index}.shape"), &object.shape, cell)).collect()
}

/// Fills every object.
pub(super) fn fill(loaded: &LoadedScene, bodies: &[Body]) -> Result<Vec<Filled>, SceneError> {
    let mpm = &loaded.scene.mpm;
    let spacing = particle_spacing(&loaded.scene);
    let pattern = match mpm.pattern {
        Pattern::Lattice => sampling::Pattern::Lattice,
        Pattern::Jittered => sampling::Pattern::Jittered,
    };
    let seeds = CounterRng::new(mpm.seed);
    let mut filled = Vec::new();
    let mut total = 0u64;
    for (index, Body { shape, pose }) in bodies.iter().enumerate() {
        let path = format!("object.{index}.shape");
        let seed = seeds.bits(&[index as u64]);
        let samples = sampling::fill(shape, spacing, pose, seed, pattern).map_err(|error| {
            let remedy = match error {
                SamplingError::Empty { .. } => "make the shape larger, or `mpm.dx` smaller",
                _ => "make the shape smaller, or `mpm.dx` larger",
            };
            loaded.error_at(&path, &format!("`{{}}` cannot be filled with particles: {error}"), remedy)
        })?;
        total += samples.points.len() as u64;
        if total > u64::from(u32::MAX) {
            return Err(loaded.error_at(
                &path,
                "there are more particles than can be counted",
                "use a larger `mpm.dx`",
            ));
        }
        filled.push(Filled { samples, centre: pose.translation });
    }
    Ok(filled)
}

/// Distance between neighbouring particles at the start [m].
pub fn particle_spacing(scene: &Scene) -> f64 {
    scene.mpm.dx / f64::from(scene.mpm.particles_per_cell).cbrt()
}

/// Refuses objects that start inside a collider or outside the domain.
pub(super) fn check_overlaps(
    loaded: &LoadedScene,
    filled: &[Filled],
    colliders: &[Collider],
    origin: DVec3,
) -> Result<(), SceneError> {
    let placed: Vec<PlacedCollider> = colliders.iter().map(|collider| collider.place(0.0, origin)).collect();
    let (bodies, walls) = placed.split_at(loaded.scene.colliders.len());
    for (index, object) in filled.iter().enumerate() {
        let name = &loaded.scene.objects[index].name;
        let path = format!("object.{index}.shape");
        let points = &object.samples.points;
        let inside = |collider: &PlacedCollider| {
            let deep = |point: &&DVec3| collider.signed_distance((**point - origin).as_vec3()) < 0.0;
            points.par_iter().filter(deep).count() as f64 / points.len() as f64
        };
        for (collider, body) in bodies.iter().enumerate() {
            let share = inside(body);
            if share > MOST_INSIDE {
                let other = &loaded.scene.colliders[collider].name;
                let message = format!("object `{name}` starts inside collider `{other}`, {:.0} % of it", 100.0 * share);
                return Err(loaded.error_at(&path, &message, "move one of the two, or make the collider smaller"));
            }
        }
        if walls.iter().any(|wall| inside(wall) > 0.0) {
            let message = format!("object `{name}` starts outside the domain");
            return Err(loaded.error_at(&path, &message, "move it, or widen the domain"));
        }
    }
    Ok(())
}

/// The particles at time 0, numbered object by object.
pub(super) fn state(scene: &Scene, filled: &[Filled], params: &Params) -> State {
    let mut state = State::default();
    let p = &mut state.particles;
    for (index, (object, Filled { samples, centre })) in scene.objects.iter().zip(filled).enumerate() {
        let scene::Object { velocity, angular_velocity, material, .. } = object;
        let [velocity, spin] = [*velocity, *angular_velocity].map(DVec3::from_array);
        let count = samples.points.len();
        // Each particle takes an equal share of the exact volume, so that the object has its exact mass.
        let volume = samples.particle_volume();
        for point in &samples.points {
            p.x.push((*point - params.origin).as_vec3().to_array());
            p.v.push((velocity + spin.cross(*point - *centre)).as_vec3().to_array());
        }
        let affine = match params.transfer {
            Transfer::Apic { .. } => turning(spin),
            _ => Mat3::ZERO,
        };
        let total = p.x.len();
        p.c.resize(total, affine);
        p.f.resize(total, Mat3::IDENTITY);
        p.tau.resize(total, Sym3::default());
        p.memory.resize(total, 0.0);
        p.mass.resize(total, (material.density() * volume) as f32);
        p.volume.resize(total, volume as f32);
        p.kind.resize(total, Kind::Point);
        p.object.resize(total, index as u32);
        let first = (total - count) as u32;
        p.id.extend(first..total as u32);
    }
    state
}

/// The velocity gradient of a rigid rotation: `C r = spin x r` [1/s].
fn turning(spin: DVec3) -> Mat3 {
    let [x, y, z] = spin.as_vec3().to_array();
    Mat3::from_rows([0.0, -z, y, z, 0.0, -x, -y, x, 0.0])
}
