//! A dance of the [figure](super::BodyPart): smooth, periodic, and at rest at the start.

use super::figure::{Joint, LEG, Side, Stance, Turn};
use super::{BodyPart, MotionError, RigidState};
use glam::DVec3;
use std::f64::consts::TAU;
use std::ops::{Add, Mul};

/// Beats per second at play rate 1 [1/s].
const TEMPO: f64 = 2.0;
/// Duration of the onset, over which the amplitude grows from zero [beats].
const ONSET: f64 = 1.5;
/// Period of the dance [beats]. It is a whole number of periods of every wave below.
const PERIOD: f64 = 32.0;
/// Start of each full turn of the figure about the vertical [beats], and its sense.
const SPINS: [(f64, f64); 2] = [(10.0, 1.0), (26.0, -1.0)];
/// Duration of a full turn [beats].
const SPIN: f64 = 6.0;

/// The motion of one part of the dancing figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dance {
    part: BodyPart,
    rate: f64,
    /// Position of the figure's feet [m]. If `None`, the figure is placed such that its part coincides with the body at rest.
    pub(super) feet: Option<DVec3>,
    /// Size relative to that of the figure [-].
    scale: f64,
}

/// A sine wave in time: amplitude, cycles per beat [-], phase in cycles [-].
type Wave = (f64, f64, f64);

/// A value and its time derivative.
#[derive(Clone, Copy, Debug, Default)]
struct Dual {
    value: f64,
    /// Derivative per beat.
    rate: f64,
}

impl Dance {
    /// Creates the motion of `part` at the playback rate `rate` [-]: 1 is 120 beats per minute, 0 is rest.
    ///
    /// The figure is placed such that its part coincides with the body at rest. The motion therefore rotates about the body's rest
    /// position.
    pub fn new(part: BodyPart, rate: f64) -> Result<Self, MotionError> {
        if rate >= 0.0 && rate.is_finite() {
            Ok(Self { part, rate, feet: None, scale: 1.0 })
        } else {
            Err(MotionError::DanceRate { rate })
        }
    }

    /// Returns the same motion for a figure that stands at `feet` [m], independent of the body's position.
    pub fn standing(self, feet: DVec3) -> Result<Self, MotionError> {
        if feet.is_finite() { Ok(Self { feet: Some(feet), ..self }) } else { Err(MotionError::DancePlace { feet }) }
    }

    /// Returns the same motion for a figure of another size [-]: 1 is 1.69 m.
    pub fn scaled(self, scale: f64) -> Result<Self, MotionError> {
        if scale > 0.0 && scale.is_finite() {
            Ok(Self { scale, ..self })
        } else {
            Err(MotionError::DanceScale { scale })
        }
    }

    /// Returns the part whose motion this is.
    pub fn part(&self) -> BodyPart {
        self.part
    }

    /// Returns the pivot [m]; `None` if it is the body's rest position.
    pub(super) fn pivot(&self) -> Option<DVec3> {
        self.feet.map(|feet| feet + self.scale * self.part.center())
    }

    /// Returns the same motion with the part's center at `pivot` [m], unless the feet are set.
    pub(super) fn about(self, pivot: DVec3) -> Self {
        Self { feet: self.feet.or(Some(pivot - self.scale * self.part.center())), ..self }
    }

    /// Returns the displacement of the part from its rest pose at time `t` [s].
    pub(super) fn at(&self, t: f64) -> RigidState {
        let pace = TEMPO * self.rate;
        let state = self.part.state(&Moment { beat: pace * t });
        // The rates of `state` are per beat.
        RigidState {
            translation: self.scale * state.translation,
            linear_velocity: self.scale * (pace * state.linear_velocity),
            angular_velocity: pace * state.angular_velocity,
            ..state
        }
    }
}

/// The stance of the dancer at one time, with rates per beat.
struct Moment {
    /// Beats since the start [-]. Before the start, the figure is at rest.
    beat: f64,
}

