//! Where a rigid body is, in world coordinates.

use glam::{DQuat, DVec3};

/// A rigid placement: rotate by `rotation`, then translate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidPose {
    /// World position of the body's own origin [m].
    pub translation: DVec3,
    /// Unit quaternion.
    pub rotation: DQuat,
}

impl RigidPose {
    /// The body's frame is the world's.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// At `translation` [m], not turned.
    pub fn at(translation: DVec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// World position [m] of a point given in the body's frame [m].
    pub fn apply(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    /// A share of the way to another pose: straight, with the shortest turn at a constant rate.
    pub fn towards(&self, other: &Self, share: f64) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, share),
            rotation: self.rotation.slerp(other.rotation, share).normalize(),
        }
    }
}

impl Default for RigidPose {
    fn default() -> Self {
        Self::IDENTITY
    }
}
