//! Rotation of grains with the surrounding flow: mirrors [`crate::display_grains::rotation`], which explains the equations.

use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3};
use fibra_gpu::vector::Vector3;

/// A unit quaternion.
#[derive(CubeType, CubeTypeMut, Clone, Copy)]
pub(super) struct Rotation {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) z: f32,
    pub(super) w: f32,
}

/// Computes the angular velocity [rad/s] of a grain in a flow with the velocity gradient `g` [1/s], for a step of `dt` [s].
#[cube]
pub(super) fn angular_velocity(rotation: Rotation, g: &Mat3, elongation: f32, dt: f32) -> Vector3 {
    let w = Vector3 { x: 0.5f32 * (g.zy - g.yz), y: 0.5f32 * (g.xz - g.zx), z: 0.5f32 * (g.yx - g.xy) };
    let rate = g.add(&g.transpose()).scale(0.5f32);
    let now = of_axis(rotation, w, &rate, elongation);
    of_axis(rotated(rotation, now, 0.5f32 * dt), w, &rate, elongation)
}

/// Returns `w + l p x D p`.
#[cube]
fn of_axis(q: Rotation, w: Vector3, rate: &Mat3, elongation: f32) -> Vector3 {
    let p = Vector3 {
        x: 2.0f32 * (q.x * q.z + q.w * q.y),
        y: 2.0f32 * (q.y * q.z - q.w * q.x),
        z: q.w * q.w - (q.x * q.x + q.y * q.y + q.z * q.z) + 2.0f32 * q.z * q.z,
    };
    let dp = rate.apply(&Diag3 { x: p.x, y: p.y, z: p.z });
    w.plus(p.cross(Vector3 { x: dp.x, y: dp.y, z: dp.z }).times(elongation))
}

/// Rotates by an angular velocity [rad/s] for `dt` [s].
#[cube]
pub(super) fn rotated(q: Rotation, spin: Vector3, dt: f32) -> Rotation {
    let a = spin.times(dt);
    let t = a.times(0.5f32 + a.dot(a) * comptime!(1.0f32 / 24.0));
    let x = q.x + t.x * q.w + (t.y * q.z - t.z * q.y);
    let y = q.y + t.y * q.w + (t.z * q.x - t.x * q.z);
    let z = q.z + t.z * q.w + (t.x * q.y - t.y * q.x);
    let w = q.w - (t.x * q.x + t.y * q.y + t.z * q.z);
    let length2 = x * x + y * y + z * z + w * w;
    // False for NaN too.
    let finite = length2 < f32::MAX && length2 > f32::MIN_POSITIVE;
    let unit = 1.0f32 / f32::sqrt(select(finite, length2, 1.0f32));
    Rotation {
        x: select(finite, x * unit, q.x),
        y: select(finite, y * unit, q.y),
        z: select(finite, z * unit, q.z),
        w: select(finite, w * unit, q.w),
    }
}