impl Moment {
    fn sum(&self, waves: &[Wave]) -> Dual {
        let whole = waves.iter().fold(Dual::default(), |sum, &(amplitude, frequency, phase)| {
            let (sine, cosine) = (TAU * (frequency * (self.beat % PERIOD) + phase)).sin_cos();
            sum + Dual { value: amplitude * sine, rate: amplitude * TAU * frequency * cosine }
        });
        whole * smooth_step(self.beat / ONSET).over(ONSET)
    }

    /// Returns the rotation of the whole figure about the vertical.
    fn facing(&self) -> Dual {
        let spun = SPINS.iter().fold(Dual::default(), |sum, &(start, sign)| {
            let step = smooth_step(((self.beat % PERIOD) - start) / SPIN).over(SPIN);
            sum + step * Dual { value: sign * TAU, rate: 0.0 }
        });
        spun + self.sum(&[(0.35, 1.0 / 8.0, 0.0)])
    }

    /// Returns the flexion of both hips, which lowers the pelvis.
    fn crouch(&self) -> Dual {
        self.sum(&[constant_wave(0.22), (0.12, 1.0, -0.25)])
    }

    /// Returns the lean of both legs to the figure's right, which shifts the pelvis sideways over the fixed feet.
    fn sway(&self) -> Dual {
        self.sum(&[(0.07, 0.5, 0.0)])
    }

    /// Returns the extra flexion of a hip that lifts the foot while the other leg supports the figure: the square of (1 + sin)/2,
    /// times a height.
    fn lift(&self, side: Side) -> Dual {
        let (height, sign) = (0.3, side.sign());
        self.sum(&[constant_wave(0.375 * height), (0.5 * sign * height, 0.5, 0.0), (-0.125 * height, 1.0, 0.25)])
    }
}

impl Stance for Moment {
    fn shift(&self) -> (DVec3, DVec3) {
        // Parallel legs keep the feet in place: the distance from the feet to the hips is 2 L cos(crouch).
        let length = self.crouch().cosine() * constant(2.0 * LEG);
        let (x, y) = (length * self.sway().sine() * constant(-1.0), length * self.sway().cosine());
        let ahead = DVec3::new(x.value, y.value - 2.0 * LEG, 0.0);
        let rate = DVec3::new(x.rate, y.rate, 0.0);
        // Rotate with the figure.
        let facing = self.facing();
        let turned = glam::DQuat::from_rotation_y(facing.value);
        let (shift, rate) = (turned * ahead, turned * rate);
        (shift, rate + facing.rate * DVec3::Y.cross(shift))
    }

    fn turn(&self, joint: Joint) -> Turn {
        let sum = |waves: &[Wave]| self.sum(waves);
        let zero = Dual::default();
        let [x, y, z] = match joint {
            Joint::Pelvis => [zero, self.facing(), zero],
            Joint::Spine => [sum(&[(0.03, 1.0, 0.1)]), sum(&[(0.1, 0.5, 0.25)]), sum(&[(0.05, 0.5, -0.05)])],
            Joint::Chest => [
                sum(&[(0.04, 1.0, 0.2), (0.05, 0.125, 0.0)]),
                sum(&[(0.1, 0.5, 0.35), (0.1, 0.25, 0.0)]),
                sum(&[(0.05, 0.5, -0.1), (0.02, 1.0, 0.0)]),
            ],
            Joint::Neck => [sum(&[(0.08, 1.0, 0.3)]), sum(&[(0.2, 0.25, 0.0)]), sum(&[(0.06, 0.5, -0.15)])],
            Joint::Head => [
                sum(&[(0.1, 1.0, 0.4), (0.08, 0.25, 0.0)]),
                sum(&[(0.3, 0.25, -0.05), (0.1, 0.5, 0.1)]),
                sum(&[(0.1, 0.5, -0.2), (0.06, 0.125, 0.0)]),
            ],
            Joint::Shoulder(side) => {
                // The arms swing in opposite phase, away from the body.
                let sign = side.sign();
                [
                    sum(&[constant_wave(-0.35), (0.5 * sign, 0.5, 0.1), (0.1, 0.125, 0.0)]),
                    sum(&[(0.15, 0.5, 0.3)]),
                    sum(&[constant_wave(0.35 * sign), (0.2 * sign, 0.25, 0.1), (0.1, 1.0, 0.2)]),
                ]
            }
            Joint::Elbow(side) => {
                [sum(&[constant_wave(-0.85), (0.4 * side.sign(), 0.5, 0.25), (0.1, 1.0, 0.0)]), zero, zero]
            }
            Joint::Hip(side) => [(self.crouch() + self.lift(side)) * constant(-1.0), zero, self.sway()],
            Joint::Knee(side) => [(self.crouch() + self.lift(side)) * constant(2.0), zero, zero],
        };
        Turn { angles: DVec3::new(x.value, y.value, z.value), rates: DVec3::new(x.rate, y.rate, z.rate) }
    }
}

