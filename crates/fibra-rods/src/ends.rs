//! Held ends: their pose at a given time, and their release.

use crate::rod::{End, EndLoad, Hold};
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

impl End {
    /// Returns the force and the moment on the end at a time [s], if it is not held. `turn` is the rotation of its material frame since the start.
    pub(crate) fn load_at(&self, time: f64, turn: DQuat) -> EndLoad {
        if self.hold_at(time) != Hold::Free {
            return EndLoad::default();
        }
        let factor = self.factor_at(time);
        let turned = |v: DVec3| if self.follower { turn * v } else { v };
        EndLoad { force: factor * turned(self.force), moment: factor * turned(self.moment) }
    }

    /// Returns the factor of the force and the moment at a time [s].
    fn factor_at(&self, time: f64) -> f64 {
        let after = self.schedule.partition_point(|[at, _]| *at <= time);
        match (after.checked_sub(1).map(|before| self.schedule[before]), self.schedule.get(after)) {
            (None, None) => 1.0,
            (Some([_, factor]), None) | (None, Some(&[_, factor])) => factor,
            (Some([from, first]), Some(&[to, last])) => first + (last - first) * (time - from) / (to - from),
        }
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

    #[test]
    fn schedules_are_linear_between_their_times() {
        let force = DVec3::new(1.0, 2.0, 3.0);
        let end = End { schedule: vec![[1.0, 0.0], [2.0, 4.0], [2.0, 1.0], [3.0, -1.0]], ..End::pulled(force) };
        for (time, factor) in [(0.0, 0.0), (1.0, 0.0), (1.25, 1.0), (2.0, 1.0), (2.5, 0.0), (9.0, -1.0)] {
            assert_eq!(end.load_at(time, DQuat::IDENTITY).force, factor * force, "{time}");
        }
        assert_eq!(End::pulled(force).load_at(5.0, DQuat::IDENTITY).force, force);
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
        let end = End { hold: Hold::Clamped, motion: Motion::Spin(spin), release: Some(1.0), ..End::default() };
        let anchor = Anchor { position: DVec3::new(10.0, 5.0, 0.0), frame: DQuat::from_rotation_x(0.3) };
        let pose = anchor.at(&end, 0.5, DVec3::new(10.0, 0.0, 0.0));
        assert!(pose.position.distance(DVec3::new(0.5, 5.0, 0.0)) < 1e-14);
        assert!(pose.frame.dot(DQuat::from_rotation_z(1.0) * anchor.frame).abs() > 1.0 - 1e-14);
        assert_eq!((end.hold_at(0.999), end.hold_at(1.0)), (Hold::Clamped, Hold::Free));
    }
}
