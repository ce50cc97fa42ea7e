//! Validated hair strands, each from root to tip.

use super::curve_builder::CurveBuilder;
use super::mesh::COORDINATE_LIMIT;
use super::polyline::{even_places, length};
use super::{CurveFlaw, CurveMesh};
use glam::DVec3;
use std::fmt;
use std::ops::Range;
use thiserror::Error;

/// A segment no longer than this fraction of its strand counts as degenerate [-]. This is far below the resolution of a simulation. It
/// is above the rounding error of `f32` coordinates unless the strand is much smaller than its distance from the origin.
const MIN_SEGMENT_FRACTION: f64 = 1e-6;

/// Strands, each an open chain of points from root to tip.
///
/// Invariants: at least one strand, at least two points in each, finite coordinates, no degenerate segments.
#[derive(Clone, Debug, PartialEq)]
pub struct StrandSet {
    points: Vec<DVec3>,
    /// Index of the first point of each strand, and the total number of points. [strands + 1]
    offsets: Vec<u32>,
    /// Width at each point [m], if known. [points]
    widths: Option<Vec<f32>>,
}

/// Reason why strands are invalid. Strands, and points within a strand, are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum StrandFlaw {
    /// There are no strands.
    #[error("there are no strands; at least one is needed, with two points")]
    NoStrands,
    /// There are more points than 32-bit indices allow.
    #[error("there are {points} points; at most {} are possible", u32::MAX)]
    TooManyPoints {
        /// Number of points.
        points: u64,
    },
    /// The point counts of the strands do not add up to the number of points.
    #[error("the strands need {needed} points, but there are {points}; the numbers must be the same")]
    PointCount {
        /// Sum over the strands.
        needed: u64,
        /// Number of points.
        points: usize,
    },
    /// A strand has no segment.
    #[error("strand {strand} has {points} points; at least two are needed")]
    TooFewPoints {
        /// The strand.
        strand: usize,
        /// Number of points it has.
        points: u32,
    },
    /// A coordinate is NaN, infinite or too large.
    #[error(
        "point {point} of strand {strand} is at ({}, {}, {}); coordinates must be finite and below {COORDINATE_LIMIT:e} m",
        position.x, position.y, position.z
    )]
    BadCoordinate {
        /// The strand.
        strand: usize,
        /// The point within the strand.
        point: usize,
        /// The position [m].
        position: DVec3,
    },
    /// A point has the same position as the previous one.
    #[error(
        "point {point} of strand {strand} has the same position as the previous point; segments must have nonzero length"
    )]
    RepeatedPoint {
        /// The strand.
        strand: usize,
        /// The point within the strand.
        point: usize,
    },
}

/// Numbers of strands and points removed to make strands valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrandRepairs {
    /// Number of strands removed because they had fewer than two distinct points.
    pub strands_without_length: usize,
    /// Number of points removed from the remaining strands because they repeated the previous point.
    pub repeated_points: usize,
}

impl StrandRepairs {
    /// Returns whether nothing was removed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for StrandRepairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "removed {} strands without length and {} repeated points",
            self.strands_without_length, self.repeated_points
        )
    }
}

impl StrandSet {
    /// Creates and validates strands. `counts` is the number of points of each strand, taken from `points` [m] in order.
    pub fn new(points: Vec<DVec3>, counts: &[u32]) -> Result<Self, StrandFlaw> {
        let strands = Self::with_finite_points(points, counts)?;
        for (strand, points) in strands.iter().enumerate() {
            if points.len() < 2 {
                return Err(StrandFlaw::TooFewPoints { strand, points: points.len() as u32 });
            }
            let shortest = MIN_SEGMENT_FRACTION * length(points);
            // A strict comparison also rejects strands of zero length.
            let has_length = |pair: &[DVec3]| pair[0].distance(pair[1]) > shortest;
            if let Some(segment) = points.windows(2).position(|pair| !has_length(pair)) {
                return Err(StrandFlaw::RepeatedPoint { strand, point: segment + 1 });
            }
        }
        Ok(strands)
    }

