//! User parameters of strand dynamics.

use crate::error::StrandError;
use glam::Vec3;

/// Parameters of strand dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandParams {
    /// Acceleration of gravity [m/s^2].
    pub gravity: Vec3,
    /// Linear air drag: decay rate of velocities [1/s].
    pub drag: f32,
    /// Fraction of the velocity change that pinned vertices make per step to reach their target on the head, from 0 to 1 [-]. At 1 they reach the
    /// target; below 1 they keep part of their previous velocity.
    pub follow: f32,
    /// Maximum relative deviation of edge lengths from rest [-]. Larger deviations are projected back. They occur because a step treats lengths only
    /// to first order and the grid smooths velocities.
    pub slack: f32,
    /// Maximum head motion per step that acts through the roots only. The excess moves the strands on the head rigidly.
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

/// Limits of the head motion per step. The excess is applied to the strands on the head as a rigid motion, which is stable for any step length [Huang2023, Sec.
/// 4.2].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadLimits {
    /// Maximum displacement of the head's origin [m].
    pub displacement: f32,
    /// Maximum rotation [rad].
    pub rotation: f32,
}

impl HeadLimits {
    /// No limits: head motion acts on the strands through their roots only.
    pub const NONE: HeadLimits = HeadLimits { displacement: f32::INFINITY, rotation: f32::INFINITY };
    /// Zero limits: all strands move with the head as a rigid body.
    pub const RIGID: HeadLimits = HeadLimits { displacement: 0.0, rotation: 0.0 };
}

impl Default for HeadLimits {
    fn default() -> Self {
        // At 120 steps per second: 2.4 m/s and nearly four revolutions per second.
        HeadLimits { displacement: 0.02, rotation: 0.2 }
    }
}

impl StrandParams {
    /// Rejects values out of range.
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
