//! Incremental construction of curves.

use super::{CurveFlaw, CurveMesh};
use glam::DVec3;
use std::f64::consts::PI;
use std::ops::Range;

/// Points and segments added so far.
#[derive(Default)]
pub(super) struct CurveBuilder {
    points: Vec<DVec3>,
    segments: Vec<[u32; 2]>,
}

impl CurveBuilder {
    /// Adds a point [m] without segments and returns its index.
    pub fn point(&mut self, position: DVec3) -> u32 {
        self.points.push(position);
        (self.points.len() - 1) as u32
    }

    /// Adds points [m], each joined to the previous one, and returns their index range.
    pub fn chain(&mut self, positions: impl IntoIterator<Item = DVec3>) -> Range<u32> {
        let start = self.points.len() as u32;
        self.points.extend(positions);
        let end = self.points.len() as u32;
        self.segments.extend((start + 1..end).map(|i| [i - 1, i]));
        start..end
    }

    /// Joins two points by one segment.
    pub fn segment(&mut self, from: u32, to: u32) {
        self.segments.push([from, to]);
    }

    /// Joins two points by a straight line of equal segments, none longer than `spacing` [m].
    pub fn line(&mut self, from: u32, to: u32, spacing: f64) {
        let [a, b] = [from, to].map(|i| self.position(i));
        self.join(from, to, segment_count(a.distance(b), spacing), |share| a.lerp(b, share));
    }

    /// Joins two points by a half circle that bulges toward `side`, of equal segments, none longer than `spacing` [m]. If `side` is along the line
    /// between the points, they are joined by that line.
    pub fn half_circle(&mut self, from: u32, to: u32, side: DVec3, spacing: f64) {
        let [a, b] = [from, to].map(|i| self.position(i));
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let Some(bulge) = side.reject_from(half).try_normalize() else { return self.line(from, to, spacing) };
        let radius = half.length();
        self.join(from, to, segment_count(PI * radius, spacing), |share| {
            let (sine, cosine) = (PI * share).sin_cos();
            middle - cosine * half + sine * radius * bulge
        });
    }

    /// Joins two points by `count` segments. `place` returns the position [m] at a fraction of the way.
    fn join(&mut self, from: u32, to: u32, count: f64, place: impl Fn(f64) -> DVec3) {
        let mut last = from;
        for i in 1..count as u64 {
            let next = self.point(place(i as f64 / count));
            self.segment(last, next);
            last = next;
        }
        self.segment(last, to);
    }

    /// Returns the position of a point [m].
    pub fn position(&self, point: u32) -> DVec3 {
        self.points[point as usize]
    }

    /// Validates the curves and returns them.
    pub fn finish(self) -> Result<CurveMesh, CurveFlaw> {
        CurveMesh::new(self.points, self.segments)
    }
}

/// Returns the smallest number of equal segments, none longer than `spacing` [m], that make up `length` [m].
pub(super) fn segment_count(length: f64, spacing: f64) -> f64 {
    // Rounding must not split 1 m at 0.1 m into eleven segments.
    (length / spacing - 1e-9).ceil().max(1.0)
}