/// Returns a constant as a wave of frequency zero.
fn constant_wave(value: f64) -> Wave {
    (value, 0.0, 0.25)
}

fn constant(value: f64) -> Dual {
    Dual { value, rate: 0.0 }
}

/// Evaluates the C2 smoothstep: 0 for `u` <= 0, 1 for `u` >= 1. The rate is the derivative with respect to `u`.
fn smooth_step(u: f64) -> Dual {
    let u = u.clamp(0.0, 1.0);
    Dual { value: u.powi(3) * (10.0 + u * (6.0 * u - 15.0)), rate: 30.0 * (u * (1.0 - u)).powi(2) }
}

impl Dual {
    /// Stretches the time scale by a number of beats.
    fn over(self, beats: f64) -> Self {
        Self { rate: self.rate / beats, ..self }
    }

    fn sine(self) -> Self {
        Self { value: self.value.sin(), rate: self.rate * self.value.cos() }
    }

    fn cosine(self) -> Self {
        Self { value: self.value.cos(), rate: -self.rate * self.value.sin() }
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, rate: self.rate + other.rate }
    }
}

impl Mul for Dual {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { value: self.value * other.value, rate: self.value * other.rate + self.rate * other.value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Collider, Contact, Motion};
    use proptest::prelude::*;

    /// Period of the dance at playback rate 1 [s].
    const SECONDS: f64 = PERIOD / TEMPO;

    fn dancer(part: BodyPart, rate: f64) -> Motion {
        Motion::Dance(Dance::new(part, rate).unwrap())
    }

    fn largest(of: impl Fn(RigidState) -> f64, part: BodyPart) -> f64 {
        let motion = dancer(part, 1.0);
        (0..4000).map(|i| of(motion.at(f64::from(i) * SECONDS / 4000.0))).fold(0.0, f64::max)
    }

    #[test]
    fn dance_starts_at_rest_and_is_periodic() {
        for part in BodyPart::ALL {
            let motion = dancer(part, 1.3);
            assert_eq!(motion.at(-1.0), RigidState::REST);
            assert_eq!(motion.at(0.0), RigidState::REST);
            let [once, again] = [3.0, 3.0 + SECONDS / 1.3].map(|t| motion.at(t));
            assert!(once.translation.distance(again.translation) < 1e-12);
            assert!(once.rotation.dot(again.rotation).abs() > 1.0 - 1e-12);
            assert!(once.linear_velocity.distance(again.linear_velocity) < 1e-10);
            assert_eq!(dancer(part, 0.0).at(9.0), RigidState::REST);
        }
    }

    #[test]
    fn the_head_moves_enough_to_swing_hair() {
        let speed = largest(|state| state.linear_velocity.length(), BodyPart::Head);
        let turning = largest(|state| state.angular_velocity.length(), BodyPart::Head);
        assert!((0.8..1.3).contains(&speed), "{speed} m/s, {turning} rad/s");
        assert!((4.0..6.5).contains(&turning), "{turning} rad/s");
        let reach = largest(|state| state.translation.length(), BodyPart::Head);
        assert!(reach < 0.4, "{reach} m");
    }

