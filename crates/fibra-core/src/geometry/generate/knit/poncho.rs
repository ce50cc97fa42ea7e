//! A poncho: a knitted rectangle with an opening for the neck.

use super::super::{GenerateError, require};
use super::fabric::Fabric;
use super::swatch::flat;
use super::{Pattern, Yarn};
use crate::geometry::CurveMesh;

/// A knitted rectangle with a rectangular opening in its middle, in the xz-plane with its front up, centered at the origin.
/// Courses are along x and follow each other along -z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poncho {
    /// The yarn.
    pub yarn: Yarn,
    /// The pattern.
    pub pattern: Pattern,
    /// Number of courses (rows of loops), including the opening.
    pub courses: u32,
    /// Number of wales (columns of loops), including the opening.
    pub wales: u32,
    /// Number of courses of the opening; at least 1, with at least 2 courses left on both sides.
    pub neck_courses: u32,
    /// Number of wales of the opening; at least 1, with at least 2 wales left on both sides.
    pub neck_wales: u32,
}

impl Poncho {
    /// Builds the threads. The outer border and the border of the opening are bound off, as in a swatch.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        let middle = |all: u32, neck: u32| {
            let start = all.saturating_sub(neck) / 2;
            start..start + neck
        };
        let allowed = "it must be at least 1 and leave at least 2 on both sides";
        for (name, all, neck) in
            [("neck_courses", self.courses, self.neck_courses), ("neck_wales", self.wales, self.neck_wales)]
        {
            require(neck >= 1 && u64::from(neck) + 4 <= u64::from(all), name, f64::from(neck), allowed)?;
        }
        let neck = (middle(self.courses, self.neck_courses), middle(self.wales, self.neck_wales));
        let fabric =
            Fabric { pattern: self.pattern, courses: self.courses, wales: self.wales, round: false, holes: vec![neck] };
        flat(&self.yarn, &fabric)
    }
}

#[cfg(test)]
mod tests {
    use super::super::stitch::tests::YARN;
    use super::*;

    const PONCHO: Poncho =
        Poncho { yarn: YARN, pattern: Pattern::Stockinette, courses: 20, wales: 16, neck_courses: 6, neck_wales: 4 };

    #[test]
    fn opening_is_empty() {
        let mesh = PONCHO.build().unwrap();
        // Half of the opening, minus the feet, heads and bindings that reach into it.
        let (x, z) = (0.02 * (2.0 - 0.2 - 0.4), 0.02 * (0.764 * (3.0 - 1.2) - 0.5));
        assert!(mesh.points().iter().all(|p| p.x.abs() > x || p.z.abs() > z));
        assert!(mesh.points().iter().any(|p| p.x.abs() < 0.02 * 3.0 && p.z.abs() < 0.02));
        let mut ends = vec![0; mesh.points().len()];
        mesh.segments().iter().flatten().for_each(|&i| ends[i as usize] += 1);
        assert!(ends.iter().all(|&n| n >= 2), "a loose end");
    }

    #[test]
    fn openings_that_do_not_fit_are_errors() {
        let cases = [
            Poncho { neck_wales: 0, ..PONCHO },
            Poncho { neck_wales: 13, ..PONCHO },
            Poncho { neck_courses: u32::MAX, ..PONCHO },
            Poncho { courses: 0, ..PONCHO },
        ];
        for poncho in cases {
            assert!(matches!(poncho.build().unwrap_err(), GenerateError::Parameter { .. }), "{poncho:?}");
        }
    }
}
