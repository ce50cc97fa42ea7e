//! Held ends: their pose at a given time, and their release.

use crate::rod::{End, Hold};
use glam::{DQuat, DVec3};

impl End {
    /// A free end.
    pub fn free() -> End {
        End::default()
    }

    /// An end whose position is held, but not its direction.
    pub fn pinned() -> End {
        End { hold: Hold::Pinned, ..End::default() }
    }

    /// An end whose position, direction and twist are held.
    pub fn clamped() -> End {
        End { hold: Hold::Clamped, ..End::default() }
    }

    /// A free end with a force on it [N].
    pub fn pulled(force: DVec3) -> End {
        End { force, ..End::default() }
    }

    /// Returns the constraint that is active at a time [s].
    pub fn hold_at(&self, time: f64) -> Hold {
        if self.release.is_none_or(|release| time < release) { self.hold } else { Hold::Free }
    }
}

/// Initial pose of an end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Anchor {
    /// Position in world coordinates [m].
    pub position: DVec3,
    /// Frame of the clamp; the third axis is the tangent of the rod.
    pub frame: DQuat,
}

/// A position, relative to the run origin [m], and a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    /// Position [m].
    pub position: DVec3,
    /// Frame, as the rotation from the world axes.
    pub frame: DQuat,
}

impl Anchor {
    /// Returns the pose that the motion of an end prescribes at a time.
    pub fn at(&self, end: &End, time: f64, origin: DVec3) -> Pose {
        let moved = end.motion.at(time);
        let pivot = end.motion.pivot(self.position);
        let position = (pivot - origin) + moved.translation + moved.rotation * (self.position - pivot);
        Pose { position, frame: (moved.rotation * self.frame).normalize() }
    }
}

/// Returns the shortest rotation from one frame to another, as axis times angle in the axes of the first frame [rad].
pub(crate) fn rotation_between(from: DQuat, to: DQuat) -> DVec3 {
    let delta = from.conjugate() * to;
    let delta = if delta.w < 0.0 { -delta } else { delta };
    let sine = delta.xyz().length();
    // Near zero, angle / sine tends to one.
    let ratio = if sine < 1e-9 { 1.0 } else { sine.atan2(delta.w) / sine };
    2.0 * ratio * delta.xyz()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::{Motion, Spin};

    #[test]
    fn rotation_between_recovers_a_known_rotation() {
        for turn in [DVec3::ZERO, DVec3::new(1e-12, 0.0, 0.0), DVec3::new(0.4, -2.0, 0.7)] {
            let from = DQuat::from_scaled_axis(DVec3::new(0.3, 0.1, -2.0));
            for sign in [1.0, -1.0] {
                let back = rotation_between(from, from * DQuat::from_scaled_axis(turn) * sign);
                assert!(back.distance(turn) < 1e-14, "{turn}: {back}");
            }
        }
    }

    /// Regression: `release` was a number with default 0, so an end held without setting it was released at once.
    #[test]
    fn held_ends_stay_held_by_default() {
        for hold in [Hold::Pinned, Hold::Clamped] {
            let end = End { hold, ..Default::default() };
            assert_eq!([0.0, 1e9].map(|time| end.hold_at(time)), [hold; 2]);
        }
    }

    #[test]
    fn ends_rotate_about_their_own_position_and_are_released() {
        let spin = Spin::new(DVec3::Z, 2.0, None).unwrap().moving(DVec3::X).unwrap();
        let end = End { hold: Hold::Clamped, motion: Motion::Spin(spin), release: Some(1.0), force: DVec3::ZERO };
        let anchor = Anchor { position: DVec3::new(10.0, 5.0, 0.0), frame: DQuat::from_rotation_x(0.3) };
        let pose = anchor.at(&end, 0.5, DVec3::new(10.0, 0.0, 0.0));
        assert!(pose.position.distance(DVec3::new(0.5, 5.0, 0.0)) < 1e-14);
        assert!(pose.frame.dot(DQuat::from_rotation_z(1.0) * anchor.frame).abs() > 1.0 - 1e-14);
        assert_eq!((end.hold_at(0.999), end.hold_at(1.0)), (Hold::Clamped, Hold::Free));
    }
}
