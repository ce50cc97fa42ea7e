//! Motion through random poses, a stress test for hair on a head.

use super::motion::turn;
use super::{MotionError, RigidState};
use crate::random::CounterRng;
use glam::{DQuat, DVec3};

/// Motion through random poses, one per interval, with zero velocity at each.
///
/// The interpolation parameter between two poses is 10 u^3 - 15 u^4 + 6 u^5, so that velocity and acceleration are continuous. The highest
/// speed is 1.875 times the mean. The motion starts at rest in the rest pose and never ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomTrajectory {
    random: CounterRng,
    interval: f64,
    reach: DVec3,
    turn: DVec3,
    /// World position of the rotation pivot [m]; the body's rest position if `None`.
    pub(super) pivot: Option<DVec3>,
}

impl RandomTrajectory {
    /// Creates a motion with a pose every `interval` [s]. Poses are translated by up to `reach` along each axis [m] and rotated by a
    /// rotation vector (axis times angle) of up to `turn` along each axis [rad]. `seed` determines all poses.
    pub fn new(seed: u64, interval: f64, reach: DVec3, turn: DVec3) -> Result<Self, MotionError> {
        if !(interval > 0.0 && interval.is_finite()) {
            return Err(MotionError::RandomInterval { interval });
        }
        for (what, limit) in [("reach", reach), ("turn", turn)] {
            if !limit.is_finite() || limit.min_element() < 0.0 {
                return Err(MotionError::RandomLimit { what, limit });
            }
        }
        Ok(Self { random: CounterRng::new(seed), interval, reach, turn, pivot: None })
    }

    /// Returns the state at time `t` [s].
    pub(super) fn at(&self, t: f64) -> RigidState {
        let progress = (t / self.interval).max(0.0);
        let ([from, to], u) =
            ([progress.floor(), progress.floor() + 1.0].map(|k| self.pose(k as u64)), progress.fract());
        let share = u.powi(3) * (10.0 + u * (6.0 * u - 15.0));
        let speed = 30.0 * (u * (1.0 - u)).powi(2) / self.interval;
        let turn = turn(from.1, to.1);
        RigidState {
            translation: from.0.lerp(to.0, share),
            rotation: (DQuat::from_scaled_axis(share * turn) * from.1).normalize(),
            linear_velocity: speed * (to.0 - from.0),
            angular_velocity: speed * turn,
        }
    }

    /// Returns pose number `k`: translation [m] and rotation.
    fn pose(&self, k: u64) -> (DVec3, DQuat) {
        if k == 0 {
            return (DVec3::ZERO, DQuat::IDENTITY);
        }
        let [shift, turn] = [0, 1]
            .map(|kind| DVec3::from_array([0, 1, 2].map(|axis| 2.0 * self.random.uniform(&[k, kind, axis]) - 1.0)));
        (self.reach * shift, DQuat::from_scaled_axis(self.turn * turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Motion;
    use proptest::prelude::*;

    fn trajectory(seed: u64) -> Motion {
        let (reach, turn) = (DVec3::new(0.3, 0.2, 0.1), DVec3::new(0.5, 3.0, 0.0));
        Motion::Random(RandomTrajectory::new(seed, 0.25, reach, turn).unwrap())
    }

    #[test]
    fn trajectory_starts_at_rest_and_stays_within_limits() {
        let motion = trajectory(4);
        assert_eq!(motion.at(0.0), RigidState::REST);
        assert_eq!(motion.at(-2.0), RigidState::REST);
        assert_ne!(motion.at(0.2), trajectory(5).at(0.2));
        assert_eq!(motion.at(7.3), trajectory(4).at(7.3));
        let mut far = DVec3::ZERO;
        for i in 0..2000 {
            let state = motion.at(0.25 * f64::from(i));
            far = far.max(state.translation.abs());
            assert!(state.linear_velocity == DVec3::ZERO && state.angular_velocity == DVec3::ZERO);
        }
        assert!(far.cmple(DVec3::new(0.3, 0.2, 0.1)).all() && far.cmpgt(0.99 * DVec3::new(0.3, 0.2, 0.1)).all());
        assert_eq!(motion.about(DVec3::X).pivot(DVec3::ZERO), DVec3::X);
    }

    #[test]
    fn invalid_trajectories_are_errors() {
        for interval in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(RandomTrajectory::new(0, interval, DVec3::ONE, DVec3::ONE).is_err());
        }
        let error = RandomTrajectory::new(0, 1.0, DVec3::ONE, DVec3::NEG_Y).unwrap_err().to_string();
        assert!(error.contains("turn") && error.contains("not negative"), "{error}");
        assert!(RandomTrajectory::new(0, 1.0, DVec3::NAN, DVec3::ZERO).is_err());
    }

    proptest! {
        #[test]
        fn velocities_are_derivatives(t in 0.0..20.0f64, seed in 0..9u64) {
            let (motion, h) = (trajectory(seed), 1e-6);
            let (before, now, after) = (motion.at(t - h), motion.at(t), motion.at(t + h));
            let velocity = (after.translation - before.translation) / (2.0 * h);
            let delta = after.rotation * before.rotation.conjugate();
            let spin = delta.xyz() * delta.w.signum() / h;
            prop_assert!(velocity.distance(now.linear_velocity) < 1e-7);
            prop_assert!(spin.distance(now.angular_velocity) < 1e-7);
        }
    }
}
