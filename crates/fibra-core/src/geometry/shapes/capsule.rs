//! A capsule: a cylinder with hemispherical ends.

use super::cylinder::cylinder_volume;
use super::primitive::along;
use super::sphere::ball_volume;
use super::{Primitive, Rule, ShapeKind};
use crate::appearance::BodyShape;
use crate::geometry::generate::{GenerateError, Revolved};
use crate::geometry::shape::positive;
use crate::geometry::{Nearest, RigidPose, Shape, ShapeError, TriangleMesh};
use glam::{DVec3, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// All points within a radius of a segment centered at the origin, along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Half of the segment's length [m], without the round ends.
    pub half_height: f32,
    /// Radius [m].
    pub radius: f32,
}

impl Shape {
    /// Creates a capsule along y with the given half length between the end centers, and radius [m].
    pub fn capsule(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        Ok(Self::Capsule(Capsule {
            half_height: positive("the half height of a capsule", half_height)?,
            radius: positive("the radius of a capsule", radius)?,
        }))
    }
}

impl ShapeKind for Capsule {
    #[inline(always)]
    fn signed_distance(&self, x: Vec3) -> f32 {
        from_segment(x, self.half_height).length() - self.radius
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        let normal = from_segment(x, self.half_height).try_normalize().unwrap_or(Vec3::X);
        Nearest { distance: self.signed_distance(x), normal }
    }

    fn volume(&self) -> Option<f64> {
        Some(cylinder_volume(self.half_height.into(), self.radius.into()) + ball_volume(self.radius.into()))
    }

    fn half_extents(&self) -> Option<DVec3> {
        Some(DVec3::splat(self.radius.into()) + DVec3::Y * f64::from(self.half_height))
    }

    fn display(&self) -> BodyShape {
        BodyShape::Capsule { half_height: self.half_height, radius: self.radius }
    }

    fn contains(&self, x: DVec3) -> bool {
        let (half, r) = (f64::from(self.half_height), f64::from(self.radius));
        (x - x.y.clamp(-half, half) * DVec3::Y).length_squared() < r * r
    }
}

/// Returns the vector from the closest point of the segment between (0, -half, 0) and (0, half, 0) to `x` [m].
#[inline(always)]
fn from_segment(x: Vec3, half: f32) -> Vec3 {
    Vec3::new(x.x, x.y - x.y.clamp(-half, half), x.z)
}

/// A cylinder with hemispherical ends: all points within a radius of a segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Capsule")]
pub struct PlacedCapsule {
    /// One end of the segment [m].
    pub start: [f64; 3],
    /// The other end of the segment, different from `start` [m].
    pub end: [f64; 3],
    /// Radius, above 0 [m].
    pub radius: f64,
}

impl PlacedCapsule {
    /// Returns the vector from `start` to `end` [m].
    fn axis(&self) -> DVec3 {
        DVec3::from_array(self.end) - DVec3::from_array(self.start)
    }
}

impl Primitive for PlacedCapsule {
    fn center(&self) -> [f64; 3] {
        std::array::from_fn(|i| 0.5 * (self.start[i] + self.end[i]))
    }

    fn rules(&self) -> Vec<Rule> {
        vec![
            Rule::Positive { field: "radius", value: self.radius, unit: "m" },
            Rule::Holds {
                holds: self.start != self.end,
                field: "end",
                message: "the capsule has no length",
                label: "same as `start`",
                remedy: "move `end` away from `start`, or use a sphere",
            },
        ]
    }

    fn body(&self) -> Result<(Shape, RigidPose), ShapeError> {
        let axis = self.axis();
        let shape = Shape::capsule(0.5 * axis.length() as f32, self.radius as f32)?;
        Ok((shape, along(axis, self.center())))
    }

    fn volume(&self) -> Option<f64> {
        Some(PI * self.radius.powi(2) * (self.axis().length() + 4.0 / 3.0 * self.radius))
    }

    fn thinnest(&self) -> Option<f64> {
        Some(2.0 * self.radius)
    }

    fn half_extents(&self) -> Option<DVec3> {
        Some(0.5 * self.axis().abs() + DVec3::splat(self.radius))
    }

    fn skin(&self, spacing: f64) -> Option<Result<TriangleMesh, GenerateError>> {
        Some(Revolved::capsule(self.radius, self.axis().length(), spacing).build())
    }
}
