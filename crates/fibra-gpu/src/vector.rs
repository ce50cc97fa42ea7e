//! 3D vectors in kernels.

// The macros of CubeCL generate public items that cannot be documented.
#![allow(missing_docs)]

use cubecl::prelude::*;

/// Smallest length of a vector whose direction is defined.
const SHORTEST: f32 = 1e-30;

/// A 3D vector on the device.
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
    /// Creates a vector from its components.
    pub fn new(x: f32, y: f32, z: f32) -> Vector3 {
        Vector3 { x, y, z }
    }

    /// Reads three consecutive numbers of an array, starting at `at`.
    pub fn read(from: &Array<f32>, at: usize) -> Vector3 {
        Vector3 { x: from[at], y: from[at + 1], z: from[at + 2] }
    }

    /// Writes to three consecutive numbers of an array, starting at `at`.
    pub fn write(self, into: &mut Array<f32>, at: usize) {
        into[at] = self.x;
        into[at + 1] = self.y;
        into[at + 2] = self.z;
    }

    /// Returns the sum.
    pub fn plus(self, other: Vector3) -> Vector3 {
        Vector3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    /// Returns the difference.
    pub fn minus(self, other: Vector3) -> Vector3 {
        Vector3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    /// Returns the negated vector.
    pub fn negative(self) -> Vector3 {
        Vector3 { x: -self.x, y: -self.y, z: -self.z }
    }

    /// Returns the product with a scalar.
    pub fn times(self, factor: f32) -> Vector3 {
        Vector3 { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    /// Returns the componentwise product.
    pub fn scaled(self, other: Vector3) -> Vector3 {
        Vector3 { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }

    /// Returns the componentwise quotient.
    pub fn divided(self, other: Vector3) -> Vector3 {
        Vector3 { x: self.x / other.x, y: self.y / other.y, z: self.z / other.z }
    }

    /// Returns the componentwise minimum.
    pub fn least(self, other: Vector3) -> Vector3 {
        Vector3 { x: f32::min(self.x, other.x), y: f32::min(self.y, other.y), z: f32::min(self.z, other.z) }
    }

    /// Returns the componentwise maximum.
    pub fn most(self, other: Vector3) -> Vector3 {
        Vector3 { x: f32::max(self.x, other.x), y: f32::max(self.y, other.y), z: f32::max(self.z, other.z) }
    }

    /// Returns the dot product.
    pub fn dot(self, other: Vector3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Returns the cross product.
    pub fn cross(self, other: Vector3) -> Vector3 {
        Vector3 {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }

    /// Returns the length.
    pub fn length(self) -> f32 {
        f32::sqrt(self.dot(self))
    }

    /// Returns the normalized vector, or `other` if its length is too small.
    pub fn direction_or(self, other: Vector3) -> Vector3 {
        let length = self.length();
        let has_one = length > SHORTEST;
        let unit = self.times(1.0 / f32::max(length, SHORTEST));
        pick(has_one, unit, other)
    }
}

/// Selects one of two vectors; both are evaluated.
#[cube]
pub fn pick(condition: bool, then: Vector3, or_else: Vector3) -> Vector3 {
    Vector3 {
        x: select(condition, then.x, or_else.x),
        y: select(condition, then.y, or_else.y),
        z: select(condition, then.z, or_else.z),
    }
}
