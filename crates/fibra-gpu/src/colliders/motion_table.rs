//! Tables of collider motion during a time span, from which the device interpolates poses.
//!
//! Time steps adapt to the material, so their end times are known only on the device. The host samples each collider's motion; the device
//! interpolates with cubic Hermite curves through the samples' positions and velocities.

use super::bisect::bisected;
use fibra_core::geometry::{Collider, Motion};
use glam::{DQuat, DVec3, DVec4};

/// Number of values per sample: fraction of the span, quaternion, center, pivot, linear and angular velocity.
pub(super) const SAMPLE: usize = 17;
/// Offset of the list with each collider's first sample and number of samples. The span [s] precedes the list, and the samples follow it.
pub(super) const SPAN: usize = 1;

/// Tolerance of interpolated poses, relative to the size of the collider, and in radians [-].
const POSE_ERROR: f64 = 1e-6;
/// Tolerance of velocities, relative to the largest velocity [-].
const VELOCITY_ERROR: f64 = 1e-4;
/// Largest number of samples per collider.
const MOST: usize = 256;

/// Samples of collider motion between two times.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionTable {
    numbers: Vec<f32>,
}

/// State of a collider at one time.
#[derive(Clone, Copy, Debug)]
struct State {
    rotation: DQuat,
    /// Position of the center, relative to the run origin [m], like all positions here.
    center: DVec3,
    pivot: DVec3,
    linear: DVec3,
    angular: DVec3,
}

impl MotionTable {
    /// Samples the motion from `t0` to `t1` [s], relative to the run origin [m].
    pub fn new(colliders: &[Collider], [t0, t1]: [f64; 2], origin: DVec3) -> Self {
        let span = t1 - t0;
        let mut numbers = vec![span as f32];
        numbers.resize(SPAN + 2 * colliders.len(), 0.0);
        let mut first = 0;
        for (index, collider) in colliders.iter().enumerate() {
            let samples = samples(collider, [t0, t1], origin);
            numbers[SPAN + 2 * index] = first as f32;
            numbers[SPAN + 2 * index + 1] = samples.len() as f32;
            first += samples.len();
            let mut before = DQuat::IDENTITY;
            for (share, State { rotation, center, pivot, linear, angular }) in samples {
                // A rotation has two quaternions; take the one closer to the previous sample's.
                let rotation = if rotation.dot(before) < 0.0 { -rotation } else { rotation };
                before = rotation;
                numbers.push(share as f32);
                numbers.extend(rotation.as_quat().normalize().to_array());
                for vector in [center, pivot, linear, angular] {
                    numbers.extend(vector.as_vec3().to_array());
                }
            }
        }
        Self { numbers }
    }

    /// Returns the table in the device layout.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Returns the number of samples of a collider, 0 if there is no such collider.
    pub fn samples(&self, collider: usize) -> usize {
        let headers = self.numbers.get(SPAN..).unwrap_or_default().chunks_exact(2);
        headers.map(|header| header[1] as usize).nth(collider).unwrap_or(0)
    }
}

fn samples(collider: &Collider, [t0, t1]: [f64; 2], origin: DVec3) -> Vec<(f64, State)> {
    let span = t1 - t0;
    let at = |share: f64| State::of(collider, t0 + share * span, origin);
    let most = if let Motion::Still = collider.motion { 2 } else { MOST };
    // A plane has no size, and the size of the bodies in contact with it is unknown, so 1 m is assumed.
    let size = collider.shape.half_extents().map_or(1.0, DVec3::max_element);
    bisected(
        at,
        |a, b, length, share, exact| {
            let found = a.towards(b, length * span, share);
            let turn = 2.0
                * (DVec4::from(found.rotation) * found.rotation.dot(exact.rotation).signum())
                    .distance(exact.rotation.into());
            let away = found.center.distance(exact.center).max(found.pivot.distance(exact.pivot));
            let speed = |velocity: fn(&State) -> DVec3| {
                let fastest = velocity(a).length().max(velocity(b).length());
                velocity(&found).distance(velocity(exact)) <= VELOCITY_ERROR * fastest
            };
            turn <= POSE_ERROR && away <= POSE_ERROR * size && speed(|s| s.linear) && speed(|s| s.angular)
        },
        most,
    )
}

impl State {
    fn of(collider: &Collider, t: f64, origin: DVec3) -> State {
        let (body, velocity) = collider.body(t);
        State {
            rotation: body.rotation,
            center: body.apply(collider.shape.center()) - origin,
            pivot: velocity.pivot - origin,
            linear: velocity.linear,
            angular: velocity.angular,
        }
    }

    /// Interpolates like the device between two samples that are `seconds` apart, at a relative position.
    fn towards(&self, other: &State, seconds: f64, share: f64) -> State {
        let place = |a: &State, b: &State, place: fn(&State) -> DVec3| {
            cubic(place(a).extend(0.0), place(b).extend(0.0), a.drift(place(a)), b.drift(place(b)), seconds, share)
                .truncate()
        };
        let to = if self.rotation.dot(other.rotation) < 0.0 { -other.rotation } else { other.rotation };
        let [from_rate, to_rate] = [(self.angular, self.rotation), (other.angular, to)]
            .map(|(w, q)| DVec4::from(DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * q) * 0.5);
        let rotation = cubic(self.rotation.into(), to.into(), from_rate, to_rate, seconds, share);
        State {
            rotation: DQuat::from_vec4(rotation).normalize(),
            center: place(self, other, |s| s.center),
            pivot: place(self, other, |s| s.pivot),
            linear: self.linear.lerp(other.linear, share),
            angular: self.angular.lerp(other.angular, share),
        }
    }

    /// Returns the velocity of a point of the body [m/s].
    fn drift(&self, point: DVec3) -> DVec4 {
        (self.linear + self.angular.cross(point - self.pivot)).extend(0.0)
    }
}

/// Cubic Hermite interpolation between two values with given rates [1/s], `seconds` apart.
fn cubic(a: DVec4, b: DVec4, a_rate: DVec4, b_rate: DVec4, seconds: f64, s: f64) -> DVec4 {
    let rest = 1.0 - s;
    a + s * s * (3.0 - 2.0 * s) * (b - a) + seconds * s * rest * (rest * a_rate - s * b_rate)
}
