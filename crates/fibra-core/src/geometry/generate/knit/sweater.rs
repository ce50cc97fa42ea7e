//! A sweater: a knitted body with two sleeves.

use super::super::{GenerateError, require};
use super::fabric::{Fabric, Knitted};
use super::stitch::Gauge;
use super::tube::roll;
use super::{Pattern, Yarn};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::Range;

/// Fraction of the front's flat width that is open for the neck [-].
const NECK: f64 = 0.4;

/// A knitted sweater, arms stretched out along x, front toward +z, centered at the origin.
///
/// The body is a tube with a flat front and back and round sides, as deep as the sleeves are thick. The sleeves are tubes that start one
/// course height away from armholes at the top of the sides. Every foot of their first course is joined to the border of the armhole. Seams
/// join the front to the back over the shoulders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweater {
    /// The yarn.
    pub yarn: Yarn,
    /// The pattern of the body and the sleeves.
    pub pattern: Pattern,
    /// Number of courses (rows of loops) of the body.
    pub body_courses: u32,
    /// Number of loops around the body; at least twice `sleeve_wales`.
    pub body_wales: u32,
    /// Number of courses (rows of loops) of a sleeve; at least 2.
    pub sleeve_courses: u32,
    /// Number of loops around a sleeve; at least 8.
    pub sleeve_wales: u32,
}

impl Sweater {
    /// Builds the threads.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        let tube = |courses, wales, holes| Fabric { pattern: self.pattern, courses, wales, round: true, holes };
        let sleeve = tube(self.sleeve_courses, self.sleeve_wales, Vec::new());
        require(self.sleeve_courses >= 2, "sleeve_courses", f64::from(self.sleeve_courses), "it must be at least 2")?;
        require(self.sleeve_wales >= 8, "sleeve_wales", f64::from(self.sleeve_wales), "it must be at least 8")?;
        let wide = u64::from(self.body_wales) >= 2 * u64::from(self.sleeve_wales);
        require(wide, "body_wales", f64::from(self.body_wales), "it must be at least twice sleeve_wales")?;
        let stitches = f64::from(self.body_courses) * f64::from(self.body_wales) + 2.0 * sleeve.stitches();
        let gauge = self.yarn.gauge(&self.pattern, stitches)?;

        let plain_body = tube(self.body_courses, self.body_wales, Vec::new());
        let section = Section::new(&plain_body, &sleeve, &gauge);
        let [right, left] = section.armholes(self, &gauge)?;
        let holes = [&right, &left].map(|hole| (hole.courses.clone(), hole.wales.clone()));
        let body = Fabric { holes: holes.to_vec(), ..plain_body };
        let middle = 0.5 * f64::from(self.body_courses - 1) * gauge.height;
        let mut curves = CurveBuilder::default();
        let knitted = body.knit(&gauge, |p| section.wrap(p - middle * DVec3::Y), &mut curves)?;
        section.sew_shoulders(self, &gauge, &knitted, &mut curves);

        let out = 0.5 * section.flat + section.radius + gauge.height - foot_height(&gauge);
        for (side, hole) in [(1.0, right), (-1.0, left)] {
            let height = hole.middle_height(&gauge) - middle;
            let axis = height * DVec3::Y;
            let arm = sleeve.knit(&gauge, |p| axis + lay_down(roll(p, section.radius), out, side), &mut curves)?;
            hole.sew(&knitted, &arm, axis, &gauge, &mut curves);
        }
        Ok(curves.finish()?)
    }
}

/// Returns the height of a loop's feet above its center [m]; negative.
fn foot_height(gauge: &Gauge) -> f64 {
    gauge.plain.threads[0][0].y
}

/// Maps a tube about the y-axis that starts at `y = 0` to one about the x-axis that starts at `out` [m] on one side of the body. This is a
/// rotation about z, so that the knit is not mirrored.
fn lay_down(p: DVec3, out: f64, side: f64) -> DVec3 {
    DVec3::new(side * (p.y + out), -side * p.x, p.z)
}

/// The body's cross section: two half circles joined by straight lines.
struct Section {
    /// Length of the straight front [m].
    flat: f64,
    /// Radius of the half circles [m].
    radius: f64,
    /// Average distance between wales [m].
    pitch: f64,
}

impl Section {
    fn new(body: &Fabric, sleeve: &Fabric, gauge: &Gauge) -> Self {
        let radius = sleeve.width(gauge) / TAU;
        let width = body.width(gauge);
        let overlap = f64::from(body.wales) * gauge.width - width;
        let pitch = gauge.width - overlap / f64::from(body.wales);
        Self { flat: 0.5 * width - PI * radius, radius, pitch }
    }

