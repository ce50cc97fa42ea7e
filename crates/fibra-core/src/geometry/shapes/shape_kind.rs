//! What every kind of shape can do.

use crate::appearance::BodyShape;
use crate::geometry::{Nearest, Shape};
use glam::{DVec3, Vec3};

/// A kind of shape, in its own frame. [`Shape`] dispatches to it.
pub trait ShapeKind {
    /// Signed distance [m] at `x` [m, relative to the center], negative inside.
    fn signed_distance(&self, x: Vec3) -> f32;

    /// Signed distance and outward normal at `x` [m, relative to the center].
    fn query(&self, x: Vec3) -> Nearest;

    /// Volume [m^3]; none if it is infinite or changes.
    fn volume(&self) -> Option<f64>;

    /// Half of the edge lengths [m] of the bounding box, which is about the center; none if it is infinite or changes.
    fn half_extents(&self) -> Option<DVec3>;

    /// How it is displayed.
    fn display(&self) -> BodyShape;

    /// Point of the body's frame that queries are relative to [m].
    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    /// Whether `x` [m, relative to the center] is inside, or nearer than `reach` [m].
    #[inline(always)]
    fn is_within(&self, x: Vec3, reach: f32) -> bool {
        self.signed_distance(x) < reach
    }

    /// [`ShapeKind::is_within`] for `N` points. The loop vectorizes where `signed_distance` is `#[inline(always)]` and has no branches.
    #[inline(always)]
    fn are_within<const N: usize>(&self, point: impl Fn(usize) -> Vec3, reach: f32) -> [bool; N] {
        let mut within = [false; N];
        for i in 0..N {
            within[i] = self.is_within(point(i), reach);
        }
        within
    }

    /// Whether `x` [m, relative to the center] is inside, in `f64` where the shape allows it.
    fn contains(&self, x: DVec3) -> bool {
        self.signed_distance(x.as_vec3()) < 0.0
    }

    /// Whether it fills its bounding box, so that cells can tile it exactly.
    fn fills_its_box(&self) -> bool {
        false
    }

    /// The shape at time `t` [s], about the same center, if it changes with time.
    fn deformed_at(&self, _t: f64) -> Option<Shape> {
        None
    }
}
