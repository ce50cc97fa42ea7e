//! A cylinder.

use super::primitive::{along, up};
use super::{Primitive, Rule, ShapeKind};
use crate::appearance::BodyShape;
use crate::geometry::generate::{GenerateError, Revolved};
use crate::geometry::shape::positive;
use crate::geometry::{DisplayMesh, Nearest, RigidPose, Shape, ShapeError, TriangleMesh};
use glam::{DVec3, Vec2, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A cylinder centered at the origin, along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Half of the height [m].
    pub half_height: f32,
    /// Radius [m].
    pub radius: f32,
}

impl Shape {
    /// Creates a cylinder along y with the given half height and radius [m].
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        Ok(Self::Cylinder(Cylinder {
            half_height: positive("the half height of a cylinder", half_height)?,
            radius: positive("the radius of a cylinder", radius)?,
        }))
    }
}

impl ShapeKind for Cylinder {
    #[inline]
    fn signed_distance(&self, x: Vec3) -> f32 {
        let q = Vec2::new(Vec2::new(x.x, x.z).length() - self.radius, x.y.abs() - self.half_height);
        q.max(Vec2::ZERO).length() + q.max_element().min(0.0)
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        let radial = Vec3::new(x.x, 0.0, x.z).try_normalize().unwrap_or(Vec3::X);
        let q = Vec2::new(Vec2::new(x.x, x.z).length() - self.radius, x.y.abs() - self.half_height);
        let away = q.max(Vec2::ZERO).try_normalize().unwrap_or_else(|| Vec2::AXES[q.max_position()]);
        let normal = away.x * radial + away.y * x.y.signum() * Vec3::Y;
        Nearest { distance: self.signed_distance(x), normal }
    }

    fn volume(&self) -> Option<f64> {
        Some(cylinder_volume(self.half_height.into(), self.radius.into()))
    }

    fn half_extents(&self) -> Option<DVec3> {
        Some(Vec3::new(self.radius, self.half_height, self.radius).as_dvec3())
    }

    fn display(&self) -> BodyShape {
        DisplayMesh::cylinder(self.radius, self.half_height).into()
    }

    fn contains(&self, x: DVec3) -> bool {
        let r = f64::from(self.radius);
        x.y.abs() < f64::from(self.half_height) && x.x * x.x + x.z * x.z < r * r
    }
}

/// Returns the volume [m^3] of a cylinder of half height `h` and radius `r` [m].
pub(super) fn cylinder_volume(h: f64, r: f64) -> f64 {
    2.0 * h * PI * r * r
}

/// A cylinder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cylinder")]
pub struct PlacedCylinder {
    /// Center, halfway up the axis [m].
    pub center: [f64; 3],
    /// Radius, above 0 [m].
    pub radius: f64,
    /// Full length along the axis, above 0 [m].
    pub height: f64,
    /// Direction of the axis, of any nonzero length [-]. Default: up, `[0, 1, 0]`.
    #[serde(default = "up")]
    pub axis: [f64; 3],
}

impl Primitive for PlacedCylinder {
    fn center(&self) -> [f64; 3] {
        self.center
    }

    fn rules(&self) -> Vec<Rule> {
        vec![
            Rule::Positive { field: "radius", value: self.radius, unit: "m" },
            Rule::Positive { field: "height", value: self.height, unit: "m" },
            Rule::Direction { field: "axis", value: self.axis, example: "[0, 1, 0]" },
        ]
    }

    fn body(&self) -> Result<(Shape, RigidPose), ShapeError> {
        let shape = Shape::cylinder(0.5 * self.height as f32, self.radius as f32)?;
        Ok((shape, along(DVec3::from_array(self.axis), self.center)))
    }

    fn volume(&self) -> Option<f64> {
        Some(PI * self.radius.powi(2) * self.height)
    }

    fn thinnest(&self) -> Option<f64> {
        Some(self.height.min(2.0 * self.radius))
    }

    /// A disk with unit normal n and radius r extends r sqrt(1 - n_i^2) along axis i.
    fn half_extents(&self) -> Option<DVec3> {
        let normal = DVec3::from(self.axis).normalize_or_zero();
        let disc = (DVec3::ONE - normal * normal).max(DVec3::ZERO).map(f64::sqrt) * self.radius;
        Some(0.5 * self.height * normal.abs() + disc)
    }

    fn skin(&self, spacing: f64) -> Option<Result<TriangleMesh, GenerateError>> {
        Some(Revolved::cylinder(self.radius, self.height, spacing).build())
    }
}
