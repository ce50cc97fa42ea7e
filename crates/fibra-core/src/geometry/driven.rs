//! Motion set interactively by a caller, such as a game engine or a script.

use super::motion::{RigidState, turn};
use super::{Collider, Motion, RigidPose};
use glam::{DQuat, DVec3};

/// Uniform motion from one pose toward another. The motion does not stop on arrival: the caller must set a new motion, or stop the body,
/// before it overshoots. At the time of arrival, the body therefore still has its full velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driven {
    /// Start time of the motion [s].
    since: f64,
    /// Displacement and velocities at the time `since`.
    start: RigidState,
    /// World position of the rotation pivot [m]; the body's rest position if `None`.
    pub(super) pivot: Option<DVec3>,
}

impl Driven {
    /// Creates a motion whose displacement from the rest pose is `from` at time `since` [s] and `to` at time `until` [s]. Translations are
    /// in meters. If `until` is not later than `since`, the body stays at `to`.
    pub fn between(from: RigidPose, to: RigidPose, since: f64, until: f64) -> Driven {
        let duration = until - since;
        let moves = duration > 0.0;
        let rate = |way: DVec3| if moves { way / duration } else { DVec3::ZERO };
        let at = if moves { from } else { to };
        Driven {
            since,
            start: RigidState {
                translation: at.translation,
                rotation: at.rotation.normalize(),
                linear_velocity: rate(to.translation - from.translation),
                angular_velocity: rate(turn(from.rotation.normalize(), to.rotation.normalize())),
            },
            pivot: None,
        }
    }

    pub(super) fn at(&self, t: f64) -> RigidState {
        let RigidState { translation, rotation, linear_velocity, angular_velocity } = self.start;
        let passed = t - self.since;
        RigidState {
            translation: translation + passed * linear_velocity,
            rotation: (DQuat::from_scaled_axis(passed * angular_velocity) * rotation).normalize(),
            linear_velocity,
            angular_velocity,
        }
    }
}

impl Collider {
    /// Moves the body uniformly from its pose at time `now` [s] to the world pose `to`, arriving at time `arrival` [s]. If `arrival` is not
    /// later than `now`, the body jumps there and rests.
    pub fn drive_to(&mut self, to: &RigidPose, now: f64, arrival: f64) {
        let displacement = |pose: &RigidPose| RigidPose {
            translation: pose.translation - self.rest.translation,
            rotation: pose.rotation * self.rest.rotation.inverse(),
        };
        let from = displacement(&self.body(now).0);
        self.motion = Motion::Driven(Driven::between(from, displacement(to), now, arrival));
    }

    /// Stops a driven body at its pose at time `now` [s]. Other motions continue.
    pub fn stop_driven(&mut self, now: f64) {
        if let Motion::Driven(_) = self.motion {
            let here = self.body(now).0;
            self.drive_to(&here, now, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Contact, Shape};

    #[test]
    fn driven_collider_arrives_with_its_velocity_and_can_be_stopped() {
        let rest = RigidPose { translation: DVec3::new(1.0, 2.0, 3.0), rotation: DQuat::from_rotation_x(0.4) };
        let mut collider = Collider {
            name: "hand".to_owned(),
            shape: Shape::sphere(0.1).unwrap(),
            rest,
            motion: Motion::Still,
            contact: Contact::Separating,
            friction: 0.3,
        };
        let to = RigidPose {
            translation: DVec3::new(-1.0, 2.5, 3.0),
            rotation: DQuat::from_rotation_z(1.0) * rest.rotation,
        };
        collider.drive_to(&to, 2.0, 2.5);
        let close = |pose: &RigidPose, other: &RigidPose| {
            pose.translation.distance(other.translation) < 1e-12
                && pose.rotation.dot(other.rotation).abs() > 1.0 - 1e-12
        };
        assert!(close(&collider.body(2.0).0, &rest));
        let (pose, velocity) = collider.body(2.5);
        assert!(close(&pose, &to), "{pose:?}");
        assert!(velocity.linear.distance(DVec3::new(-4.0, 1.0, 0.0)) < 1e-12);
        assert!(velocity.angular.distance(2.0 * DVec3::Z) < 1e-12);
        collider.stop_driven(2.5);
        let (pose, velocity) = collider.body(9.0);
        assert!(close(&pose, &to) && velocity.linear == DVec3::ZERO && velocity.angular == DVec3::ZERO);
    }
}
