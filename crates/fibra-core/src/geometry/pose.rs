//! Where a rigid body is, in world coordinates.

use glam::{DMat3, DQuat, DVec3, EulerRot};

/// The rotation by angles about the fixed x, then y, then z axis [deg], as scenes write it.
pub fn rotation_degrees(angles: [f64; 3]) -> DMat3 {
    let [x, y, z] = angles.map(f64::to_radians);
    DMat3::from_euler(EulerRot::ZYX, z, y, x)
}

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
