//! Vectors in kernels, and vectors in arrays: component `c` of element `i` of `n` is at `c * n + i`.

use cubecl::prelude::*;
pub(crate) use fibra_gpu::vector::Vector3 as Vector;

#[cube]
pub(crate) fn vector(x: f32, y: f32, z: f32) -> Vector {
    Vector { x, y, z }
}

#[cube]
pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    Vector { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z }
}

#[cube]
pub(crate) fn sub(a: Vector, b: Vector) -> Vector {
    Vector { x: a.x - b.x, y: a.y - b.y, z: a.z - b.z }
}

#[cube]
pub(crate) fn negative(a: Vector) -> Vector {
    Vector { x: -a.x, y: -a.y, z: -a.z }
}

#[cube]
pub(crate) fn scale(s: f32, a: Vector) -> Vector {
    Vector { x: s * a.x, y: s * a.y, z: s * a.z }
}

#[cube]
pub(crate) fn dot(a: Vector, b: Vector) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

#[cube]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    Vector { x: a.y * b.z - b.y * a.z, y: a.z * b.x - b.z * a.x, z: a.x * b.y - b.x * a.y }
}

#[cube]
pub(crate) fn length(a: Vector) -> f32 {
    f32::sqrt(dot(a, a))
}

/// `a` where the condition holds, else `b`.
#[cube]
pub(crate) fn choose(condition: bool, a: Vector, b: Vector) -> Vector {
    Vector { x: select(condition, a.x, b.x), y: select(condition, a.y, b.y), z: select(condition, a.z, b.z) }
}

/// The vector whose first component is component `first` of element `i` of `n`.
#[cube]
pub(crate) fn get(from: &Array<f32>, n: usize, #[comptime] first: usize, i: usize) -> Vector {
    Vector { x: from[first * n + i], y: from[(first + 1) * n + i], z: from[(first + 2) * n + i] }
}

/// Sets such a vector.
#[cube]
pub(crate) fn set(to: &mut Array<f32>, n: usize, #[comptime] first: usize, i: usize, value: Vector) {
    to[first * n + i] = value.x;
    to[(first + 1) * n + i] = value.y;
    to[(first + 2) * n + i] = value.z;
}

/// A matrix by its columns, as an argument of kernels, too.
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
pub(crate) fn turn(by: &Turn, v: Vector) -> Vector {
    Vector {
        x: by.xx * v.x + by.xy * v.y + by.xz * v.z,
        y: by.yx * v.x + by.yy * v.y + by.yz * v.z,
        z: by.zx * v.x + by.zy * v.y + by.zz * v.z,
    }
}

/// A vector as an argument of kernels.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
pub(crate) struct Triple {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

#[cube]
pub(crate) fn of(v: &Triple) -> Vector {
    Vector { x: v.x, y: v.y, z: v.z }
}

/// A matrix as an argument of a launch.
pub(crate) fn turn_arg<R: Runtime>(m: glam::Mat3) -> TurnLaunch<R> {
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
    TurnLaunch::new(x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z)
}

/// A vector as an argument of a launch.
pub(crate) fn triple_arg<R: Runtime>(v: glam::Vec3) -> TripleLaunch<R> {
    TripleLaunch::new(v.x, v.y, v.z)
}
