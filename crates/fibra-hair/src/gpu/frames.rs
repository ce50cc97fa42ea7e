//! Directors of edges in kernels: [`frames`](crate::frames), line by line.

use crate::gpu::vector::{Vector, add, choose, cross, dot, length, scale, sub, vector};
use cubecl::prelude::*;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

const INVERSE_TAU: f32 = 1.0 / TAU;

#[cube]
pub(crate) fn transport(director: Vector, from: Vector, to: Vector) -> Vector {
    let b = cross(from, to);
    let c = dot(from, to);
    let sum = add(from, to);
    let opening = f32::max(0.5f32 * dot(sum, sum), 1e-10f32);
    let carried = add(add(scale(c, director), cross(b, director)), scale(dot(b, director) / opening, b));
    perpendicular(carried, to)
}

#[cube]
pub(crate) fn perpendicular(v: Vector, tangent: Vector) -> Vector {
    let across = sub(v, scale(dot(v, tangent), tangent));
    let along_x = f32::abs(tangent.x) < 0.7f32;
    let axis = vector(select(along_x, 1.0f32, 0.0f32), select(along_x, 0.0f32, 1.0f32), 0.0f32);
    let other = sub(axis, scale(dot(axis, tangent), tangent));
    let chosen = choose(dot(across, across) > 1e-6f32, across, other);
    scale(1.0f32 / length(chosen), chosen)
}

#[cube]
pub(crate) fn turned(director: Vector, tangent: Vector, angle: f32) -> Vector {
    let x = 0.5f32 * f32::clamp(angle, -TAU, TAU);
    let y = x * x;
    let p = x * (945.0f32 + y * (y - 105.0f32));
    let q = 945.0f32 + y * (15.0f32 * y - 420.0f32);
    let inverse = 1.0f32 / (p * p + q * q);
    let cos = (q * q - p * p) * inverse;
    let sin = 2.0f32 * p * q * inverse;
    add(scale(cos, director), scale(sin, cross(tangent, director)))
}

#[cube]
pub(crate) fn angle(a: Vector, b: Vector, axis: Vector) -> f32 {
    atan2(dot(cross(a, b), axis), dot(a, b))
}

#[cube]
pub(crate) fn nearest_turn(angle: f32, near: f32) -> f32 {
    angle + TAU * f32::round((near - angle) * INVERSE_TAU)
}

#[cube]
fn atan2(y: f32, x: f32) -> f32 {
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
