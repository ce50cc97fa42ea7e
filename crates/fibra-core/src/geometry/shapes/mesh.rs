//! The interior of a closed triangle mesh.

use super::ShapeKind;
use crate::appearance::BodyShape;
use crate::geometry::{MeshDistance, Nearest};
use glam::{DVec3, Vec3};

impl ShapeKind for MeshDistance {
    #[inline]
    fn signed_distance(&self, x: Vec3) -> f32 {
        MeshDistance::signed_distance(self, x)
    }

    #[inline]
    fn query(&self, x: Vec3) -> Nearest {
        MeshDistance::query(self, x)
    }

    fn volume(&self) -> Option<f64> {
        Some(self.surface().volume())
    }

    fn half_extents(&self) -> Option<DVec3> {
        Some(0.5 * self.bounds().extent())
    }

    fn display(&self) -> BodyShape {
        BodyShape::from_corners(
            self.surface().triangles().iter().map(|triangle| triangle.map(|corner| corner.as_vec3())),
        )
    }

    fn center(&self) -> DVec3 {
        MeshDistance::center(self)
    }

    fn contains(&self, x: DVec3) -> bool {
        self.surface().contains(MeshDistance::center(self) + x)
    }
}