    #[test]
    fn feet_stay_near_the_ground_and_arms_away_from_the_head() {
        let body = |part: BodyPart| Collider {
            name: part.name().into(),
            shape: part.shape().unwrap(),
            rest: part.rest(),
            motion: dancer(part, 1.0),
            contact: Contact::Separating,
            friction: 0.0,
        };
        let capsule_end = |part: BodyPart, end: usize, t: f64| {
            let (ends, radius) = part.capsule();
            let state = dancer(part, 1.0).at(t);
            (part.center() + state.translation + state.rotation * (ends[end] - part.center()), radius)
        };
        let head = body(BodyPart::Head);
        let mut lifted = 0.0f64;
        for i in 0..2000 {
            let t = f64::from(i) * SECONDS / 2000.0;
            for shin in [BodyPart::LeftShin, BodyPart::RightShin] {
                let (ankle, radius) = capsule_end(shin, 1, t);
                assert!((-1e-9..0.2).contains(&(ankle.y - radius)), "{shin:?} at {t} s: {}", ankle.y);
                lifted = lifted.max(ankle.y - radius);
            }
            let placed = head.place(t, DVec3::ZERO);
            for arm in [BodyPart::LeftForearm, BodyPart::RightForearm] {
                for end in 0..2 {
                    let (point, radius) = capsule_end(arm, end, t);
                    let gap = f64::from(placed.signed_distance(point.as_vec3())) - radius;
                    assert!(gap > 0.1, "{arm:?} at {t} s: {gap} m");
                }
            }
        }
        assert!(lifted > 0.05, "{lifted} m");
    }

    #[test]
    fn joints_stay_connected() {
        for (part, next) in
            [(BodyPart::LeftUpperArm, BodyPart::LeftForearm), (BodyPart::RightThigh, BodyPart::RightShin)]
        {
            let elbow = part.capsule().0[1];
            for i in 0..50 {
                let t = 0.37 * f64::from(i);
                let [a, b] = [part, next].map(|part| {
                    let state = dancer(part, 1.0).at(t);
                    part.center() + state.translation + state.rotation * (elbow - part.center())
                });
                assert!(a.distance(b) < 1e-12);
            }
        }
    }

    #[test]
    fn figure_can_stand_at_another_position() {
        let feet = DVec3::new(1.0, 2.0, 3.0);
        let standing = Motion::Dance(Dance::new(BodyPart::Head, 1.0).unwrap().standing(feet).unwrap());
        assert_eq!(standing.pivot(DVec3::ZERO), feet + BodyPart::Head.center());
        assert_eq!(dancer(BodyPart::Head, 1.0).pivot(DVec3::ONE), DVec3::ONE);
        assert!(dancer(BodyPart::Head, 1.0).about(DVec3::Y).pivot(DVec3::ONE).distance(DVec3::Y) < 1e-15);
        assert_eq!(standing.clone().about(DVec3::Y), standing);
        assert!(Dance::new(BodyPart::Head, f64::NAN).is_err() && Dance::new(BodyPart::Head, -1.0).is_err());
        assert!(Dance::new(BodyPart::Head, 1.0).unwrap().standing(DVec3::NAN).is_err());
        let tall = Dance::new(BodyPart::Head, 1.0).unwrap().scaled(2.0).unwrap();
        let [small, large] = [dancer(BodyPart::Head, 1.0), Motion::Dance(tall)].map(|motion| motion.at(3.3));
        assert_eq!(large.translation, 2.0 * small.translation);
        assert_eq!(large.linear_velocity, 2.0 * small.linear_velocity);
        assert!(tall.scaled(0.0).is_err());
    }

    proptest! {
        #[test]
        fn velocities_are_derivatives(t in 0.0..20.0f64, part in prop::sample::select(BodyPart::ALL.to_vec())) {
            // The truncation error is h^2/6 times the third derivative, below 1e4 /s^3; the rounding error of the times is 1e-15/h.
            let (motion, h) = (dancer(part, 1.5), 1e-5);
            let (before, now, after) = (motion.at(t - h), motion.at(t), motion.at(t + h));
            let velocity = (after.translation - before.translation) / (2.0 * h);
            let delta = after.rotation * before.rotation.conjugate();
            let spin = delta.xyz() * delta.w.signum() / h;
            prop_assert!(velocity.distance(now.linear_velocity) < 1e-6, "{velocity} {}", now.linear_velocity);
            prop_assert!(spin.distance(now.angular_velocity) < 1e-6, "{spin} {}", now.angular_velocity);
            // Velocities are continuous.
            prop_assert!(after.linear_velocity.distance(before.linear_velocity) < 2e-3);
        }
    }
}
