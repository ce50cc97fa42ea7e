//! A knitted rectangle.

use super::super::GenerateError;
use super::fabric::Fabric;
use super::{Pattern, Yarn};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;

/// A knitted rectangle in the xz-plane with its front up, centered at the origin. Courses are along x and follow each other
/// along -z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnitSwatch {
    /// The yarn.
    pub yarn: Yarn,
    /// The pattern.
    pub pattern: Pattern,
    /// Number of courses (rows of loops); at least 2.
    pub courses: u32,
    /// Number of wales (columns of loops); at least 2.
    pub wales: u32,
}

impl KnitSwatch {
    /// Builds the threads. The borders are bound off: the ends of a course are joined to the ends of the next course. The heads of
    /// the last course are joined to each other, and so are the feet of the first course.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        let fabric =
            Fabric { pattern: self.pattern, courses: self.courses, wales: self.wales, round: false, holes: Vec::new() };
        flat(&self.yarn, &fabric)
    }
}

/// Builds a fabric in the xz-plane, centered at the origin.
pub(super) fn flat(yarn: &Yarn, fabric: &Fabric) -> Result<CurveMesh, GenerateError> {
    fabric.check()?;
    let gauge = yarn.gauge(&fabric.pattern, fabric.stitches())?;
    let middle_x = 0.5 * fabric.width(&gauge);
    let middle_y = 0.5 * f64::from(fabric.courses - 1) * gauge.height;
    let mut curves = CurveBuilder::default();
    fabric.knit(&gauge, |p| DVec3::new(p.x - middle_x, p.z, middle_y - p.y), &mut curves)?;
    Ok(curves.finish()?)
}

#[cfg(test)]
mod tests {
    use super::super::stitch::tests::YARN;
    use super::*;
    use approx::assert_relative_eq;

    const SWATCH: KnitSwatch = KnitSwatch { yarn: YARN, pattern: Pattern::Stockinette, courses: 10, wales: 8 };

    #[test]
    fn swatch_is_flat_and_centered() {
        let single = Yarn { threads: 1, ..YARN };
        let middle = KnitSwatch { yarn: single, ..SWATCH }.build().unwrap().bounds().center();
        assert_relative_eq!(DVec3::new(middle.x, 0.0, middle.z), DVec3::ZERO, epsilon = 1e-12);
        // Eight wales and two bindings of half a course; nine courses, two half-heights of 0.637 wales and two bindings of half a wale; two half-depths of
        // 0.159; one yarn diameter.
        let bounds = SWATCH.build().unwrap().bounds();
        let expected = 0.02 * DVec3::new(8.0 + 0.764, 2.0 * 0.159, 9.0 * 0.764 + 2.0 * 0.637 + 1.0);
        let slack = (bounds.extent() - expected).to_array();
        assert!(slack.iter().all(|d| (-1e-4..YARN.diameter).contains(d)), "{slack:?}");
    }

    #[test]
    fn different_threads_do_not_touch() {
        // Single threads, so that the clearance of the yarn equals the clearance of the threads. Bindings are excluded: they touch their yarn.
        let yarn = Yarn { threads: 1, turns: 0, diameter: 0.0046, spacing: 0.001, ..YARN };
        let (courses, wales) = (4, 3);
        let mesh = KnitSwatch { yarn, courses, wales, ..SWATCH }.build().unwrap();
        let points = yarn.gauge(&Pattern::Stockinette, 1.0).unwrap().plain.points() as usize;
        let course = |n: usize| &mesh.points()[n * (3 * points + 1)..(n + 1) * (3 * points + 1)];
        for n in 0..4 {
            for other in n + 1..4 {
                for a in course(n) {
                    for b in course(other) {
                        assert!(a.distance(*b) > 0.0046, "courses {n} and {other}: {}", a.distance(*b));
                    }
                }
            }
        }
    }

    #[test]
    fn size_matches_the_paper() {
        let yarn = Yarn { wale_width: 0.03, diameter: 0.006, threads: 4, turns: 2, spacing: 0.0035 };
        let mesh = KnitSwatch { yarn, courses: 46, wales: 46, ..SWATCH }.build().unwrap();
        assert_relative_eq!(mesh.segments().len() as f64, 0.31e6, max_relative = 0.15);
    }

    #[test]
    fn invalid_sizes_are_errors() {
        for swatch in [KnitSwatch { courses: 1, ..SWATCH }, KnitSwatch { wales: 0, ..SWATCH }] {
            assert!(matches!(swatch.build().unwrap_err(), GenerateError::Parameter { .. }));
        }
        let endless = KnitSwatch { courses: u32::MAX, wales: u32::MAX, ..SWATCH };
        assert!(matches!(endless.build().unwrap_err(), GenerateError::TooMany { .. }));
    }
}
