//! Validated curves: points joined by straight segments.

use super::Bounds;
use super::curve_builder::segment_count;
use super::mesh::COORDINATE_LIMIT;
use glam::{DQuat, DVec3};
use thiserror::Error;

/// A segment shorter than this fraction of the longest side of the bounding box counts as degenerate [-].
const DEGENERATE_LENGTH: f64 = 1e-9;

/// Points joined by segments: open strands, closed curves, and networks with junctions.
///
/// Invariants: there is at least one segment, every index is in range, every coordinate is finite, every segment has nonzero length, no two
/// segments join the same points, and every point is used. Different points may coincide: curves may touch.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveMesh {
    points: Vec<DVec3>,
    segments: Vec<[u32; 2]>,
}

/// Reason why curves are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CurveFlaw {
    /// There are no segments.
    #[error("the curves have no segments; give at least two points and a segment that joins them")]
    NoSegments,
    /// There are more points than 32-bit indices allow.
    #[error("there are {points} points; at most {} are possible", u32::MAX)]
    TooManyPoints {
        /// Number of points.
        points: usize,
    },
    /// A coordinate is NaN, infinite or too large.
    #[error(
        "point {point} is at ({}, {}, {}); coordinates must be finite and below {COORDINATE_LIMIT:e} m",
        position.x, position.y, position.z
    )]
    BadCoordinate {
        /// The point, counted from 0.
        point: usize,
        /// The position [m].
        position: DVec3,
    },
    /// A segment uses a point that does not exist.
    #[error("segment {segment} uses point {index}, but there are {points} points, counted from 0")]
    IndexOutOfRange {
        /// The segment, counted from 0.
        segment: usize,
        /// The index it uses.
        index: u32,
        /// Number of points.
        points: usize,
    },
    /// Both ends of a segment have the same position.
    #[error(
        "segment {segment} (at {}, {}, {}) has no length; merge duplicate points of the curve",
        at.x, at.y, at.z
    )]
    NoLength {
        /// The segment, counted from 0.
        segment: usize,
        /// Position of its first end [m].
        at: DVec3,
    },
    /// Two segments join the same two points.
    #[error("segment {segment} joins the same points as segment {earlier}; remove one of them")]
    Doubled {
        /// The later segment, counted from 0.
        segment: usize,
        /// The earlier one.
        earlier: usize,
    },
    /// A point belongs to no segment, so it has no mass.
    #[error("point {point} belongs to no segment; remove it or join it to another point")]
    UnusedPoint {
        /// The point, counted from 0.
        point: usize,
    },
}

impl CurveMesh {
    /// Validates `segments` (pairs of indices into `points`) and creates curves from them.
    pub fn new(points: Vec<DVec3>, segments: Vec<[u32; 2]>) -> Result<Self, CurveFlaw> {
        if segments.is_empty() {
            return Err(CurveFlaw::NoSegments);
        }
        if points.len() > u32::MAX as usize {
            return Err(CurveFlaw::TooManyPoints { points: points.len() });
        }
        for (point, &position) in points.iter().enumerate() {
            if !position.is_finite() || position.abs().max_element() > COORDINATE_LIMIT {
                return Err(CurveFlaw::BadCoordinate { point, position });
            }
        }
        let shortest = DEGENERATE_LENGTH * Bounds::around(points.iter().copied()).extent().max_element();
        let mut used = vec![false; points.len()];
        for (segment, ends) in segments.iter().enumerate() {
            if let Some(&index) = ends.iter().find(|&&i| i as usize >= points.len()) {
                return Err(CurveFlaw::IndexOutOfRange { segment, index, points: points.len() });
            }
            let [a, b] = ends.map(|i| points[i as usize]);
            // A strict comparison also rejects curves whose points all have the same position.
            let has_length = a.distance(b) > shortest;
            if !has_length {
                return Err(CurveFlaw::NoLength { segment, at: a });
            }
            for &i in ends {
                used[i as usize] = true;
            }
        }
        if let Some(point) = used.iter().position(|used| !used) {
            return Err(CurveFlaw::UnusedPoint { point });
        }
        if let Some([earlier, segment]) = doubled(&segments) {
            return Err(CurveFlaw::Doubled { segment, earlier });
        }
        Ok(Self { points, segments })
    }

    /// Returns the point positions [m].
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Returns the point indices of each segment.
    pub fn segments(&self) -> &[[u32; 2]] {
        &self.segments
    }