    /// Creates strands after removing strands without length and repeated points. Also returns how many of each were removed. `widths` is the width at
    /// each point [m], if known.
    ///
    /// A point is repeated if its distance from the last point kept is at most a millionth of the strand's length.
    pub fn repaired(
        points: Vec<DVec3>,
        counts: &[u32],
        widths: Option<&[f32]>,
    ) -> Result<(Self, StrandRepairs), StrandFlaw> {
        let given = Self::with_finite_points(points, counts)?;
        let mut repairs = StrandRepairs::default();
        let mut kept = Self { points: Vec::with_capacity(given.points.len()), offsets: vec![0], widths: None };
        let mut kept_widths: Vec<f32> = Vec::new();
        for (index, strand) in given.iter().enumerate() {
            let start = kept.points.len();
            // Removing points shortens a curved strand and thus lowers its threshold, so every remaining segment is still long enough.
            let shortest = MIN_SEGMENT_FRACTION * length(strand);
            for (&point, number) in strand.iter().zip(given.range(index)) {
                if kept.points.len() == start || kept.points[kept.points.len() - 1].distance(point) > shortest {
                    kept.points.push(point);
                    kept_widths.extend(widths.map(|widths| widths[number]));
                }
            }
            let points = kept.points.len() - start;
            if points < 2 {
                kept.points.truncate(start);
                kept_widths.truncate(start);
                repairs.strands_without_length += 1;
            } else {
                kept.offsets.push(kept.points.len() as u32);
                repairs.repeated_points += strand.len() - points;
            }
        }
        if kept.is_empty() {
            return Err(StrandFlaw::NoStrands);
        }
        Ok((kept.with_widths(widths.map(|_| kept_widths)), repairs))
    }

    /// Creates strands after checking that all points are finite and that the counts add up to their number.
    fn with_finite_points(points: Vec<DVec3>, counts: &[u32]) -> Result<Self, StrandFlaw> {
        if counts.is_empty() {
            return Err(StrandFlaw::NoStrands);
        }
        let needed = counts.iter().map(|&count| u64::from(count)).sum();
        if needed > u64::from(u32::MAX) {
            return Err(StrandFlaw::TooManyPoints { points: needed });
        }
        if needed != points.len() as u64 {
            return Err(StrandFlaw::PointCount { needed, points: points.len() });
        }
        let ends = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        let strands = Self { points, offsets: [0].into_iter().chain(ends).collect(), widths: None };
        let sound = |p: &DVec3| p.is_finite() && p.abs().max_element() <= COORDINATE_LIMIT;
        for (strand, points) in strands.iter().enumerate() {
            if let Some(point) = points.iter().position(|p| !sound(p)) {
                return Err(StrandFlaw::BadCoordinate { strand, point, position: points[point] });
            }
        }
        Ok(strands)
    }

    /// Returns the strands with a width at each point [m], or without known widths.
    ///
    /// # Panics
    /// If the number of widths is not the number of points.
    pub fn with_widths(self, widths: Option<Vec<f32>>) -> Self {
        assert!(
            widths.as_ref().is_none_or(|widths| widths.len() == self.points.len()),
            "there must be one width per point"
        );
        Self { widths, ..self }
    }

    /// Returns the strands with all points moved by `to`, with the same widths.
    pub fn mapped(&self, to: impl Fn(DVec3) -> DVec3) -> Result<Self, StrandFlaw> {
        let counts: Vec<u32> = self.offsets.windows(2).map(|ends| ends[1] - ends[0]).collect();
        let moved = Self::new(self.points.iter().map(|&point| to(point)).collect(), &counts)?;
        Ok(moved.with_widths(self.widths.clone()))
    }

    /// Returns the number of strands.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns whether there are no strands, which never happens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the positions of all points [m], strand by strand, each from root to tip.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Returns the width at each point [m], if known. [points]
    pub fn widths(&self) -> Option<&[f32]> {
        self.widths.as_deref()
    }

