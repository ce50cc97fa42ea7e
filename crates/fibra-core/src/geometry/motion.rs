//! Prescribed rigid motions as functions of time.

use super::{Attachment, Dance, Driven, Jump, RandomTrajectory};
use glam::{DQuat, DVec3};
use thiserror::Error;

/// Tolerance for the length of a quaternion: larger deviations from one are errors, not rounding [-].
const QUATERNION_TOLERANCE: f64 = 1e-3;

/// A prescribed rigid motion: displaces the body's points by x -> pivot + translation + rotation (x - pivot).
///
/// The pivot is a fixed world point: the body's rest position, unless the motion sets its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Motion {
    /// No motion.
    #[default]
    Still,
    /// Interpolates given poses at given times.
    Keyframes(Keyframes),
    /// Rotates at a constant rate.
    Spin(Spin),
    /// Follows a part of a dancing figure.
    Dance(Dance),
    /// Follows a part of a jumping figure.
    Jump(Jump),
    /// Interpolates random poses.
    Random(RandomTrajectory),
    /// Moves uniformly, as set interactively by a caller.
    Driven(Driven),
    /// Follows the surface of a deforming collider.
    Attached(Attachment),
}

/// Displacement and velocity of a motion at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidState {
    /// Displacement of the pivot [m].
    pub translation: DVec3,
    /// Rotation about the pivot, a unit quaternion.
    pub rotation: DQuat,
    /// Velocity of the pivot [m/s].
    pub linear_velocity: DVec3,
    /// Angular velocity in world axes [rad/s].
    pub angular_velocity: DVec3,
}

/// Poses at increasing times. Between neighbors, the translation is linear and the rotation takes the shortest path at a constant rate.
/// Poses are constant before the first and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    /// Times [s].
    times: Vec<f64>,
    /// Translations [m].
    translations: Vec<DVec3>,
    /// Unit quaternions.
    rotations: Vec<DQuat>,
    /// Rotation vector from each rotation to the next, in world axes [rad].
    turns: Vec<DVec3>,
    /// World position of the rotation pivot [m]; the body's rest position if `None`.
    pivot: Option<DVec3>,
}

/// Rotation at a constant rate about an axis through a pivot that moves at a constant velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spin {
    /// Angular velocity in world axes [rad/s].
    angular_velocity: DVec3,
    /// World position of the pivot at time 0 [m]; the body's rest position if `None`.
    pivot: Option<DVec3>,
    /// Velocity of the pivot [m/s].
    linear_velocity: DVec3,
}

