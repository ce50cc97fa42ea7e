//! Vectors in device arrays, and vectors and matrices as kernel arguments. In an array, component `c` of element `i` of `n` is at `c * n + i`.

use cubecl::prelude::*;
use fibra_gpu::vector::Vector3;

/// Returns the vector whose first component is component `first` of element `i` of `n`.
#[cube]
pub(crate) fn get(from: &Array<f32>, n: usize, #[comptime] first: usize, i: usize) -> Vector3 {
    Vector3 { x: from[first * n + i], y: from[(first + 1) * n + i], z: from[(first + 2) * n + i] }
}

/// Sets the vector whose first component is component `first` of element `i` of `n`.
#[cube]
pub(crate) fn set(to: &mut Array<f32>, n: usize, #[comptime] first: usize, i: usize, value: Vector3) {
    to[first * n + i] = value.x;
    to[(first + 1) * n + i] = value.y;
    to[(first + 2) * n + i] = value.z;
}

/// A matrix stored by columns, also usable as a kernel argument.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
pub(crate) struct Turn {
    pub xx: f32,
    pub yx: f32,
    pub zx: f32,
    pub xy: f32,
    pub yy: f32,
    pub zy: f32,
    pub xz: f32,
    pub yz: f32,
    pub zz: f32,
}

#[cube]
pub(crate) fn turn(by: &Turn, v: Vector3) -> Vector3 {
    Vector3 {
        x: by.xx * v.x + by.xy * v.y + by.xz * v.z,
        y: by.yx * v.x + by.yy * v.y + by.yz * v.z,
        z: by.zx * v.x + by.zy * v.y + by.zz * v.z,
    }
}

/// A vector that can be a kernel argument.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
pub(crate) struct Triple {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

#[cube]
pub(crate) fn of(v: &Triple) -> Vector3 {
    Vector3 { x: v.x, y: v.y, z: v.z }
}

/// Converts a matrix to a launch argument.
pub(crate) fn turn_arg<R: Runtime>(m: glam::Mat3) -> TurnLaunch<R> {
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
    TurnLaunch::new(x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z)
}

/// Converts a vector to a launch argument.
pub(crate) fn triple_arg<R: Runtime>(v: glam::Vec3) -> TripleLaunch<R> {
    TripleLaunch::new(v.x, v.y, v.z)
}
