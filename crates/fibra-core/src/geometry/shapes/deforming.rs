//! Triangle meshes with moving vertices: at one time, and as a function of time.

use super::ShapeKind;
use crate::appearance::BodyShape;
use crate::geometry::{DeformedMesh, DeformingMesh, Nearest, Shape};
use glam::{DVec3, Vec3};
use std::sync::Arc;

impl ShapeKind for DeformedMesh {
    #[inline]
    fn signed_distance(&self, x: Vec3) -> f32 {
        DeformedMesh::signed_distance(self, x)
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        DeformedMesh::query(self, x)
    }

    fn volume(&self) -> Option<f64> {
        None
    }

    fn half_extents(&self) -> Option<DVec3> {
        None
    }

    fn display(&self) -> BodyShape {
        BodyShape::from_corners(self.corners().iter().copied())
    }

    /// Faster than computing the distance, because the search is bounded.
    #[inline]
    fn is_within(&self, x: Vec3, reach: f32) -> bool {
        DeformedMesh::is_within(self, x, reach)
    }
}

impl ShapeKind for DeformingMesh {
    #[inline]
    fn signed_distance(&self, x: Vec3) -> f32 {
        self.start().signed_distance(x)
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        self.start().query(x)
    }

    fn volume(&self) -> Option<f64> {
        None
    }

    fn half_extents(&self) -> Option<DVec3> {
        None
    }

    fn display(&self) -> BodyShape {
        BodyShape::Deforming(Box::new(self.clone()))
    }

    fn center(&self) -> DVec3 {
        DeformingMesh::center(self)
    }

    #[inline]
    fn is_within(&self, x: Vec3, reach: f32) -> bool {
        self.start().is_within(x, reach)
    }

    fn deformed_at(&self, t: f64) -> Option<Shape> {
        Some(Shape::Deformed(Arc::new(self.at(t))))
    }
}
