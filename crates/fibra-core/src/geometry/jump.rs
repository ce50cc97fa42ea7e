//! A jump of the [figure](super::BodyPart): it crouches, pushes off, flies, lands in a crouch and stands up.

use super::figure::{Joint, LEG, Stance, Turn};
use super::{BodyPart, MotionError, RigidState};
use glam::DVec3;
use std::f64::consts::PI;

/// Acceleration of gravity [m/s^2].
const GRAVITY: f64 = 9.81;
/// Time from standing to the deepest crouch [s].
const CROUCH: f64 = 0.45;

/// Angles of the joints while standing, in the deepest crouch, at take-off and at the top of the flight [rad].
type Course = [f64; 4];

/// Flexion of the hips; that of the knees is twice as large.
const LEGS: Course = [0.0, 1.0, 0.45, 0.12];
/// Forward bend of the spine.
const SPINE: Course = [0.0, 0.35, 0.1, 0.0];
/// Forward bend of the chest.
const CHEST: Course = [0.0, 0.25, 0.05, -0.05];
/// Forward bend of the neck, and of the head.
const NECK: Course = [0.0, -0.2, -0.05, 0.03];
/// Backward swing of the arms.
const SWING: Course = [0.0, 0.7, -0.5, -1.0];
/// Swing of the arms away from the body.
const SPREAD: Course = [0.0, 0.15, 0.3, 0.5];
/// Backward bend of the elbows; negative to the front.
const ELBOW: Course = [0.0, -0.3, -0.5, -0.6];

/// The motion of one part of the jumping figure.
///
/// The motion is symmetric in time about the top of the flight. On the ground the feet do not move. In flight the center of mass of the
/// figure, made of capsules of equal density, moves on a parabola. All velocities are continuous.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    part: BodyPart,
    /// Time at which the figure begins to crouch [s].
    start: f64,
    /// Size relative to that of the figure [-].
    scale: f64,
    /// Position of the figure's feet [m]. If `None`, the figure is placed such that its part coincides with the body at rest.
    feet: Option<DVec3>,
    /// Time from the deepest crouch to take-off [s].
    push: f64,
    /// Time from take-off to the top of the flight [s].
    rise: f64,
    /// Highest displacement of the center of mass [m, in a figure of scale 1].
    top: f64,
}

/// A value and its time derivative.
#[derive(Clone, Copy)]
struct Dual {
    value: f64,
    rate: f64,
}

/// The stance of the figure at one time.
struct Moment {
    /// Time since the start, counted back from the top after it [s].
    elapsed: f64,
    /// 1 before the top, -1 after it: the direction of `elapsed`.
    sense: f64,
    push: f64,
    rise: f64,
    /// Displacement of the pelvis [m].
    shift: Dual,
}

