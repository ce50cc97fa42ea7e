//! What holds vertices: which ones a pin's region catches, and how they move.

use super::collider::{MESH_CELL, motion};
use super::particles::Content;
use super::shape::{Body, body};
use crate::scene::{LoadedScene, Pin, SceneError};
use fibra_core::geometry::{Collider, Contact, Motion, PlacedCollider};
use fibra_mpm::builder::Builder;
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
            let region = region(loaded, &path, pin, origin)?;
            let caught: Vec<usize> = (0..positions.len())
                .filter(|&vertex| region.signed_distance((positions[vertex] - origin).as_vec3()) <= 0.0)
                .collect();
            if caught.is_empty() {
                let message = format!("`{{}}` holds nothing: no vertex of `{}` is inside its region", object.name);
                return Err(loaded.error_at(&path, &message, "move the region, or make it larger"));
            }
            if let Some(other) = caught.iter().find_map(|&vertex| holder[vertex]) {
                let message = format!("`{{}}` and pin {other} of `{}` hold the same vertices", object.name);
                return Err(loaded.error_at(&path, &message, "keep the regions of an object's pins apart"));
            }
            caught.iter().for_each(|&vertex| holder[vertex] = Some(number));
            let (motion, pivot) = guide(loaded, &path, pin, colliders)?;
            let numbers: Vec<u32> = caught.iter().map(|&vertex| first_numbers[index] + vertex as u32).collect();
            builder.add_pin(&numbers, motion, pivot, pin.until.unwrap_or(f64::INFINITY));
        }
    }
    Ok(())
}

/// The region where vertices are caught.
fn region(loaded: &LoadedScene, path: &str, pin: &Pin, origin: DVec3) -> Result<PlacedCollider, SceneError> {
    let cell = MESH_CELL * loaded.scene.mpm.dx;
    let Body { shape, pose } = body(loaded, &format!("{path}.region"), &pin.region, cell)?;
    let still = Collider {
        name: String::new(),
        shape,
        rest: pose,
        motion: Motion::Still,
        contact: Contact::Separating,
        friction: 0.0,
    };
    Ok(still.place(0.0, origin))
}

/// What the held vertices move with, and the point it turns them about [m].
fn guide(loaded: &LoadedScene, path: &str, pin: &Pin, colliders: &[Collider]) -> Result<(Motion, DVec3), SceneError> {
    let followed = pin.follow.as_ref().and_then(|name| colliders.iter().find(|collider| collider.name == *name));
    let (motion, centre) = match followed {
        Some(collider) => (collider.motion.clone(), collider.rest.translation),
        None => (motion(loaded, path, "the pin", &pin.motion)?, DVec3::from_array(pin.region.center())),
    };
    let pivot = motion.pivot(centre);
    Ok((motion, pivot))
}
