//! The interface of all kinds of shapes.

use crate::appearance::BodyShape;
use crate::geometry::{Nearest, Shape};
use glam::{DVec3, Vec3};

/// A kind of shape, in its own frame. [`Shape`] dispatches to the implementations.
pub trait ShapeKind {
    /// Returns the signed distance [m] at `x` [m, relative to the center], negative inside.
    fn signed_distance(&self, x: Vec3) -> f32;

    /// Returns the signed distance and outward normal at `x` [m, relative to the center].
    fn query(&self, x: Vec3) -> Nearest;

    /// Returns the volume [m^3]; `None` if it is infinite or changes.
    fn volume(&self) -> Option<f64>;

    /// Returns half of the edge lengths [m] of the bounding box around the shape's center; `None` if it is infinite or changes.
    fn half_extents(&self) -> Option<DVec3>;

    /// Returns the shape for display.
    fn display(&self) -> BodyShape;

    /// Returns the point of the body's frame that queries are relative to [m].
    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    /// Returns whether `x` [m, relative to the center] is inside or closer than `reach` [m].
    #[inline(always)]
    fn is_within(&self, x: Vec3, reach: f32) -> bool {
        self.signed_distance(x) < reach
    }

    /// Evaluates [`ShapeKind::is_within`] for `N` points. The loop vectorizes if `signed_distance` is `#[inline(always)]` and has no
    /// branches.
    #[inline(always)]
    fn are_within<const N: usize>(&self, point: impl Fn(usize) -> Vec3, reach: f32) -> [bool; N] {
        let mut within = [false; N];
        for i in 0..N {
            within[i] = self.is_within(point(i), reach);
        }
        within
    }

    /// Returns whether `x` [m, relative to the center] is inside, in `f64` if the shape supports it.
    fn contains(&self, x: DVec3) -> bool {
        self.signed_distance(x.as_vec3()) < 0.0
    }

    /// Returns whether the shape fills its bounding box, so that cells can tile it exactly.
    fn fills_its_box(&self) -> bool {
        false
    }

    /// Returns the shape at time `t` [s], with the same center, if it changes over time.
    fn deformed_at(&self, _t: f64) -> Option<Shape> {
        None
    }
}
