//! A box.

use super::{Primitive, Rule, ShapeKind};
use crate::appearance::BodyShape;
use crate::geometry::generate::{CuboidSkin, GenerateError};
use crate::geometry::pose::rotation_degrees;
use crate::geometry::shape::positive;
use crate::geometry::{DisplayMesh, Nearest, RigidPose, Shape, ShapeError, TriangleMesh};
use glam::{DQuat, DVec3, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A box centered at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half of the edge lengths [m].
    pub half_extents: Vec3,
}

impl Shape {
    /// Creates a box with the given half edge lengths [m].
    pub fn cuboid(half_extents: Vec3) -> Result<Self, ShapeError> {
        for half in half_extents.to_array() {
            positive("a half extent of a box", half)?;
        }
        Ok(Self::Cuboid(Cuboid { half_extents }))
    }
}

impl ShapeKind for Cuboid {
    #[inline]
    fn signed_distance(&self, x: Vec3) -> f32 {
        let q = x.abs() - self.half_extents;
        q.max(Vec3::ZERO).length() + q.max_element().min(0.0)
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        let q = x.abs() - self.half_extents;
        // Outside, away from the closest point of the box; inside, toward the closest face.
        let away = q.max(Vec3::ZERO).try_normalize().unwrap_or_else(|| Vec3::AXES[q.max_position()]);
        Nearest { distance: self.signed_distance(x), normal: away * x.signum() }
    }

    fn volume(&self) -> Option<f64> {
        Some(8.0 * self.half_extents.as_dvec3().element_product())
    }

    fn half_extents(&self) -> Option<DVec3> {
        Some(self.half_extents.as_dvec3())
    }

    fn display(&self) -> BodyShape {
        DisplayMesh::cuboid(self.half_extents).into()
    }

    fn fills_its_box(&self) -> bool {
        true
    }
}

/// A box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cuboid")]
pub struct PlacedCuboid {
    /// Center [m].
    pub center: [f64; 3],
    /// Full length of the edges along x, y and z before rotation, each above 0 [m].
    pub size: [f64; 3],
    /// Rotation about the center, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: [f64; 3],
}

impl Primitive for PlacedCuboid {
    fn center(&self) -> [f64; 3] {
        self.center
    }

    fn rules(&self) -> Vec<Rule> {
        let positive = |(field, value)| Rule::Positive { field, value, unit: "m" };
        ["size.0", "size.1", "size.2"].into_iter().zip(self.size).map(positive).collect()
    }

    fn body(&self) -> Result<(Shape, RigidPose), ShapeError> {
        let half = 0.5 * DVec3::from_array(self.size);
        let rotation = DQuat::from_mat3(&rotation_degrees(self.rotate_degrees));
        let pose = RigidPose { rotation, ..RigidPose::at(DVec3::from_array(self.center)) };
        Ok((Shape::cuboid(half.as_vec3())?, pose))
    }

    fn volume(&self) -> Option<f64> {
        Some(self.size.iter().product())
    }

    fn thinnest(&self) -> Option<f64> {
        Some(self.size.into_iter().fold(f64::INFINITY, f64::min))
    }

    fn half_extents(&self) -> Option<DVec3> {
        let half = 0.5 * DVec3::from(self.size);
        let rotation = rotation_degrees(self.rotate_degrees);
        Some(rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z)
    }

    fn skin(&self, spacing: f64) -> Option<Result<TriangleMesh, GenerateError>> {
        Some(CuboidSkin { size: DVec3::from_array(self.size), spacing }.build())
    }
}