/// Error in the definition of a motion.
#[derive(Debug, Error)]
pub enum MotionError {
    /// The lists of keyframes differ in length, or are empty.
    #[error(
        "keyframes need one translation and one rotation for each time, and at least one time; got {times} times, {translations} translations and {rotations} rotations"
    )]
    KeyframeCounts {
        /// Number of times.
        times: usize,
        /// Number of translations.
        translations: usize,
        /// Number of rotations.
        rotations: usize,
    },
    /// A time is not later than the previous one.
    #[error("keyframe {index} is at {time} s; times must be finite and increase from one keyframe to the next")]
    KeyframeTime {
        /// The keyframe, counted from 0.
        index: usize,
        /// The time [s].
        time: f64,
    },
    /// A translation is not finite.
    #[error("keyframe {index} has the translation {translation}; it must be finite")]
    KeyframeTranslation {
        /// The keyframe, counted from 0.
        index: usize,
        /// The translation [m].
        translation: DVec3,
    },
    /// A rotation is not a unit quaternion.
    #[error("keyframe {index} has a rotation quaternion (x, y, z, w) of length {length}; the length must be 1")]
    KeyframeRotation {
        /// The keyframe, counted from 0.
        index: usize,
        /// Length of the quaternion [-].
        length: f64,
    },
    /// A spin axis is zero or not finite.
    #[error("the axis of a spin is {axis}; it must be finite and not zero")]
    SpinAxis {
        /// The axis.
        axis: DVec3,
    },
    /// A spin has a rate, pivot or velocity that is not finite.
    #[error("{what} of a spin must be finite")]
    SpinNotFinite {
        /// Name of the number.
        what: &'static str,
    },
    /// The play rate of a dance is negative or not finite.
    #[error("the play rate of a dance is {rate}; it must be finite and not negative")]
    DanceRate {
        /// The rate [-].
        rate: f64,
    },
    /// The size of a dancing figure is not positive and finite.
    #[error("the scale of a dancing figure is {scale}; it must be positive and finite")]
    DanceScale {
        /// The scale [-].
        scale: f64,
    },
    /// A number of a jump is out of range.
    #[error("the {what} of a jump is {value}; height and scale must be positive and finite, the start finite")]
    Jump {
        /// Name of the number.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// The position of a dancing or jumping figure is not finite.
    #[error("the position of a figure's feet is {feet}; it must be finite")]
    DancePlace {
        /// Position of the feet [m].
        feet: DVec3,
    },
    /// The interval of random poses is not a positive, finite time.
    #[error("the interval between random poses is {interval} s; it must be positive and finite")]
    RandomInterval {
        /// Time between poses [s].
        interval: f64,
    },
    /// A range of random poses is negative or not finite.
    #[error("the {what} of random poses is {limit}; each number must be finite and not negative")]
    RandomLimit {
        /// Name of the range.
        what: &'static str,
        /// The half widths.
        limit: DVec3,
    },
    /// The rate of poses is not positive and finite.
    #[error("poses at a constant rate need a rate that is positive and finite; got {fps} per second")]
    Rate {
        /// Poses per second [1/s].
        fps: f64,
    },
}

impl Motion {
    /// Returns the displacement from the rest pose and the velocities at time `t` [s]. At the time of a keyframe, the velocities are those
    /// of the following interval.
    pub fn at(&self, t: f64) -> RigidState {
        match self {
            Self::Still => RigidState::REST,
            Self::Keyframes(keyframes) => keyframes.at(t),
            Self::Spin(spin) => spin.at(t),
            Self::Dance(dance) => dance.at(t),
            Self::Jump(jump) => jump.at(t),
            Self::Random(random) => random.at(t),
            Self::Driven(driven) => driven.at(t),
            Self::Attached(attachment) => attachment.at(t),
        }
    }

    /// Returns the world point [m] about which the motion rotates at time 0, for a body with the given rest position [m].
    pub fn pivot(&self, rest_position: DVec3) -> DVec3 {
        let own = match self {
            Self::Still => None,
            Self::Keyframes(keyframes) => keyframes.pivot,
            Self::Spin(spin) => spin.pivot,
            Self::Dance(dance) => dance.pivot(),
            Self::Jump(jump) => jump.pivot(),
            Self::Random(random) => random.pivot,
            Self::Driven(driven) => driven.pivot,
            Self::Attached(attachment) => Some(attachment.point),
        };
        own.unwrap_or(rest_position)
    }

    /// Returns the same motion with its pivot at `pivot` [m]. A motion that sets its own pivot is unchanged. Use this method to apply a
    /// motion to a body with another rest position.
    pub fn about(mut self, pivot: DVec3) -> Motion {
        match &mut self {
            Self::Still | Self::Attached(_) => {}
            Self::Keyframes(Keyframes { pivot: own, .. })
            | Self::Spin(Spin { pivot: own, .. })
            | Self::Random(RandomTrajectory { pivot: own, .. })
            | Self::Driven(Driven { pivot: own, .. }) => {
                own.get_or_insert(pivot);
            }
            Self::Dance(dance) => *dance = dance.about(pivot),
            Self::Jump(jump) => *jump = jump.about(pivot),
        }
        self
    }
}

