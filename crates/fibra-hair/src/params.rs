//! What the user sets about how strands move.

use crate::error::StrandError;
use glam::Vec3;

/// How strands move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandParams {
    /// Acceleration of gravity [m/s^2].
    pub gravity: Vec3,
    /// Rate at which velocities die away in the air [1/s].
    pub drag: f32,
    /// How much of the way what is held goes to where the head wants it in a step, from 0 to 1 [-]; the rest is what it did before.
    pub follow: f32,
    /// How much longer or shorter edges may be than at rest [-]. What elasticity lets through, since a step sees lengths only to first order
    /// and the grid smooths velocities, is taken back.
    pub slack: f32,
    /// How far the head may move in a step before all strands move along.
    pub limits: HeadLimits,
}

impl Default for StrandParams {
    fn default() -> Self {
        StrandParams {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            drag: 0.5,
            follow: 1.0,
            slack: 1e-3,
            limits: HeadLimits::default(),
        }
    }
}

/// How far the head may move in a step. What goes beyond is a rigid motion of all strands, which no step is too long for
/// [Huang2023, Sec. 4.2].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadLimits {
    /// Of its origin [m].
    pub displacement: f32,
    /// [rad]
    pub rotation: f32,
}

impl HeadLimits {
    /// The head's motion always reaches the strands through their roots alone.
    pub const NONE: HeadLimits = HeadLimits { displacement: f32::INFINITY, rotation: f32::INFINITY };
    /// All strands move with the head as one body.
    pub const RIGID: HeadLimits = HeadLimits { displacement: 0.0, rotation: 0.0 };
}

impl Default for HeadLimits {
    fn default() -> Self {
        // At 120 steps per second: 2.4 m/s and nearly four turns per second.
        HeadLimits { displacement: 0.02, rotation: 0.2 }
    }
}

impl StrandParams {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), StrandError> {
        let out_of_range = |what, value, allowed| Err(StrandError::OutOfRange { what, value, allowed });
        if !self.gravity.is_finite() {
            return out_of_range("gravity", self.gravity.length(), "finite");
        }
        if !(self.drag >= 0.0 && self.drag.is_finite()) {
            return out_of_range("drag", self.drag, "zero or positive, and finite");
        }
        if !(self.follow > 0.0 && self.follow <= 1.0) {
            return out_of_range("follow", self.follow, "above 0, up to 1");
        }
        if !(self.slack > 0.0 && self.slack < 1.0) {
            return out_of_range("slack", self.slack, "above 0 and below 1");
        }
        let HeadLimits { displacement, rotation } = self.limits;
        for (what, value) in
            [("limit of the head's displacement", displacement), ("limit of the head's rotation", rotation)]
        {
            if value.is_nan() || value < 0.0 {
                return out_of_range(what, value, "zero or positive");
            }
        }
        Ok(())
    }
}
