//! Pinned vertices of cloth and fibers.

use super::particles::Content;
use super::pin::{guide, region};
use crate::{LoadedScene, SceneError};
use fibra_core::geometry::Collider;
use fibra_mpm::internals::builder::Builder;
use glam::DVec3;

/// Adds the pins of all objects, whose vertices are numbered from `first_numbers`.
pub(super) fn add(
    loaded: &LoadedScene,
    contents: &[Content],
    first_numbers: &[u32],
    colliders: &[Collider],
    origin: DVec3,
    builder: &mut Builder,
) -> Result<(), SceneError> {
    for (index, object) in loaded.scene.objects.iter().enumerate() {
        let positions = contents[index].positions();
        let mut holder: Vec<Option<usize>> = vec![None; if object.pins.is_empty() { 0 } else { positions.len() }];
        for (number, pin) in object.pins.iter().enumerate() {
            let path = format!("object.{index}.pin.{number}");
            let region = region(loaded, &path, &pin.region, origin)?;
            let caught: Vec<usize> = (0..positions.len())
                .filter(|&vertex| region.signed_distance((positions[vertex] - origin).as_vec3()) <= 0.0)
                .collect();
            if caught.is_empty() {
                let message = format!("`{{}}` pins nothing: no vertex of `{}` is inside its region", object.name);
                return Err(loaded.error_at(&path, &message, "move the region, or make it larger"));
            }
            if let Some(other) = caught.iter().find_map(|&vertex| holder[vertex]) {
                let message = format!("`{{}}` and pin {other} of `{}` pin the same vertices", object.name);
                return Err(loaded.error_at(&path, &message, "keep the regions of an object's pins apart"));
            }
            caught.iter().for_each(|&vertex| holder[vertex] = Some(number));
            let points: Vec<DVec3> = caught.iter().map(|&vertex| positions[vertex]).collect();
            let numbers: Vec<u32> = caught.iter().map(|&vertex| first_numbers[index] + vertex as u32).collect();
            for (group, motion, pivot) in guide(loaded, &path, pin, colliders)?.groups(&points) {
                builder.add_pin(&numbers[group], motion, pivot, pin.until.unwrap_or(f64::INFINITY));
            }
        }
    }
    Ok(())
}