    /// Returns the points and the segments.
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 2]>) {
        (self.points, self.segments)
    }

    /// Returns the end positions of one segment [m].
    pub fn ends(&self, segment: usize) -> [DVec3; 2] {
        self.segments[segment].map(|i| self.points[i as usize])
    }

    /// Returns the length of each segment [m].
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.segments.len()).map(|segment| {
            let [a, b] = self.ends(segment);
            a.distance(b)
        })
    }

    /// Returns the bounding box of the points.
    pub fn bounds(&self) -> Bounds {
        Bounds::around(self.points.iter().copied())
    }

    /// Splits every segment into the smallest number of equal segments no longer than `max_length` [m].
    ///
    /// Existing points keep their indices; new points follow, in segment order. Returns [`CurveFlaw::TooManyPoints`] if `max_length` is not
    /// positive, or too small for 32-bit point indices.
    pub fn subdivided(&self, max_length: f64) -> Result<Self, CurveFlaw> {
        let segment_count = |length| if max_length > 0.0 { segment_count(length, max_length) } else { f64::INFINITY };
        let total = self.points.len() as f64 + self.lengths().map(|length| segment_count(length) - 1.0).sum::<f64>();
        if total > f64::from(u32::MAX) {
            return Err(CurveFlaw::TooManyPoints { points: total as usize });
        }
        let mut points = self.points.clone();
        let mut segments = Vec::with_capacity(self.segments.len());
        for (segment, length) in self.lengths().enumerate() {
            let ([first, last], [a, b]) = (self.segments[segment], self.ends(segment));
            let n = segment_count(length) as u32;
            let mut from = first;
            for i in 1..n {
                let to = points.len() as u32;
                points.push(a.lerp(b, f64::from(i) / f64::from(n)));
                segments.push([from, to]);
                from = to;
            }
            segments.push([from, last]);
        }
        Self::new(points, segments)
    }

    /// Returns the curves scaled by `scale` [-], then rotated by `rotation`, then translated by `translation` [m].
    pub fn transformed(&self, scale: f64, rotation: DQuat, translation: DVec3) -> Result<Self, CurveFlaw> {
        let place = |&p: &DVec3| rotation * (scale * p) + translation;
        Self::new(self.points.iter().map(place).collect(), self.segments.clone())
    }
}

/// Finds the first segment that joins the same points as an earlier one. Returns the indices of both, the earlier one first.
fn doubled(segments: &[[u32; 2]]) -> Option<[usize; 2]> {
    let mut order: Vec<([u32; 2], usize)> =
        segments.iter().enumerate().map(|(at, &[a, b])| ([a.min(b), a.max(b)], at)).collect();
    order.sort_unstable();
    order.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| [pair[0].1, pair[1].1]).min_by_key(|pair| pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn square() -> CurveMesh {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        CurveMesh::new(points, vec![[0, 1], [1, 2], [2, 3], [3, 0]]).unwrap()
    }

    #[test]
    fn invalid_curves_are_errors() {
        let p = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let new = |s: Vec<[u32; 2]>| CurveMesh::new(p.clone(), s).unwrap_err();
        assert_eq!(new(vec![]), CurveFlaw::NoSegments);
        assert_eq!(new(vec![[0, 1], [1, 3]]), CurveFlaw::IndexOutOfRange { segment: 1, index: 3, points: 3 });
        assert!(matches!(new(vec![[0, 1], [2, 2]]), CurveFlaw::NoLength { segment: 1, .. }));
        assert_eq!(new(vec![[0, 1], [1, 2], [2, 1], [1, 0]]), CurveFlaw::Doubled { segment: 2, earlier: 1 });
        assert_eq!(new(vec![[0, 2]]), CurveFlaw::UnusedPoint { point: 1 });
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            let mut p = p.clone();
            p[2].z = bad;
            let flaw = CurveMesh::new(p, vec![[0, 1]]).unwrap_err();
            assert!(matches!(flaw, CurveFlaw::BadCoordinate { point: 2, .. }), "{flaw}");
        }
        let close = vec![DVec3::ZERO, DVec3::X, DVec3::X + 1e-10 * DVec3::Y];
        let flaw = CurveMesh::new(close, vec![[0, 1], [1, 2]]).unwrap_err();
        assert!(flaw.to_string().starts_with("segment 1 (at 1, 0, 0) has no length"), "{flaw}");
    }

    #[test]
    fn junctions_and_coincident_points_are_valid() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO, -DVec3::X];
        CurveMesh::new(points, vec![[0, 1], [0, 2], [0, 3], [4, 5]]).unwrap();
    }

    #[test]
    fn subdivision_keeps_the_shape() {
        let fine = square().subdivided(0.3).unwrap();
        assert_eq!((fine.points().len(), fine.segments().len()), (16, 16));
        assert!(fine.lengths().all(|length| (length - 0.25).abs() < 1e-12));
        assert_eq!(fine.points()[..4], square().points()[..]);
        assert_eq!(square().subdivided(1.0).unwrap(), square());
        for bad in [0.0, -1.0, f64::NAN, 1e-30] {
            let flaw = square().subdivided(bad).unwrap_err();
            assert!(matches!(flaw, CurveFlaw::TooManyPoints { .. }), "{flaw}");
        }
    }

    #[test]
    fn transform_scales_then_rotates_then_translates() {
        let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let moved = square().transformed(2.0, turn, DVec3::Z).unwrap();
        assert_relative_eq!(moved.points()[1], DVec3::new(0.0, 2.0, 1.0), epsilon = 1e-12);
        assert_relative_eq!(moved.bounds().extent(), DVec3::new(2.0, 2.0, 0.0), epsilon = 1e-12);
        assert!(matches!(square().transformed(0.0, turn, DVec3::Z).unwrap_err(), CurveFlaw::NoLength { .. }));
    }
}