impl RigidState {
    /// No displacement and no velocity.
    pub const REST: Self = Self {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        linear_velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
}

impl Spin {
    /// Creates a rotation at `angular_velocity` [rad/s] about `axis` (of any length) through `pivot` [m], or through the body's rest
    /// position if `None`.
    pub fn new(axis: DVec3, angular_velocity: f64, pivot: Option<DVec3>) -> Result<Self, MotionError> {
        let unit = axis.try_normalize().ok_or(MotionError::SpinAxis { axis })?;
        if !angular_velocity.is_finite() {
            return Err(MotionError::SpinNotFinite { what: "the angular velocity" });
        }
        if pivot.is_some_and(|pivot| !pivot.is_finite()) {
            return Err(MotionError::SpinNotFinite { what: "the pivot" });
        }
        Ok(Self { angular_velocity: angular_velocity * unit, pivot, linear_velocity: DVec3::ZERO })
    }

    /// Returns the same rotation with the pivot moving at `linear_velocity` [m/s].
    pub fn moving(self, linear_velocity: DVec3) -> Result<Self, MotionError> {
        if !linear_velocity.is_finite() {
            return Err(MotionError::SpinNotFinite { what: "the linear velocity" });
        }
        Ok(Self { linear_velocity, ..self })
    }

    fn at(&self, t: f64) -> RigidState {
        RigidState {
            translation: t * self.linear_velocity,
            rotation: DQuat::from_scaled_axis(t * self.angular_velocity),
            linear_velocity: self.linear_velocity,
            angular_velocity: self.angular_velocity,
        }
    }
}

impl Keyframes {
    /// Creates a motion from poses (translations [m], quaternions) at increasing `times` [s]. Quaternions close to unit length are
    /// normalized.
    pub fn new(times: Vec<f64>, translations: Vec<DVec3>, rotations: Vec<DQuat>) -> Result<Self, MotionError> {
        if times.is_empty() || times.len() != translations.len() || times.len() != rotations.len() {
            return Err(MotionError::KeyframeCounts {
                times: times.len(),
                translations: translations.len(),
                rotations: rotations.len(),
            });
        }
        for (index, &time) in times.iter().enumerate() {
            if !time.is_finite() || (index > 0 && time <= times[index - 1]) {
                return Err(MotionError::KeyframeTime { index, time });
            }
        }
        if let Some(index) = translations.iter().position(|translation| !translation.is_finite()) {
            return Err(MotionError::KeyframeTranslation { index, translation: translations[index] });
        }
        let rotations: Vec<DQuat> = rotations
            .into_iter()
            .enumerate()
            .map(|(index, q)| nearly_unit(q).map_err(|length| MotionError::KeyframeRotation { index, length }))
            .collect::<Result<_, _>>()?;
        let turns = rotations.windows(2).map(|pair| turn(pair[0], pair[1])).collect();
        Ok(Self { times, translations, rotations, turns, pivot: None })
    }

    /// Creates keyframes at a constant rate `fps` [1/s] from time 0. Returns the same errors as [`Keyframes::new`].
    pub fn at_rate(fps: f64, translations: Vec<DVec3>, rotations: Vec<DQuat>) -> Result<Self, MotionError> {
        if !(fps > 0.0 && fps.is_finite()) {
            return Err(MotionError::Rate { fps });
        }
        let times = (0..translations.len()).map(|i| i as f64 / fps).collect();
        Self::new(times, translations, rotations)
    }