    /// Maps a point of the flat fabric to the body: x runs from the middle of the front toward +x and around, z points outward.
    fn wrap(&self, p: DVec3) -> DVec3 {
        let half = self.flat + PI * self.radius;
        let around = p.x.rem_euclid(2.0 * half);
        // The second half is the first rotated by 180 degrees.
        let (x, sign) = if around < half { (around, 1.0) } else { (around - half, -1.0) };
        let outer = self.radius + p.z;
        let across = if x < 0.5 * self.flat {
            DVec2::new(x, outer)
        } else if x < 0.5 * self.flat + PI * self.radius {
            let (sine, cosine) = ((x - 0.5 * self.flat) / self.radius).sin_cos();
            DVec2::new(0.5 * self.flat + outer * sine, outer * cosine)
        } else {
            DVec2::new(half - x, -outer)
        };
        DVec3::new(sign * across.x, p.y, sign * across.y)
    }

    /// Returns armholes of the size of a sleeve in the middle of the body's right and left side.
    fn armholes(&self, sweater: &Sweater, gauge: &Gauge) -> Result<[Armhole; 2], GenerateError> {
        let quarter = 0.25 * f64::from(sweater.sleeve_wales) * self.pitch;
        let [wales, courses] = [quarter / self.pitch, quarter / gauge.height].map(|n| n.round().max(1.0) as u32);
        let fits = u64::from(sweater.body_courses) >= u64::from(courses) + 4;
        let allowed = "it must be at least 4 more than the courses of an armhole, about a third of sleeve_wales";
        require(fits, "body_courses", f64::from(sweater.body_courses), allowed)?;
        let top = sweater.body_courses - 2;
        let side = (0.5 * self.flat + FRAC_PI_2 * self.radius) / self.pitch;
        let start = (side - 0.5 * f64::from(wales)).round() as u32;
        let mirrored = sweater.body_wales - start - wales;
        Ok([start, mirrored].map(|start| Armhole { courses: top - courses..top, wales: start..start + wales }))
    }

    /// Joins the heads of the front's last course to the heads of the back's last course, except at the neck.
    fn sew_shoulders(&self, sweater: &Sweater, gauge: &Gauge, body: &Knitted, curves: &mut CurveBuilder) {
        let (last, half) = (sweater.body_courses - 1, sweater.body_wales / 2);
        let seam = NECK * 0.5 * self.flat..0.5 * self.flat;
        // Wales are counted from the middle of the front. The opposite wale is equally far from the middle of the back, and each has a
        // mirror image on the left.
        for wale in (0..half / 2).filter(|&wale| seam.contains(&((f64::from(wale) + 0.5) * self.pitch))) {
            let right = [wale, half - 1 - wale];
            let left = right.map(|wale| sweater.body_wales - 1 - wale);
            for thread in 0..sweater.yarn.threads {
                for [front, back] in [right, left].map(|pair| pair.map(|wale| body.head(last, wale, thread))) {
                    curves.line(front, back, gauge.spacing());
                }
            }
        }
    }
}

/// An opening in the body for a sleeve.
struct Armhole {
    courses: Range<u32>,
    wales: Range<u32>,
}

impl Armhole {
    /// Returns the height of the armhole's center above the body's first course [m].
    fn middle_height(&self, gauge: &Gauge) -> f64 {
        0.5 * f64::from(self.courses.start + self.courses.end - 1) * gauge.height
    }

    /// Returns one thread's points around the opening: heads of the loops below it, feet of the loops above and beside it.
    fn border(&self, body: &Knitted, thread: u32) -> Vec<u32> {
        let (courses, wales) = (&self.courses, &self.wales);
        let below = wales.clone().map(|wale| body.head(courses.start - 1, wale, thread));
        let above = wales.clone().map(|wale| body.left_foot(courses.end, wale, thread));
        let before = courses.clone().map(|course| body.right_foot(course, wales.start - 1, thread));
        let after = courses.clone().map(|course| body.left_foot(course, wales.end, thread));
        below.chain(above).chain(before).chain(after).collect()
    }

