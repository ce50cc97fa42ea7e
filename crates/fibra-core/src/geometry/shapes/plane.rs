//! A half-space below a plane.

use super::primitive::up;
use super::{Primitive, Rule, ShapeKind};
use crate::appearance::BodyShape;
use crate::geometry::generate::GenerateError;
use crate::geometry::{Nearest, RigidPose, Shape, ShapeError, TriangleMesh};
use glam::{DVec3, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A half-space below a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point of the plane [m]. Put distant points into the pose, which has double precision.
    pub point: Vec3,
    /// Outward unit normal.
    pub normal: Vec3,
}

impl Shape {
    /// Creates a half-space below a plane through `point` [m] with an outward normal of any length.
    pub fn plane(point: Vec3, normal: Vec3) -> Result<Self, ShapeError> {
        match normal.try_normalize() {
            Some(unit) if point.is_finite() => Ok(Self::Plane(Plane { point, normal: unit })),
            _ => Err(ShapeError::BadPlane { point, normal }),
        }
    }
}

impl ShapeKind for Plane {
    #[inline]
    fn signed_distance(&self, x: Vec3) -> f32 {
        self.normal.dot(x - self.point)
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        Nearest { distance: self.signed_distance(x), normal: self.normal }
    }

    fn volume(&self) -> Option<f64> {
        None
    }

    fn half_extents(&self) -> Option<DVec3> {
        None
    }

    fn display(&self) -> BodyShape {
        BodyShape::Plane { normal: self.normal }
    }

    fn contains(&self, x: DVec3) -> bool {
        self.normal.as_dvec3().dot(x - self.point.as_dvec3()) < 0.0
    }
}

/// The half-space below a plane, opposite to its normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Plane")]
pub struct PlacedPlane {
    /// A point on the plane [m].
    pub point: [f64; 3],
    /// Outward normal, of any nonzero length [-]. Default: up, `[0, 1, 0]`.
    #[serde(default = "up")]
    pub normal: [f64; 3],
}

impl Primitive for PlacedPlane {
    fn center(&self) -> [f64; 3] {
        self.point
    }

    fn rules(&self) -> Vec<Rule> {
        vec![Rule::Direction { field: "normal", value: self.normal, example: "[0, 1, 0]" }]
    }

    fn body(&self) -> Result<(Shape, RigidPose), ShapeError> {
        let normal = DVec3::from_array(self.normal).normalize_or_zero().as_vec3();
        Ok((Shape::plane(Vec3::ZERO, normal)?, RigidPose::at(DVec3::from_array(self.point))))
    }

    fn volume(&self) -> Option<f64> {
        None
    }

    fn thinnest(&self) -> Option<f64> {
        None
    }

    fn half_extents(&self) -> Option<DVec3> {
        None
    }

    fn skin(&self, _spacing: f64) -> Option<Result<TriangleMesh, GenerateError>> {
        None
    }

    fn display(&self) -> Result<BodyShape, ShapeError> {
        // Normalized once, in `f64`.
        Ok(BodyShape::Plane { normal: DVec3::from_array(self.normal).normalize_or(DVec3::Y).as_vec3() })
    }
}
