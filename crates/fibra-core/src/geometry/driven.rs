//! Motion that a caller decides from one moment to the next, as a game engine or a script does.

use super::motion::{RigidState, turn};
use super::{Collider, Motion, RigidPose};
use glam::{DQuat, DVec3};

/// Uniform motion from one pose toward another. It does not end: whoever drives a body sets a new motion, or stops it, before it
/// overshoots. In this way the body still has its velocity at the very moment of arrival, where simulations evaluate it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driven {
    /// When the motion starts [s].
    since: f64,
    /// Displacement and velocities at that time.
    start: RigidState,
    /// Point of the world that rotations turn about [m]; the body's rest position when `None`.
    pub(super) pivot: Option<DVec3>,
}

impl Driven {
    /// Displacement from rest: at `from` at time `since` [s], at `to` at time `until` [s]. Translations are in meters. Where `until` is not
    /// later than `since`, the body is at `to` and does not move.
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
    /// Lets the body go from where it is at time `now` [s] to the world pose `to`, uniformly, so that it arrives at time `arrival` [s]. A
    /// body whose `arrival` is not later than `now` is there at once, without velocity.
    pub fn drive_to(&mut self, to: &RigidPose, now: f64, arrival: f64) {
        let displacement = |pose: &RigidPose| RigidPose {
            translation: pose.translation - self.rest.translation,
            rotation: pose.rotation * self.rest.rotation.inverse(),
        };
        let from = displacement(&self.body(now).0);
        self.motion = Motion::Driven(Driven::between(from, displacement(to), now, arrival));
    }

    /// Stops the body where it is at time `now` [s], if it was driven. Other motions go on.
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
    fn a_driven_collider_arrives_with_its_velocity_and_stops_when_told() {
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
