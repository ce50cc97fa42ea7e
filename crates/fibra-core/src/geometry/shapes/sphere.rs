//! A ball.

use super::{Primitive, Rule, ShapeKind};
use crate::appearance::BodyShape;
use crate::geometry::generate::{GenerateError, Revolved};
use crate::geometry::shape::positive;
use crate::geometry::{Nearest, RigidPose, Shape, ShapeError, TriangleMesh};
use glam::{DVec3, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A ball centered at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius [m].
    pub radius: f32,
}

impl Shape {
    /// Creates a ball with the given radius [m].
    pub fn sphere(radius: f32) -> Result<Self, ShapeError> {
        Ok(Self::Sphere(Sphere { radius: positive("the radius of a sphere", radius)? }))
    }
}

impl ShapeKind for Sphere {
    #[inline(always)]
    fn signed_distance(&self, x: Vec3) -> f32 {
        x.length() - self.radius
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        Nearest { distance: self.signed_distance(x), normal: x.try_normalize().unwrap_or(Vec3::Y) }
    }

    fn volume(&self) -> Option<f64> {
        Some(ball_volume(self.radius.into()))
    }

    fn half_extents(&self) -> Option<DVec3> {
        Some(DVec3::splat(self.radius.into()))
    }

    fn display(&self) -> BodyShape {
        BodyShape::Ball { radius: self.radius, turns: false }
    }

    fn contains(&self, x: DVec3) -> bool {
        x.length_squared() < f64::from(self.radius) * f64::from(self.radius)
    }
}

/// Returns the volume [m^3] of a ball of radius `r` [m].
pub(super) fn ball_volume(r: f64) -> f64 {
    4.0 / 3.0 * PI * r.powi(3)
}

/// A ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sphere")]
pub struct PlacedSphere {
    /// Center [m].
    pub center: [f64; 3],
    /// Radius, above 0 [m].
    pub radius: f64,
}

impl Primitive for PlacedSphere {
    fn center(&self) -> [f64; 3] {
        self.center
    }

    fn rules(&self) -> Vec<Rule> {
        vec![Rule::Positive { field: "radius", value: self.radius, unit: "m" }]
    }

    fn body(&self) -> Result<(Shape, RigidPose), ShapeError> {
        Ok((Shape::sphere(self.radius as f32)?, RigidPose::at(DVec3::from_array(self.center))))
    }

    fn volume(&self) -> Option<f64> {
        Some(ball_volume(self.radius))
    }

    fn thinnest(&self) -> Option<f64> {
        Some(2.0 * self.radius)
    }

    fn half_extents(&self) -> Option<DVec3> {
        Some(DVec3::splat(self.radius))
    }

    fn skin(&self, spacing: f64) -> Option<Result<TriangleMesh, GenerateError>> {
        Some(Revolved::capsule(self.radius, 0.0, spacing).build())
    }
}