impl Jump {
    /// Creates the motion of `part` in a jump that raises the center of mass by `height` [m] in flight. The figure stands still until `start` [s].
    /// `scale` is its size [-]: 1 is 1.69 m.
    pub fn new(part: BodyPart, start: f64, height: f64, scale: f64) -> Result<Self, MotionError> {
        for (what, value) in [("height", height), ("scale", scale)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(MotionError::Jump { what, value });
            }
        }
        if !start.is_finite() {
            return Err(MotionError::Jump { what: "start", value: start });
        }
        // Fall from `height`: v = sqrt(2 g h) at take-off, reached h = v^2 / (2 g) later in v / g.
        let speed = (2.0 * GRAVITY * height).sqrt();
        let rise = speed / GRAVITY;
        // The push lasts as long as the center of mass needs to reach this speed: with s = time / push, v = (dy/ds) / push.
        let take_off =
            |push: f64| Moment { elapsed: CROUCH + push, sense: 1.0, push, rise, shift: Dual::ZERO }.grounded();
        let push = center_of_mass(&take_off(1.0)).rate * scale / speed;
        let top = center_of_mass(&take_off(push)).value + height / scale;
        Ok(Self { part, start, scale, feet: None, push, rise, top })
    }

    /// Returns the same motion for a figure that stands at `feet` [m], independent of the body's position.
    pub fn standing(self, feet: DVec3) -> Result<Self, MotionError> {
        if feet.is_finite() { Ok(Self { feet: Some(feet), ..self }) } else { Err(MotionError::DancePlace { feet }) }
    }

    /// Returns the times of take-off and landing [s].
    pub fn flight(&self) -> [f64; 2] {
        let take_off = self.start + CROUCH + self.push;
        [take_off, take_off + 2.0 * self.rise]
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
        let state = self.part.state(&self.moment(t));
        RigidState {
            translation: self.scale * state.translation,
            linear_velocity: self.scale * state.linear_velocity,
            ..state
        }
    }

    fn moment(&self, t: f64) -> Moment {
        let top = CROUCH + self.push + self.rise;
        let since = t - self.start;
        let (elapsed, sense) = if since <= top { (since, 1.0) } else { (2.0 * top - since, -1.0) };
        let moment = Moment { elapsed, sense, push: self.push, rise: self.rise, shift: Dual::ZERO };
        if elapsed <= CROUCH + self.push {
            return moment.grounded();
        }
        // The pelvis moves such that the center of mass follows the parabola.
        let (center, gravity, before) = (center_of_mass(&moment), GRAVITY / self.scale, top - elapsed);
        let height = self.top - 0.5 * gravity * before * before;
        let rate = sense * gravity * before;
        Moment { shift: Dual { value: height - center.value, rate: rate - center.rate }, ..moment }
    }
}

/// Returns the height of the center of mass [m] and its rate [m/s].
fn center_of_mass(stance: &Moment) -> Dual {
    let mut sum = [0.0; 3];
    for part in BodyPart::ALL {
        let ([start, end], radius) = part.capsule();
        let mass = PI * radius * radius * (start.distance(end) + 4.0 / 3.0 * radius);
        let state = part.state(stance);
        let moved = [1.0, part.center().y + state.translation.y, state.linear_velocity.y];
        (0..3).for_each(|i| sum[i] += mass * moved[i]);
    }
    Dual { value: sum[1] / sum[0], rate: sum[2] / sum[0] }
}

impl Moment {
    /// Moves the pelvis such that the feet are at rest on the ground: the distance from the feet to the hips is 2 L cos(flexion).
    fn grounded(self) -> Self {
        let legs = self.angle(LEGS);
        let shift =
            Dual { value: 2.0 * LEG * (legs.value.cos() - 1.0), rate: -2.0 * LEG * legs.value.sin() * legs.rate };
        Self { shift, ..self }
    }

    /// Returns an angle and its rate: piecewise cubic in time, with continuous rates.
    fn angle(&self, [stand, crouch, take_off, top]: Course) -> Dual {
        // The push accelerates the angle uniformly from rest.
        let speed = 2.0 * (take_off - crouch) / self.push;
        let forward = if self.elapsed <= CROUCH {
            cubic(self.elapsed, CROUCH, [stand, crouch], [0.0; 2])
        } else if self.elapsed <= CROUCH + self.push {
            cubic(self.elapsed - CROUCH, self.push, [crouch, take_off], [0.0, speed])
        } else {
            cubic(self.elapsed - CROUCH - self.push, self.rise, [take_off, top], [speed, 0.0])
        };
        Dual { rate: self.sense * forward.rate, ..forward }
    }
}

impl Stance for Moment {
    fn shift(&self) -> (DVec3, DVec3) {
        (self.shift.value * DVec3::Y, self.shift.rate * DVec3::Y)
    }

    fn turn(&self, joint: Joint) -> Turn {
        let [x, z] = match joint {
            Joint::Pelvis => [Dual::ZERO; 2],
            Joint::Spine => [self.angle(SPINE), Dual::ZERO],
            Joint::Chest => [self.angle(CHEST), Dual::ZERO],
            Joint::Neck | Joint::Head => [self.angle(NECK), Dual::ZERO],
            Joint::Shoulder(side) => [self.angle(SWING), self.angle(SPREAD).times(side.sign())],
            Joint::Elbow(_) => [self.angle(ELBOW), Dual::ZERO],
            Joint::Hip(_) => [self.angle(LEGS).times(-1.0), Dual::ZERO],
            Joint::Knee(_) => [self.angle(LEGS).times(2.0), Dual::ZERO],
        };
        Turn { angles: DVec3::new(x.value, 0.0, z.value), rates: DVec3::new(x.rate, 0.0, z.rate) }
    }
}

