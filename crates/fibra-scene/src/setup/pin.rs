//! Regions and motion of pins, for all methods.

use super::collider::{MESH_CELL, motion};
use super::shape::{Body, body};
use crate::{LoadedScene, Pin, SceneError, Shape, model};
use fibra_core::geometry::{Collider, Contact, Motion, PlacedCollider};
use glam::DVec3;

/// Returns the `region` of the table at `path`: a pin, a pull, bangs or a grading.
pub(super) fn region(
    loaded: &LoadedScene,
    path: &str,
    shape: &Shape,
    origin: DVec3,
) -> Result<PlacedCollider, SceneError> {
    let cell = MESH_CELL * loaded.scene.resolution();
    let Body { shape, pose } = body(loaded, &format!("{path}.region"), shape, &model::Motion::Still, cell)?;
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

/// Returns the motion of a pin and its center of rotation [m].
pub(super) fn guide(
    loaded: &LoadedScene,
    path: &str,
    pin: &Pin,
    colliders: &[Collider],
) -> Result<(Motion, DVec3), SceneError> {
    let followed = pin.follow.as_ref().and_then(|name| colliders.iter().find(|collider| collider.name == *name));
    let (motion, center) = match followed {
        Some(collider) => (collider.motion.clone(), collider.rest.translation),
        None => (motion(loaded, path, "the pin", &pin.motion)?, DVec3::from_array(pin.region.center())),
    };
    let pivot = motion.pivot(center);
    Ok((motion, pivot))
}
