//! Interpolates collider poses on the device, at a fraction of a time span.

use super::layout::{ANGULAR, CENTER, LINEAR, PIVOT, PLACED, ROTATION};
use super::motion_table::{SAMPLE, SPAN};
use crate::vector::Vector3;
use cubecl::prelude::*;

/// Two consecutive samples of a collider's motion, and a position between them.
#[derive(CubeType, Clone, Copy)]
pub(super) struct Between {
    /// Index of the first sample; the other is the next.
    pub sample: usize,
    /// Time between the two samples [s].
    seconds: f32,
    /// Relative position between the two samples.
    pub share: f32,
}

/// Writes the pose and the velocities of each of `count` colliders at the fraction `clock[0]` of the table's span.
#[cube(launch)]
pub(super) fn place_colliders(table: &Array<f32>, clock: &Array<f32>, placed: &mut Array<f32>, count: u32) {
    let collider = ABSOLUTE_POS;
    if collider < count as usize {
        let header = SPAN + 2 * collider;
        let samples = SPAN + 2 * count as usize + SAMPLE * usize::cast_from(table[header]);
        let between = between(table, samples, SAMPLE, usize::cast_from(table[header + 1]), clock[0]);
        place(table, samples, &between, placed, collider * PLACED);
    }
}

/// Finds the samples around a fraction of the table's span. The samples' fractions start at `first`, `stride` numbers apart.
#[cube]
pub(super) fn between(table: &Array<f32>, first: usize, stride: usize, count: usize, clock: f32) -> Between {
    // Find the last sample at or before the fraction, excluding the final sample.
    let mut low = usize::new(0);
    let mut high = count - 1;
    while high - low > 1 {
        let middle = (low + high) / 2;
        if table[first + stride * middle] <= clock {
            low = middle;
        } else {
            high = middle;
        }
    }
    let from = table[first + stride * low];
    let length = table[first + stride * (low + 1)] - from;
    let share = f32::clamp((clock - from) / length, 0.0, 1.0);
    Between { sample: low, seconds: length * table[0], share }
}

#[cube]
fn place(table: &Array<f32>, samples: usize, between: &Between, placed: &mut Array<f32>, at: usize) {
    let a = samples + SAMPLE * between.sample + 1;
    let b = a + SAMPLE;
    let a_linear = Vector3::read(table, a + 10);
    let b_linear = Vector3::read(table, b + 10);
    let a_angular = Vector3::read(table, a + 13);
    let b_angular = Vector3::read(table, b + 13);
    let a_center = Vector3::read(table, a + 4);
    let b_center = Vector3::read(table, b + 4);
    let a_pivot = Vector3::read(table, a + 7);
    let b_pivot = Vector3::read(table, b + 7);

    // The time derivative of a quaternion (v, w) is (angular velocity, 0) (v, w) / 2.
    let a_v = Vector3::read(table, a);
    let b_v = Vector3::read(table, b);
    let a_w = table[a + 3];
    let b_w = table[b + 3];
    let a_rate = a_angular.times(a_w).plus(a_angular.cross(a_v)).times(0.5);
    let b_rate = b_angular.times(b_w).plus(b_angular.cross(b_v)).times(0.5);
    let v = cubic(a_v, b_v, a_rate, b_rate, between);
    let w = cubic_number(a_w, b_w, -0.5 * a_angular.dot(a_v), -0.5 * b_angular.dot(b_v), between);
    write_rotation(v, w, placed, at + ROTATION);

    let a_drift = a_linear.plus(a_angular.cross(a_center.minus(a_pivot)));
    let b_drift = b_linear.plus(b_angular.cross(b_center.minus(b_pivot)));
    cubic(a_center, b_center, a_drift, b_drift, between).write(placed, at + CENTER);
    cubic(a_pivot, b_pivot, a_linear, b_linear, between).write(placed, at + PIVOT);
    a_linear.plus(b_linear.minus(a_linear).times(between.share)).write(placed, at + LINEAR);
    a_angular.plus(b_angular.minus(a_angular).times(between.share)).write(placed, at + ANGULAR);
}

/// Writes the rotation matrix of a quaternion (v, w) of approximately unit length, column by column.
#[cube]
fn write_rotation(v: Vector3, w: f32, placed: &mut Array<f32>, at: usize) {
    let twice = 2.0 / (v.dot(v) + w * w);
    let xx = v.x * v.x * twice;
    let yy = v.y * v.y * twice;
    let zz = v.z * v.z * twice;
    let xy = v.x * v.y * twice;
    let xz = v.x * v.z * twice;
    let yz = v.y * v.z * twice;
    let wx = w * v.x * twice;
    let wy = w * v.y * twice;
    let wz = w * v.z * twice;
    Vector3::new(1.0 - (yy + zz), xy + wz, xz - wy).write(placed, at);
    Vector3::new(xy - wz, 1.0 - (xx + zz), yz + wx).write(placed, at + 3);
    Vector3::new(xz + wy, yz - wx, 1.0 - (xx + yy)).write(placed, at + 6);
}

/// Cubic Hermite interpolation between two positions with given rates [1/s].
#[cube]
pub(super) fn cubic(a: Vector3, b: Vector3, a_rate: Vector3, b_rate: Vector3, between: &Between) -> Vector3 {
    Vector3::new(
        cubic_number(a.x, b.x, a_rate.x, b_rate.x, between),
        cubic_number(a.y, b.y, a_rate.y, b_rate.y, between),
        cubic_number(a.z, b.z, a_rate.z, b_rate.z, between),
    )
}

#[cube]
fn cubic_number(a: f32, b: f32, a_rate: f32, b_rate: f32, between: &Between) -> f32 {
    let s = between.share;
    let rest = 1.0 - s;
    a + s * s * (3.0 - 2.0 * s) * (b - a) + between.seconds * s * rest * (rest * a_rate - s * b_rate)
}
