//! Display grains of solids, placed around the particles of their objects.

use super::geometry::Geometry;
use super::particle_spacing;
use super::particles::Content;
use super::shape::Body;
use crate::{LoadedScene, Mpm, SceneError};
use fibra_core::geometry::Shape;
use fibra_core::random::CounterRng;
use fibra_mpm::internals::display_grains::GrainLot;
use fibra_mpm::internals::display_grains::seed::{Seeding, seed};
use fibra_mpm::internals::state::State;
use glam::DVec3;

/// Returns for each object the body that its grains must be inside; `None` for objects without grains.
pub(super) fn bodies(loaded: &LoadedScene, geometries: &[Geometry]) -> Vec<Option<Body>> {
    let body = |(object, geometry): (&crate::Object, &Geometry)| match (object.grains, geometry) {
        (Some(_), Geometry::Solid(body)) => Some(body.clone()),
        _ => None,
    };
    loaded.scene.objects.iter().zip(geometries).map(body).collect()
}

/// Returns the number of points of each object, in scene order.
pub(super) fn counts(contents: &[Content]) -> Vec<usize> {
    contents.iter().map(|content| content.positions().len()).collect()
}

/// Adds grains to a state whose particles are ordered by their numbers. `firsts` and `counts` give the first particle and the number of particles of each object.
pub(super) fn add(
    loaded: &LoadedScene,
    mpm: &Mpm,
    bodies: &[Option<Body>],
    (firsts, counts): (&[u32], &[usize]),
    (state, origin): (&mut State, DVec3),
) -> Result<Vec<GrainLot>, SceneError> {
    let mut lots = Vec::new();
    for (index, object) in loaded.scene.objects.iter().enumerate() {
        let (Some(grains), Some(body)) = (object.grains, &bodies[index]) else { continue };
        let total = counts[index] as u64 * u64::from(grains.per_particle);
        let Ok(count) = u32::try_from(total) else {
            let message =
                format!("object `{}` would have {total:.1e} grains, more than 32-bit indices allow", object.name);
            let path = format!("object.{index}.grains.per_particle");
            return Err(loaded.error_at(&path, &message, "use fewer grains per particle, or a larger `mpm.dx`"));
        };
        let seeding = Seeding {
            per_particle: grains.per_particle,
            spacing: particle_spacing(mpm),
            spread: grains.spread_degrees.to_radians(),
            round: grains.shape.is_round(),
            seed: CounterRng::new(mpm.seed).bits(&[index as u64, 1]),
        };
        let first = firsts[index] as usize;
        let within = |x: DVec3| contains(body, origin + x);
        let seeds = seed(&state.particles, first..first + counts[index], &seeding, within);
        state.grains.reserve_exact(seeds.len());
        state.grains.extend(seeds);
        lots.push(GrainLot {
            object: index as u32,
            count,
            radius: 0.5 * grains.size.into_iter().fold(f64::INFINITY, f64::min) as f32,
            escape_density: grains.escape_density as f32,
        });
    }
    state.flying = vec![0; state.grains.len()];
    Ok(lots)
}

/// Returns whether a point in world coordinates [m] is inside the body. Returns true for all bodies for which the test is expensive.
fn contains(body: &Body, x: DVec3) -> bool {
    if let Shape::Mesh(_) | Shape::Deforming(_) | Shape::Deformed(_) = body.shape {
        return true;
    }
    let local = body.pose.rotation.inverse() * (x - body.pose.translation) - body.shape.center();
    body.shape.signed_distance(local.as_vec3()) < 0.0
}