    /// Returns the index of the first point of each strand, followed by the total number of points. [strands + 1]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Returns the index range of a strand's points.
    pub fn range(&self, strand: usize) -> Range<usize> {
        self.offsets[strand] as usize..self.offsets[strand + 1] as usize
    }

    /// Returns the positions along one strand [m].
    pub fn strand(&self, strand: usize) -> &[DVec3] {
        &self.points[self.range(strand)]
    }

    /// Returns the positions along each strand [m].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[DVec3]> {
        (0..self.len()).map(|strand| self.strand(strand))
    }

    /// Returns the length of each strand [m].
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = f64> {
        self.iter().map(length)
    }

    /// Resamples each strand into equal segments of about `spacing` [m] along it. Widths are interpolated.
    ///
    /// Returns [`StrandFlaw::TooManyPoints`] if `spacing` is not positive, or too small for 32-bit point indices.
    pub fn resampled(&self, spacing: f64) -> Result<Self, StrandFlaw> {
        let segment_count =
            |length: f64| if spacing > 0.0 { (length / spacing).round().max(1.0) } else { f64::INFINITY };
        let total: f64 = self.lengths().map(|length| segment_count(length) + 1.0).sum();
        if total > f64::from(u32::MAX) {
            return Err(StrandFlaw::TooManyPoints { points: total as u64 });
        }
        let counts: Vec<u32> = self.lengths().map(|length| segment_count(length) as u32 + 1).collect();
        let mut places: Vec<(usize, f64)> = Vec::with_capacity(total as usize);
        for (index, strand) in self.iter().enumerate() {
            let (first, segments) = (self.range(index).start, counts[index] as usize - 1);
            let of_strand = even_places(strand, length(strand), segments).into_iter();
            places.extend(of_strand.map(|(segment, share)| (first + segment, share)));
        }
        let width = |widths: &Vec<f32>, (at, share): (usize, f64)| {
            (f64::from(widths[at]) * (1.0 - share) + f64::from(widths[at + 1]) * share) as f32
        };
        let widths = self.widths.as_ref().map(|widths| places.iter().map(|&place| width(widths, place)).collect());
        let points = places.iter().map(|&(at, share)| self.points[at].lerp(self.points[at + 1], share)).collect();
        Ok(Self::new(points, &counts)?.with_widths(widths))
    }

    /// Converts the strands to a mesh of segments.
    pub fn to_curves(&self) -> Result<CurveMesh, CurveFlaw> {
        let mut curves = CurveBuilder::default();
        for strand in self.iter() {
            curves.chain(strand.iter().copied());
        }
        curves.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(xs: &[f64]) -> Vec<DVec3> {
        xs.iter().map(|&x| DVec3::new(x, 1.0, 0.0)).collect()
    }

    #[test]
    fn strands_are_ranges_of_points() {
        let hair = StrandSet::new(line(&[0.0, 1.0, 5.0, 6.0, 8.0]), &[2, 3]).unwrap();
        assert_eq!((hair.len(), hair.offsets()), (2, &[0, 2, 5][..]));
        assert_eq!(hair.strand(1), &line(&[5.0, 6.0, 8.0])[..]);
        assert_eq!(hair.lengths().collect::<Vec<_>>(), [1.0, 3.0]);
        assert_eq!(hair.to_curves().unwrap().segments(), &[[0, 1], [2, 3], [3, 4]]);
    }

    #[test]
    fn resampled_strands_have_equal_segments() {
        let hair = StrandSet::new(line(&[0.0, 1.0, 5.0, 5.6, 8.0]), &[2, 3]).unwrap();
        let cut = hair.resampled(0.7).unwrap();
        assert_eq!(cut.offsets(), &[0, 2, 7]);
        assert!(cut.strand(1).windows(2).all(|p| (p[0].distance(p[1]) - 0.75).abs() < 1e-12));
        let wide = hair.clone().with_widths(Some(vec![1.0, 2.0, 0.5, 0.2, 0.1])).resampled(3.0).unwrap();
        assert_eq!(wide.widths(), Some(&[1.0, 2.0, 0.5, 0.1][..]));
        let halved = hair.clone().with_widths(Some(vec![1.0, 2.0, 0.5, 0.2, 0.1])).resampled(0.5).unwrap();
        assert_eq!(halved.widths().unwrap()[..4], [1.0, 1.5, 2.0, 0.5]);
        for bad in [0.0, -1.0, f64::NAN, 1e-30] {
            assert!(matches!(hair.resampled(bad).unwrap_err(), StrandFlaw::TooManyPoints { .. }), "{bad}");
        }
    }

    #[test]
    fn invalid_strands_are_errors() {
        let flaw = |xs: &[f64], counts: &[u32]| StrandSet::new(line(xs), counts).unwrap_err();
        assert_eq!(flaw(&[], &[]), StrandFlaw::NoStrands);
        assert_eq!(flaw(&[0.0, 1.0], &[3]), StrandFlaw::PointCount { needed: 3, points: 2 });
        assert_eq!(flaw(&[0.0, 1.0], &[u32::MAX, 3]), StrandFlaw::TooManyPoints { points: (1 << 32) + 2 });
        assert_eq!(flaw(&[0.0, 1.0, 2.0], &[2, 1]), StrandFlaw::TooFewPoints { strand: 1, points: 1 });
        assert_eq!(flaw(&[0.0, 1.0], &[2, 0]), StrandFlaw::TooFewPoints { strand: 1, points: 0 });
        assert_eq!(flaw(&[0.0, 1.0, 4.0, 5.0, 5.0], &[2, 3]), StrandFlaw::RepeatedPoint { strand: 1, point: 2 });
        assert_eq!(flaw(&[0.0, 1e-8, 1.0], &[3]), StrandFlaw::RepeatedPoint { strand: 0, point: 1 });
        assert_eq!(flaw(&[3.0, 3.0], &[2]), StrandFlaw::RepeatedPoint { strand: 0, point: 1 });
        for bad in [f64::NAN, f64::NEG_INFINITY, 2e9] {
            let points = [0.0, 1.0, 2.0, bad];
            assert!(matches!(flaw(&points, &[2, 2]), StrandFlaw::BadCoordinate { strand: 1, point: 1, .. }));
            assert!(StrandSet::repaired(line(&points), &[2, 2], None).is_err());
        }
    }

    #[test]
    fn repairs_remove_and_count_degenerate_parts() {
        let xs = [0.0, 0.0, 1.0, 1.0 + 1e-9, 1.0, 2.0, 7.0, 7.0, 7.0, 9.0, 3.0, 4.0];
        let widths: Vec<f32> = (0..12).map(|i| i as f32).collect();
        let (hair, repairs) = StrandSet::repaired(line(&xs), &[6, 3, 1, 0, 2], Some(&widths)).unwrap();
        assert_eq!(repairs, StrandRepairs { strands_without_length: 3, repeated_points: 3 });
        assert_eq!(hair.widths(), Some(&[0.0, 2.0, 5.0, 10.0, 11.0][..]));
        let hair = hair.with_widths(None);
        assert_eq!(hair, StrandSet::new(line(&[0.0, 1.0, 2.0, 3.0, 4.0]), &[3, 2]).unwrap());
        assert_eq!(repairs.to_string(), "removed 3 strands without length and 3 repeated points");

        let (same, none) = StrandSet::repaired(hair.points().to_vec(), &[3, 2], None).unwrap();
        assert!(none.is_empty());
        assert_eq!(same, hair);
        assert_eq!(StrandSet::repaired(line(&[1.0, 1.0]), &[2], None).unwrap_err(), StrandFlaw::NoStrands);
    }
}
