//! Directors of edges in kernels: same code as [`fibra_core::edge_frames`].

// The macros of CubeCL generate public items that cannot be documented.
#![allow(missing_docs)]

use crate::vector::{Vector3, pick};
use cubecl::prelude::*;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

const INVERSE_TAU: f32 = 1.0 / TAU;

#[cube]
pub fn transport(director: Vector3, from: Vector3, to: Vector3) -> Vector3 {
    let b = from.cross(to);
    let c = from.dot(to);
    let sum = from.plus(to);
    let opening = f32::max(0.5f32 * sum.dot(sum), 1e-10f32);
    let carried = director.times(c).plus(b.cross(director)).plus(b.times(b.dot(director) / opening));
    perpendicular(carried, to)
}

#[cube]
pub fn perpendicular(v: Vector3, tangent: Vector3) -> Vector3 {
    let across = v.minus(tangent.times(v.dot(tangent)));
    let along_x = f32::abs(tangent.x) < 0.7f32;
    let axis = Vector3::new(select(along_x, 1.0f32, 0.0f32), select(along_x, 0.0f32, 1.0f32), 0.0f32);
    let other = axis.minus(tangent.times(axis.dot(tangent)));
    let chosen = pick(across.dot(across) > 1e-6f32, across, other);
    chosen.times(1.0f32 / chosen.length())
}

#[cube]
pub fn rotated(director: Vector3, tangent: Vector3, angle: f32) -> Vector3 {
    let x = 0.5f32 * f32::clamp(angle, -TAU, TAU);
    let y = x * x;
    let p = x * (945.0f32 + y * (y - 105.0f32));
    let q = 945.0f32 + y * (15.0f32 * y - 420.0f32);
    let inverse = 1.0f32 / (p * p + q * q);
    let cos = (q * q - p * p) * inverse;
    let sin = 2.0f32 * p * q * inverse;
    director.times(cos).plus(tangent.cross(director).times(sin))
}

#[cube]
pub fn angle(a: Vector3, b: Vector3, axis: Vector3) -> f32 {
    atan2(a.cross(b).dot(axis), a.dot(b))
}

#[cube]
pub fn nearest_turn(angle: f32, near: f32) -> f32 {
    angle + TAU * f32::round((near - angle) * INVERSE_TAU)
}

#[cube]
pub fn atan2(y: f32, x: f32) -> f32 {
    let ax = f32::abs(x);
    let ay = f32::abs(y);
    let steep = ax < ay;
    let z = f32::min(ax, ay) / f32::max(f32::max(ax, ay), f32::MIN_POSITIVE);
    let q = z * z;
    let mut p = 0.002_866_225_7f32 * q - 0.016_165_737f32;
    p = p * q + 0.042_909_614f32;
    p = p * q - 0.075_289_64f32;
    p = p * q + 0.106_562_64f32;
    p = p * q - 0.142_089f32;
    p = p * q + 0.199_935_51f32;
    p = p * q - 0.333_331_45f32;
    let first = z + z * (p * q);
    let second = select(steep, FRAC_PI_2 - first, first);
    let third = select(x < 0.0f32, PI - second, second);
    select(y < 0.0f32, -third, third)
}
