//! Rigid poses in world coordinates.

use glam::{DMat3, DQuat, DVec3, EulerRot};

/// Returns the rotation by angles about the fixed x, then y, then z axis [deg], as written in scenes.
pub fn rotation_degrees(angles: [f64; 3]) -> DMat3 {
    let [x, y, z] = angles.map(f64::to_radians);
    DMat3::from_euler(EulerRot::ZYX, z, y, x)
}

/// A rigid transformation: rotation by `rotation`, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidPose {
    /// World position of the body's own origin [m].
    pub translation: DVec3,
    /// Unit quaternion.
    pub rotation: DQuat,
}

impl RigidPose {
    /// The identity: the body frame is the world frame.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// Creates a pose at `translation` [m] without rotation.
    pub fn at(translation: DVec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Transforms a point from the body frame to the world frame [m].
    pub fn apply(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    /// Interpolates toward another pose by a fraction `share`: linear translation, and spherical linear interpolation of the rotation.
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