/// Evaluates the cubic with given values and slopes at 0 and at `duration`. Outside of this interval it is constant.
fn cubic(t: f64, duration: f64, [from, to]: [f64; 2], slopes: [f64; 2]) -> Dual {
    if t <= 0.0 {
        return Dual { value: from, rate: 0.0 };
    }
    let s = (t / duration).min(1.0);
    let [a, b] = slopes.map(|slope| slope * duration);
    let change = to - from;
    // p(s) = from + a s + (3 change - 2 a - b) s^2 + (a + b - 2 change) s^3
    let (square, cube) = (3.0 * change - 2.0 * a - b, a + b - 2.0 * change);
    Dual { value: from + s * (a + s * (square + s * cube)), rate: (a + s * (2.0 * square + 3.0 * s * cube)) / duration }
}

impl Dual {
    const ZERO: Self = Self { value: 0.0, rate: 0.0 };

    fn times(self, factor: f64) -> Self {
        Self { value: factor * self.value, rate: factor * self.rate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Motion;
    use approx::assert_relative_eq;
    use proptest::prelude::*;

    const START: f64 = 0.3;
    const HEIGHT: f64 = 0.4;

    fn jump(part: BodyPart, scale: f64) -> Jump {
        Jump::new(part, START, HEIGHT, scale).unwrap()
    }

    /// Returns the position of a point of a part's rest pose [m] for a figure of scale 1 [m], and its velocity [m/s].
    fn point(part: BodyPart, at: DVec3, t: f64) -> [DVec3; 2] {
        let state = jump(part, 1.0).at(t);
        let arm = state.rotation * (at - part.center());
        [part.center() + state.translation + arm, state.linear_velocity + state.angular_velocity.cross(arm)]
    }

    fn end() -> f64 {
        let [take_off, landing] = jump(BodyPart::Head, 1.0).flight();
        landing + take_off - START
    }

    fn times() -> impl Iterator<Item = f64> {
        (0..=1000).map(|i| (end() + 0.2) * f64::from(i) / 1000.0)
    }

    #[test]
    fn figure_stands_before_and_after() {
        for part in BodyPart::ALL {
            let jump = jump(part, 1.5);
            let [take_off, landing] = jump.flight();
            for t in [-1.0, 0.0, START, landing + take_off - START + 1e-9, 10.0] {
                let state = jump.at(t);
                assert!(state.translation.length() < 1e-12 && state.linear_velocity.length() < 1e-6, "{part:?} {t}");
                assert!(state.rotation.dot(glam::DQuat::IDENTITY) > 1.0 - 1e-12);
            }
        }
    }

    #[test]
    fn bones_keep_their_lengths() {
        // From shoulder to elbow, and so on: the ends of capsules that share a joint stay together, and each capsule is rigid.
        for (upper, lower) in [
            (BodyPart::LeftUpperArm, BodyPart::LeftForearm),
            (BodyPart::RightUpperArm, BodyPart::RightForearm),
            (BodyPart::LeftThigh, BodyPart::LeftShin),
            (BodyPart::RightThigh, BodyPart::RightShin),
        ] {
            let [start, middle] = upper.capsule().0;
            let end = lower.capsule().0[1];
            for t in times() {
                let [a, b] = [upper, lower].map(|part| point(part, middle, t)[0]);
                assert!(a.distance(b) < 1e-12, "{upper:?} at {t}");
                assert_relative_eq!(point(upper, start, t)[0].distance(a), start.distance(middle), epsilon = 1e-12);
                assert_relative_eq!(point(lower, end, t)[0].distance(b), end.distance(middle), epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn feet_leave_the_ground_only_in_flight() {
        let [take_off, landing] = jump(BodyPart::Head, 1.0).flight();
        let mut highest = 0.0f64;
        for shin in [BodyPart::LeftShin, BodyPart::RightShin] {
            let ([_, ankle], radius) = shin.capsule();
            for t in times() {
                let [foot, velocity] = point(shin, ankle, t);
                if (take_off..landing).contains(&t) {
                    assert!(foot.y > radius - 1e-9, "{t} s: {}", foot.y - radius);
                    highest = highest.max(foot.y - radius);
                } else {
                    assert!(foot.distance(ankle) < 1e-12 && velocity.length() < 1e-9, "{t} s: {foot} {velocity}");
                }
            }
        }
        assert!(highest > 0.2, "{highest} m");
    }

    #[test]
    fn center_of_mass_follows_a_parabola_in_flight() {
        for scale in [1.0, 1.75] {
            let jump = jump(BodyPart::Head, scale);
            let [take_off, landing] = jump.flight();
            assert_relative_eq!(landing - take_off, 2.0 * (2.0 * HEIGHT / GRAVITY).sqrt(), epsilon = 1e-12);
            let center = |t: f64| {
                let mut sums = [0.0; 2];
                for part in BodyPart::ALL {
                    let ([a, b], r) = part.capsule();
                    let mass = r * r * (a.distance(b) + 4.0 / 3.0 * r);
                    let state = Jump::new(part, START, HEIGHT, scale).unwrap().at(t);
                    sums[0] += mass;
                    sums[1] += mass * (scale * part.center().y + state.translation.y);
                }
                sums[1] / sums[0]
            };
            let low = center(take_off);
            let speed = (2.0 * GRAVITY * HEIGHT).sqrt();
            for i in 0..=50 {
                let t = (landing - take_off) * f64::from(i) / 50.0;
                assert_relative_eq!(center(take_off + t) - low, speed * t - 0.5 * GRAVITY * t * t, epsilon = 1e-9);
            }
            // The speed at take-off is reached on the ground.
            let h = 1e-6;
            assert_relative_eq!((low - center(take_off - h)) / h, speed, epsilon = 1e-3);
        }
    }

    #[test]
    fn numbers_out_of_range_are_errors() {
        for (start, height, scale) in [(0.0, 0.0, 1.0), (0.0, f64::NAN, 1.0), (0.0, 0.4, -1.0), (f64::NAN, 0.4, 1.0)] {
            let error = Jump::new(BodyPart::Head, start, height, scale).unwrap_err();
            assert!(matches!(error, MotionError::Jump { .. }), "{error}");
        }
        assert!(jump(BodyPart::Head, 1.0).standing(DVec3::NAN).is_err());
    }

    #[test]
    fn figure_can_stand_at_another_position() {
        let feet = DVec3::new(1.0, 2.0, 3.0);
        let standing = Motion::Jump(jump(BodyPart::Head, 2.0).standing(feet).unwrap());
        assert_eq!(standing.pivot(DVec3::ZERO), feet + 2.0 * BodyPart::Head.center());
        let moved = Motion::Jump(jump(BodyPart::Head, 2.0)).about(DVec3::Y);
        assert!(moved.pivot(DVec3::ONE).distance(DVec3::Y) < 1e-15);
        assert_eq!(standing.clone().about(DVec3::Y), standing);
    }

    proptest! {
        #[test]
        fn velocities_are_derivatives(t in 0.0..2.5f64, part in prop::sample::select(BodyPart::ALL.to_vec())) {
            let (motion, h) = (Motion::Jump(jump(part, 1.2)), 1e-5);
            let (before, now, after) = (motion.at(t - h), motion.at(t), motion.at(t + h));
            let velocity = (after.translation - before.translation) / (2.0 * h);
            let delta = after.rotation * before.rotation.conjugate();
            let spin = delta.xyz() * delta.w.signum() / h;
            // At the ends of a phase the acceleration jumps by up to 500 m/s^2: the error of the central difference is at most h/4 of it.
            prop_assert!(velocity.distance(now.linear_velocity) < 2e-3, "{velocity} {}", now.linear_velocity);
            prop_assert!(spin.distance(now.angular_velocity) < 2e-3, "{spin} {}", now.angular_velocity);
            // Velocities are continuous.
            prop_assert!(after.linear_velocity.distance(before.linear_velocity) < 1e-2);
        }
    }
}
