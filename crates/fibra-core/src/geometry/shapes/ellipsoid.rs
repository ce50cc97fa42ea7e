//! An ellipsoid, such as a head. Scenes have no key for it.

use super::ShapeKind;
use super::sphere::ball_volume;
use crate::appearance::BodyShape;
use crate::geometry::generate::Revolved;
use crate::geometry::shape::positive;
use crate::geometry::{Nearest, Shape, ShapeError};
use glam::{DVec3, Vec3};

/// An ellipsoid centered at the origin. Its distance is a first-order approximation, accurate near the surface and along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Half of the width, height and depth [m].
    pub half_axes: Vec3,
}

impl Shape {
    /// Creates an ellipsoid with the given semi-axes [m].
    pub fn ellipsoid(half_axes: Vec3) -> Result<Self, ShapeError> {
        for half in half_axes.to_array() {
            positive("a half axis of an ellipsoid", half)?;
        }
        Ok(Self::Ellipsoid(Ellipsoid { half_axes }))
    }
}

impl Ellipsoid {
    /// Returns the level function at a point, and its product with its gradient [1/m]. The level is 1 on the surface.
    #[inline(always)]
    fn level(&self, x: Vec3) -> (f32, Vec3) {
        let q = x / self.half_axes;
        (q.length(), q / self.half_axes)
    }
}

impl ShapeKind for Ellipsoid {
    /// Returns (level - 1) / |gradient|; at the center, minus the shortest semi-axis.
    #[inline(always)]
    fn signed_distance(&self, x: Vec3) -> f32 {
        let (level, slope) = self.level(x);
        let steep = slope.length();
        if steep > 1e-12 { level * (level - 1.0) / steep } else { -self.half_axes.min_element() }
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        Nearest { distance: self.signed_distance(x), normal: self.level(x).1.try_normalize().unwrap_or(Vec3::Y) }
    }

    fn volume(&self) -> Option<f64> {
        Some(ball_volume(1.0) * self.half_axes.as_dvec3().element_product())
    }

    fn half_extents(&self) -> Option<DVec3> {
        Some(self.half_axes.as_dvec3())
    }

    fn display(&self) -> BodyShape {
        /// Ratio of the triangles' edge length to the radius [-].
        const EDGE: f64 = 0.05;
        let Ok(ball) = Revolved::capsule(1.0, 0.0, EDGE).build() else { return BodyShape::Unseen };
        BodyShape::Mesh {
            positions: ball.vertices().iter().map(|vertex| vertex.as_vec3() * self.half_axes).collect(),
            triangles: ball.triangles().to_vec(),
        }
    }

    fn contains(&self, x: DVec3) -> bool {
        (x / self.half_axes.as_dvec3()).length_squared() < 1.0
    }
}
