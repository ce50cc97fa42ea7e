//! Vectors of three numbers in kernels.

// The macros of CubeCL make public items that nobody can describe.
#![allow(missing_docs)]

use cubecl::prelude::*;

/// Shortest vector that has a direction.
const SHORTEST: f32 = 1e-30;

/// A vector on the device.
#[derive(CubeType, CubeTypeMut, Clone, Copy, Debug)]
pub struct Vector3 {
    /// First component.
    pub x: f32,
    /// Second component.
    pub y: f32,
    /// Third component.
    pub z: f32,
}

#[cube]
impl Vector3 {
    /// From its components.
    pub fn new(x: f32, y: f32, z: f32) -> Vector3 {
        Vector3 { x, y, z }
    }

    /// Three numbers of an array, from a place on.
    pub fn read(from: &Array<f32>, at: usize) -> Vector3 {
        Vector3 { x: from[at], y: from[at + 1], z: from[at + 2] }
    }

    /// Puts it into three numbers of an array, from a place on.
    pub fn write(self, into: &mut Array<f32>, at: usize) {
        into[at] = self.x;
        into[at + 1] = self.y;
        into[at + 2] = self.z;
    }

    /// Sum.
    pub fn plus(self, other: Vector3) -> Vector3 {
        Vector3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    /// Difference.
    pub fn minus(self, other: Vector3) -> Vector3 {
        Vector3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    /// The opposite.
    pub fn negative(self) -> Vector3 {
        Vector3 { x: -self.x, y: -self.y, z: -self.z }
    }

    /// Product with a number.
    pub fn times(self, factor: f32) -> Vector3 {
        Vector3 { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    /// Product component by component.
    pub fn scaled(self, other: Vector3) -> Vector3 {
        Vector3 { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }

    /// Quotient component by component.
    pub fn divided(self, other: Vector3) -> Vector3 {
        Vector3 { x: self.x / other.x, y: self.y / other.y, z: self.z / other.z }
    }

    /// The smaller of each pair of components.
    pub fn least(self, other: Vector3) -> Vector3 {
        Vector3 { x: f32::min(self.x, other.x), y: f32::min(self.y, other.y), z: f32::min(self.z, other.z) }
    }

    /// The larger of each pair of components.
    pub fn most(self, other: Vector3) -> Vector3 {
        Vector3 { x: f32::max(self.x, other.x), y: f32::max(self.y, other.y), z: f32::max(self.z, other.z) }
    }

    /// Scalar product.
    pub fn dot(self, other: Vector3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Vector product.
    pub fn cross(self, other: Vector3) -> Vector3 {
        Vector3 {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }

    /// Length.
    pub fn length(self) -> f32 {
        f32::sqrt(self.dot(self))
    }

    /// Unit vector of its direction, or another one where it has none.
    pub fn direction_or(self, other: Vector3) -> Vector3 {
        let length = self.length();
        let has_one = length > SHORTEST;
        let unit = self.times(1.0 / f32::max(length, SHORTEST));
        pick(has_one, unit, other)
    }
}

/// One of two vectors; both are computed.
#[cube]
pub fn pick(condition: bool, then: Vector3, or_else: Vector3) -> Vector3 {
    Vector3 {
        x: select(condition, then.x, or_else.x),
        y: select(condition, then.y, or_else.y),
        z: select(condition, then.z, or_else.z),
    }
}