    fn at(&self, t: f64) -> RigidState {
        let held = |i: usize| RigidState {
            translation: self.translations[i],
            rotation: self.rotations[i],
            ..RigidState::REST
        };
        // Keyframe i is the last one not later than t.
        let Some(i) = self.times.partition_point(|&time| time <= t).checked_sub(1) else { return held(0) };
        let Some(&turn) = self.turns.get(i) else { return held(i) };
        let length = self.times[i + 1] - self.times[i];
        let u = (t - self.times[i]) / length;
        RigidState {
            translation: self.translations[i].lerp(self.translations[i + 1], u),
            rotation: DQuat::from_scaled_axis(u * turn) * self.rotations[i],
            linear_velocity: (self.translations[i + 1] - self.translations[i]) / length,
            angular_velocity: turn / length,
        }
    }
}

/// Returns the shortest rotation from one orientation to another, as a rotation vector in world axes [rad].
pub(super) fn turn(from: DQuat, to: DQuat) -> DVec3 {
    let delta = to * from.conjugate();
    // q and -q are the same rotation; the one with positive w is shorter.
    let delta = if delta.w < 0.0 { -delta } else { delta };
    let sine = delta.xyz().length();
    if sine == 0.0 { DVec3::ZERO } else { delta.xyz() / sine * (2.0 * sine.atan2(delta.w)) }
}

/// Normalizes the quaternion. Returns its length as an error if it differs too much from one.
pub fn nearly_unit(q: DQuat) -> Result<DQuat, f64> {
    let length = q.length();
    if (length - 1.0).abs() <= QUATERNION_TOLERANCE { Ok(q.normalize()) } else { Err(length) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use proptest::prelude::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    fn three_poses() -> Motion {
        let rotations = vec![
            DQuat::from_rotation_y(0.3),
            DQuat::from_rotation_x(2.0) * DQuat::from_rotation_y(0.3),
            // The same orientation, given with the opposite sign.
            -DQuat::from_axis_angle(DVec3::ONE.normalize(), 1.0),
        ];
        let translations = vec![DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0), DVec3::new(-1.0, 0.0, 1e4)];
        Motion::Keyframes(Keyframes::new(vec![0.5, 1.0, 3.0], translations, rotations).unwrap())
    }

    #[test]
    fn keyframes_interpolate_poses_and_are_constant_outside() {
        let motion = three_poses();
        let state = motion.at(1.0);
        assert_eq!(state.translation, DVec3::new(1.0, 2.0, 3.0));
        assert!(state.rotation.dot(DQuat::from_rotation_x(2.0) * DQuat::from_rotation_y(0.3)).abs() > 1.0 - 1e-12);
        assert_eq!(
            motion.at(-1.0),
            RigidState { rotation: DQuat::from_rotation_y(0.3).normalize(), ..RigidState::REST }
        );
        let end = motion.at(1e9);
        assert_eq!((end.translation.z, end.linear_velocity, end.angular_velocity), (1e4, DVec3::ZERO, DVec3::ZERO));
        let middle = motion.at(0.75);
        assert_eq!(middle.translation, DVec3::new(0.5, 1.0, 1.5));
        assert!(middle.rotation.dot(DQuat::from_rotation_x(1.0) * DQuat::from_rotation_y(0.3)).abs() > 1.0 - 1e-12);
        assert_relative_eq!(middle.angular_velocity.x, 4.0, max_relative = 1e-12);
    }

    #[test]
    fn rotation_takes_the_shortest_path() {
        let rotations = vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.5 * PI)];
        let motion = Motion::Keyframes(Keyframes::new(vec![0.0, 1.0], vec![DVec3::ZERO; 2], rotations).unwrap());
        assert_relative_eq!(motion.at(0.5).angular_velocity.z, -FRAC_PI_2, max_relative = 1e-12);
    }

    #[test]
    fn spin_rotates_and_translates() {
        let spin = Spin::new(2.0 * DVec3::Y, PI, Some(DVec3::X)).unwrap().moving(DVec3::Z).unwrap();
        let motion = Motion::Spin(spin);
        let state = motion.at(0.5);
        assert_relative_eq!(state.rotation * DVec3::Z, DVec3::X, epsilon = 1e-12);
        assert_eq!(state.translation, 0.5 * DVec3::Z);
        assert_relative_eq!(state.angular_velocity, PI * DVec3::Y);
        assert_eq!(motion.pivot(DVec3::ZERO), DVec3::X);
        assert_eq!(Motion::Still.pivot(DVec3::Y), DVec3::Y);
        assert_eq!(motion.about(DVec3::Z).pivot(DVec3::ZERO), DVec3::X, "it has a pivot already");
        let keyframes = Keyframes::new(vec![0.0], vec![DVec3::ZERO], vec![DQuat::IDENTITY]).unwrap();
        assert_eq!(Motion::Keyframes(keyframes).about(DVec3::Z).pivot(DVec3::Y), DVec3::Z);
    }

    #[test]
    fn invalid_motions_are_errors() {
        let keyframes = |times: &[f64], rotation| {
            let n = times.len();
            Keyframes::new(times.to_vec(), vec![DVec3::ZERO; n], vec![rotation; n])
        };
        let unit = DQuat::IDENTITY;
        assert!(matches!(keyframes(&[], unit), Err(MotionError::KeyframeCounts { .. })));
        assert!(matches!(keyframes(&[0.0, 2.0, 2.0], unit), Err(MotionError::KeyframeTime { index: 2, .. })));
        assert!(matches!(keyframes(&[0.0, f64::NAN], unit), Err(MotionError::KeyframeTime { index: 1, .. })));
        assert!(matches!(keyframes(&[0.0], unit * 1.1), Err(MotionError::KeyframeRotation { index: 0, .. })));
        assert!(matches!(keyframes(&[0.0], unit * f64::NAN), Err(MotionError::KeyframeRotation { .. })));
        assert!(keyframes(&[0.0], unit * 1.0005).unwrap().rotations[0].is_normalized());
        let lost = Keyframes::new(vec![0.0], vec![DVec3::NAN], vec![unit]);
        assert!(matches!(lost, Err(MotionError::KeyframeTranslation { index: 0, .. })));
        assert!(matches!(Spin::new(DVec3::ZERO, 1.0, None), Err(MotionError::SpinAxis { .. })));
        assert!(matches!(Spin::new(DVec3::Y, f64::NAN, None), Err(MotionError::SpinNotFinite { .. })));
        assert!(matches!(Spin::new(DVec3::Y, 1.0, Some(DVec3::NAN)), Err(MotionError::SpinNotFinite { .. })));
    }

    #[test]
    fn poses_at_a_constant_rate_are_interpolated() {
        let (translations, rotations) = (
            vec![DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)],
            vec![DQuat::IDENTITY, DQuat::from_xyzw(0.0, 0.0, 1.0005, 0.0)],
        );
        let keyframes = |fps: f64| Keyframes::at_rate(fps, translations.clone(), rotations.clone());
        let state = Motion::Keyframes(keyframes(25.0).unwrap()).at(0.02);
        assert_eq!(state.translation, DVec3::new(0.5, 1.0, 1.5));
        assert_relative_eq!(state.angular_velocity.z, 25.0 * PI, max_relative = 1e-12);
        for fps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(keyframes(fps), Err(MotionError::Rate { .. })));
        }
    }

    proptest! {
        #[test]
        fn velocities_are_derivatives(t in 0.0..3.5f64) {
            let spin = Spin::new(DVec3::new(1.0, -2.0, 0.5), 7.0, None).unwrap().moving(DVec3::X).unwrap();
            for motion in [Motion::Still, Motion::Spin(spin), three_poses()] {
                let h = 1e-6;
                if [0.5, 1.0, 3.0].iter().any(|key: &f64| (key - t).abs() <= h) {
                    continue;
                }
                let (before, now, after) = (motion.at(t - h), motion.at(t), motion.at(t + h));
                let velocity = (after.translation - before.translation) / (2.0 * h);
                // The vector part of the quaternion between two close rotations is half of omega dt.
                let delta = after.rotation * before.rotation.conjugate();
                let spin = delta.xyz() * delta.w.signum() / h;
                prop_assert!(velocity.distance(now.linear_velocity) < 1e-5 * (1.0 + velocity.length()));
                prop_assert!(spin.distance(now.angular_velocity) < 1e-5 * (1.0 + spin.length()));
                prop_assert!(now.rotation.is_normalized());
            }
        }
    }
}
