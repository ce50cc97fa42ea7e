//! A knitted tube.

use super::super::GenerateError;
use super::fabric::Fabric;
use super::{Pattern, Yarn};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;
use std::f64::consts::TAU;

/// A knitted tube about the y-axis, with its front outside, centered at the origin. Every course is closed around the tube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnitTube {
    /// The yarn.
    pub yarn: Yarn,
    /// The pattern.
    pub pattern: Pattern,
    /// Number of courses (rows of loops), along +y; at least 2.
    pub courses: u32,
    /// Number of loops around the tube; at least 8.
    pub wales: u32,
}

impl KnitTube {
    /// Builds the threads. The heads of the last course are joined to each other, and so are the feet of the first.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        let fabric =
            Fabric { pattern: self.pattern, courses: self.courses, wales: self.wales, round: true, holes: Vec::new() };
        fabric.check()?;
        let gauge = self.yarn.gauge(&self.pattern, fabric.stitches())?;
        let radius = fabric.width(&gauge) / TAU;
        let middle = 0.5 * f64::from(self.courses - 1) * gauge.height;
        let mut curves = CurveBuilder::default();
        fabric.knit(&gauge, |p| roll(p - middle * DVec3::Y, radius), &mut curves)?;
        Ok(curves.finish()?)
    }
}

/// Maps a point of the flat fabric to a tube of a radius [m] about the y-axis: x runs around from +z to +x, z points outward.
pub(super) fn roll(p: DVec3, radius: f64) -> DVec3 {
    let (sine, cosine) = (p.x / radius).sin_cos();
    DVec3::new((radius + p.z) * sine, p.y, (radius + p.z) * cosine)
}

#[cfg(test)]
mod tests {
    use super::super::stitch::tests::YARN;
    use super::*;
    use approx::assert_relative_eq;

    const TUBE: KnitTube = KnitTube { yarn: YARN, pattern: Pattern::Stockinette, courses: 5, wales: 24 };

    #[test]
    fn tube_surrounds_its_axis() {
        let mesh = TUBE.build().unwrap();
        let depth = 0.02 * 0.159 + 0.5 * YARN.diameter;
        for p in mesh.points() {
            let radius = p.x.hypot(p.z);
            assert!((radius - 24.0 * 0.02 / TAU).abs() < depth + 1e-4, "{radius}");
        }
        assert_relative_eq!(mesh.bounds().center(), DVec3::ZERO, epsilon = 1e-3);
        let mut ends = vec![0; mesh.points().len()];
        mesh.segments().iter().flatten().for_each(|&i| ends[i as usize] += 1);
        assert!(ends.iter().all(|&n| n >= 2), "a loose end");
    }

    #[test]
    fn courses_do_not_touch() {
        let yarn = Yarn { threads: 1, turns: 0, spacing: 0.001, ..YARN };
        let mesh = KnitTube { yarn, ..TUBE }.build().unwrap();
        let points = 24 * yarn.gauge(&Pattern::Stockinette, 1.0).unwrap().plain.points() as usize;
        let course = |n: usize| &mesh.points()[n * points..(n + 1) * points];
        for a in course(0).iter().take(points / 12) {
            for b in course(1) {
                assert!(a.distance(*b) > YARN.diameter, "{}", a.distance(*b));
            }
        }
    }

    #[test]
    fn too_few_wales_are_an_error() {
        let error = KnitTube { wales: 7, ..TUBE }.build().unwrap_err();
        assert!(matches!(error, GenerateError::Parameter { name: "wales", .. }), "{error}");
    }
}
