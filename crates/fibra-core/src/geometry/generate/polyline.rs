//! A polyline.

use super::{GenerateError, require, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;

/// A polyline through given points.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyline {
    /// The vertices, in order [m]; at least two, or three if closed.
    pub points: Vec<DVec3>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
    /// Longest segment [m].
    pub spacing: f64,
}

impl Polyline {
    /// Builds the polyline, each side split into equal segments.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        require_positive([("spacing", self.spacing)])?;
        let corners = self.points.len();
        let enough = corners >= if self.closed { 3 } else { 2 };
        require(enough, "number of points", corners as f64, "at least two are needed, or three for a closed polyline")?;
        let sides = if self.closed { corners } else { corners - 1 };
        let side = |i: usize| self.points[i].distance(self.points[(i + 1) % corners]);
        require_particle_limit(2.0 * (0..sides).map(|i| segment_count(side(i), self.spacing)).sum::<f64>() + 1.0)?;
        let mut line = CurveBuilder::default();
        let corner: Vec<u32> = self.points.iter().map(|&point| line.point(point)).collect();
        for i in 0..sides {
            line.line(corner[i], corner[(i + 1) % corners], self.spacing);
        }
        Ok(line.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_split_evenly() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y];
        let open = Polyline { points, closed: false, spacing: 0.25 };
        let mesh = open.build().unwrap();
        assert_eq!((mesh.points().len(), mesh.segments().len()), (9, 8));
        assert!(mesh.lengths().all(|length| (length - 0.25).abs() < 1e-12));
        let closed = Polyline { closed: true, ..open }.build().unwrap();
        assert_eq!((closed.points().len(), closed.segments().len()), (14, 14));
    }

    #[test]
    fn invalid_polylines_are_errors() {
        let line = |points: Vec<DVec3>, closed, spacing| Polyline { points, closed, spacing }.build().unwrap_err();
        let two = vec![DVec3::ZERO, DVec3::X];
        assert!(matches!(line(two[..1].to_vec(), false, 0.1), GenerateError::Parameter { .. }));
        assert!(matches!(line(two.clone(), true, 0.1), GenerateError::Parameter { .. }));
        assert!(matches!(line(two.clone(), false, -0.1), GenerateError::Parameter { .. }));
        assert!(matches!(line(two.clone(), false, 1e-12), GenerateError::TooMany { .. }));
        assert!(matches!(line(vec![DVec3::NAN, DVec3::X], false, 0.1), GenerateError::Curves(_)));
        assert!(matches!(line(vec![DVec3::INFINITY, DVec3::X], false, 0.1), GenerateError::TooMany { .. }));
        assert!(matches!(line(vec![two[0], two[1], two[1]], false, 0.1), GenerateError::Curves(_)));
    }
}