    /// Joins each foot of a sleeve's first course to the border point in the same direction from the sleeve's axis. The axis is parallel
    /// to x and passes through `axis` [m].
    fn sew(&self, body: &Knitted, sleeve: &Knitted, axis: DVec3, gauge: &Gauge, curves: &mut CurveBuilder) {
        let direction = |point: u32, curves: &CurveBuilder| {
            let from_axis = curves.position(point) - axis;
            DVec2::new(from_axis.y, from_axis.z).normalize_or_zero()
        };
        let seen: Vec<DVec2> = self.border(body, 0).iter().map(|&point| direction(point, curves)).collect();
        let nearest = |wanted: DVec2| {
            (0..seen.len()).max_by(|&i, &j| seen[i].dot(wanted).total_cmp(&seen[j].dot(wanted))).unwrap_or(0)
        };
        let partner: Vec<usize> = sleeve.first_feet(0).map(|foot| nearest(direction(foot, curves))).collect();
        for thread in 0..gauge.threads() {
            let border = self.border(body, thread);
            for (foot, &partner) in sleeve.first_feet(thread).zip(&partner) {
                curves.line(foot, border[partner], gauge.spacing());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stitch::tests::YARN;
    use super::*;
    use approx::assert_relative_eq;

    const SWEATER: Sweater = Sweater {
        yarn: YARN,
        pattern: Pattern::Stockinette,
        body_courses: 24,
        body_wales: 48,
        sleeve_courses: 16,
        sleeve_wales: 20,
    };

    fn section() -> (Section, Gauge) {
        let tube = |wales| Fabric { pattern: SWEATER.pattern, courses: 2, wales, round: true, holes: Vec::new() };
        let gauge = YARN.gauge(&SWEATER.pattern, 1.0).unwrap();
        (Section::new(&tube(48), &tube(20), &gauge), gauge)
    }

    #[test]
    fn sweater_has_no_loose_ends() {
        let mesh = SWEATER.build().unwrap();
        let mut ends = vec![0; mesh.points().len()];
        mesh.segments().iter().flatten().for_each(|&i| ends[i as usize] += 1);
        assert!(ends.iter().all(|&n| n >= 2), "a loose end");
        let longest = mesh.lengths().fold(0.0, f64::max);
        assert!(longest <= 1.2 * YARN.spacing, "{longest}");
    }

    #[test]
    fn sweater_size_matches_its_parts() {
        let mesh = SWEATER.build().unwrap();
        let radius = 20.0 * 0.02 / TAU;
        // Two sleeves, their gaps to the body, the straight front and the two round sides.
        let (height, reach) = (0.764 * 0.02, 2.0 * 0.637 * 0.02);
        let flat = 0.5 * 48.0 * 0.02 - PI * radius;
        // Half circles of the bindings at both ends.
        let bindings = 2.0 * 0.5 * 0.02;
        let extent = mesh.bounds().extent();
        let arms = 2.0 * (16.0 * height + reach);
        assert_relative_eq!(extent.x, flat + 2.0 * radius + arms + bindings, max_relative = 0.01);
        assert_relative_eq!(extent.y, 23.0 * height + reach + bindings, max_relative = 0.02);
        assert_relative_eq!(extent.z, 2.0 * (radius + 0.159 * 0.02), max_relative = 0.05);
        assert_relative_eq!(mesh.bounds().center(), DVec3::ZERO, epsilon = 0.002);
    }

    #[test]
    fn sleeves_are_open_to_the_body() {
        // No point is close to the sleeves' axes, from one cuff through the body to the other.
        let (section, gauge) = section();
        let [hole, _] = section.armholes(&SWEATER, &gauge).unwrap();
        let height = hole.middle_height(&gauge) - 0.5 * 23.0 * gauge.height;
        let nearest = SWEATER.build().unwrap().points().iter().map(|p| p.z.hypot(p.y - height)).fold(1.0, f64::min);
        assert!(nearest > 0.4 * section.radius, "{nearest}");
    }

    #[test]
    fn cross_section_is_closed_and_has_the_right_length() {
        let (section, _) = section();
        let at = |i: u32| section.wrap(DVec3::new(48.0 * 0.02 * f64::from(i) / 4800.0, 0.0, 0.0));
        let length: f64 = (0..4800).map(|i| at(i).distance(at(i + 1))).sum();
        assert_relative_eq!(length, 48.0 * 0.02, max_relative = 1e-5);
        assert_relative_eq!(at(0), at(4800), epsilon = 1e-12);
        assert_relative_eq!(at(0), DVec3::new(0.0, 0.0, section.radius), epsilon = 1e-12);
    }

    #[test]
    fn size_matches_the_paper() {
        let yarn = Yarn { threads: 1, turns: 0, spacing: 0.0025, ..YARN };
        let sweater =
            Sweater { yarn, body_courses: 75, body_wales: 70, sleeve_courses: 47, sleeve_wales: 30, ..SWEATER };
        assert_relative_eq!(sweater.build().unwrap().segments().len() as f64, 0.27e6, max_relative = 0.15);
    }

    #[test]
    fn invalid_sizes_are_errors() {
        let cases = [
            Sweater { body_wales: 39, ..SWEATER },
            Sweater { body_courses: 8, ..SWEATER },
            Sweater { sleeve_wales: 7, ..SWEATER },
            Sweater { sleeve_courses: 0, ..SWEATER },
        ];
        for sweater in cases {
            assert!(matches!(sweater.build().unwrap_err(), GenerateError::Parameter { .. }), "{sweater:?}");
        }
        let endless = Sweater { body_courses: u32::MAX, ..SWEATER };
        assert!(matches!(endless.build().unwrap_err(), GenerateError::TooMany { .. }));
    }
}
