//! Bodies whose motion is prescribed as a function of time.

use fibra_core::geometry::{DeformingMesh, Motion, RigidPose, RigidState};
use glam::DVec3;
use std::sync::Arc;

/// A body with prescribed motion.
#[derive(Clone, Debug)]
pub struct Moving {
    /// Rest pose of the body: its pose where `motion` has zero displacement.
    pub rest: RigidPose,
    /// The motion of the body relative to the rest pose.
    pub motion: Motion,
    /// The mesh of the body, if the body deforms.
    pub deforms: Option<Arc<DeformingMesh>>,
}

impl Moving {
    /// Returns the pose of the body at a time [s], relative to `origin` [m].
    pub fn at(&self, time: f64, origin: DVec3) -> RigidPose {
        let RigidState { translation, rotation, .. } = self.motion.at(time);
        let pivot = self.motion.pivot(self.rest.translation);
        RigidPose {
            translation: pivot + translation + rotation * (self.rest.translation - pivot) - origin,
            rotation: (rotation * self.rest.rotation).normalize(),
        }
    }

    /// Like [`Moving::at`], but the translation is that of the center of the body's shape.
    pub fn center_at(&self, time: f64, origin: DVec3) -> RigidPose {
        let pose = self.at(time, origin);
        let center = self.deforms.as_ref().map_or(DVec3::ZERO, |mesh| mesh.center());
        RigidPose { translation: pose.apply(center), ..pose }
    }
}
