//! Regions and motion of pins, for all methods.

use super::collider::{MESH_CELL, motion};
use super::shape::{Body, body};
use crate::{LoadedScene, Pin, SceneError, Shape, model};
use fibra_core::geometry::{self, Attachment, Collider, Contact, Motion, PlacedCollider};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

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

/// What moves a pin.
pub(super) enum Guide {
    /// A rigid motion about a pivot [m].
    Rigid(Motion, DVec3),
    /// The surface of a deforming collider.
    Surface(Arc<Collider>),
}

impl Guide {
    /// Splits pinned points [m] into groups that move rigidly. Returns the range of each group, its motion and the pivot of the motion [m].
    pub(super) fn groups(&self, points: &[DVec3]) -> Vec<(Range<usize>, Motion, DVec3)> {
        match self {
            Guide::Rigid(motion, pivot) => vec![(0..points.len(), motion.clone(), *pivot)],
            Guide::Surface(collider) => {
                // The coordinates are finite, so a nearest triangle exists.
                let motion = |x: DVec3| Attachment::new(collider, x).map_or(Motion::Still, Motion::Attached);
                points.iter().enumerate().map(|(i, &x)| (i..i + 1, motion(x), x)).collect()
            }
        }
    }

    /// Returns the motions of a polyline that is pinned as a whole: one for all its points [m], or one per point.
    pub(super) fn motions(&self, points: &[DVec3]) -> Vec<Motion> {
        self.groups(points).into_iter().map(|(_, motion, pivot)| motion.about(pivot)).collect()
    }

    /// Returns the motion of one pinned point [m].
    pub(super) fn motion_of(&self, point: DVec3) -> Motion {
        self.motions(&[point]).remove(0)
    }
}

/// Returns what moves a pin.
pub(super) fn guide(loaded: &LoadedScene, path: &str, pin: &Pin, colliders: &[Collider]) -> Result<Guide, SceneError> {
    let followed = pin.follow.as_ref().and_then(|name| colliders.iter().find(|collider| collider.name == *name));
    let (motion, center) = match followed {
        Some(collider) if matches!(collider.shape, geometry::Shape::Deforming(_)) => {
            return Ok(Guide::Surface(Arc::new(collider.clone())));
        }
        Some(collider) => (collider.motion.clone(), collider.rest.translation),
        None => (motion(loaded, path, "the pin", &pin.motion)?, DVec3::from_array(pin.region.center())),
    };
    let pivot = motion.pivot(center);
    Ok(Guide::Rigid(motion, pivot))
}
