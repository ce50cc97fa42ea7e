//! Splines over control points, evaluated as fine polylines.

use glam::DVec3;

/// Number of straight pieces per span between two control points. For a quarter circle the error of the length is then 4e-4.
pub(super) const PIECES_PER_SPAN: u32 = 16;

/// Kinds of curves over control points. All except the polyline are cubic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spline {
    /// Straight lines between points.
    Polyline,
    /// Smooth curve through all points. Knot intervals are the distances between consecutive points, raised to the power `exponent` [-]: 0
    /// uniform, 0.5 centripetal, 1 chordal.
    CatmullRom {
        /// Exponent of the distances [-].
        exponent: f64,
    },
    /// B-spline: twice continuously differentiable, near the points, and through the ends of an open curve.
    Basis,
    /// Cubic Bezier curve through every third point.
    Bezier,
}

/// The control points of one curve [any unit of length].
#[derive(Clone, Debug, PartialEq)]
pub struct CurveLine {
    /// The points, from one end to the other.
    pub points: Vec<DVec3>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

impl Spline {
    /// Returns whether a curve can have this number of points.
    pub fn accepts(self, count: u32, closed: bool) -> bool {
        match (self, closed) {
            (Self::Bezier, false) => count >= 4 && count % 3 == 1,
            (Self::Bezier, true) => count >= 3 && count.is_multiple_of(3),
            (_, false) => count >= 2,
            (_, true) => count >= 3,
        }
    }

    /// Returns the allowed numbers of points as text.
    pub fn counts_allowed(self) -> &'static str {
        match self {
            Self::Bezier => "an open curve needs 3 n + 1 points, a closed one 3 n",
            _ => "an open curve needs at least two points, a closed one three",
        }
    }

    /// Evaluates the curve as a polyline [m] from start to end. Cubic curves get `pieces` segments for each span. If the curve is closed,
    /// start and end coincide. `scale` is the unit of the control points [m].
    pub fn trace(self, control: &CurveLine, scale: f64, pieces: u32) -> Vec<DVec3> {
        let n = control.points.len() as isize;
        // Reflect the last points beyond the ends of an open curve: B-splines then end at their last points.
        let point = |i: isize| match i {
            _ if control.closed => control.points[i.rem_euclid(n) as usize],
            -1 => 2.0 * control.points[0] - control.points[1],
            i if i == n => 2.0 * control.points[i as usize - 1] - control.points[i as usize - 2],
            i => control.points[i as usize],
        };
        let (stride, reach) = if self == Self::Bezier { (3, 0) } else { (1, -1) };
        let spans = if control.closed { n / stride } else { (n - 1) / stride };
        let pieces = if self == Self::Polyline { 1 } else { pieces };
        let mut traced = Vec::with_capacity(spans as usize * pieces as usize + 1);
        for span in 0..spans {
            let first = stride * span + reach;
            let around = [0, 1, 2, 3].map(|k| scale * point(first + k));
            let steps = (0..pieces).map(|step| f64::from(step) / f64::from(pieces));
            traced.extend(steps.map(|t| self.evaluate(around, t)));
            if span == spans - 1 {
                traced.push(if control.closed { traced[0] } else { self.evaluate(around, 1.0) });
            }
        }
        traced
    }

    /// Evaluates the span of four control points at `t` in [0, 1].
    fn evaluate(self, [a, b, c, d]: [DVec3; 4], t: f64) -> DVec3 {
        let s = 1.0 - t;
        match self {
            Self::Polyline => b.lerp(c, t),
            Self::Bezier => s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d,
            Self::Basis => {
                let inner = |t: f64| (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0;
                s * s * s / 6.0 * a + inner(t) * b + inner(s) * c + t * t * t / 6.0 * d
            }
            Self::CatmullRom { exponent } => catmull_rom([a, b, c, d], exponent, t),
        }
    }
}

/// Evaluates the cubic between `b` and `c`. Each end slope is the slope of a parabola through three of the points.
fn catmull_rom([a, b, c, d]: [DVec3; 4], exponent: f64, t: f64) -> DVec3 {
    // Coincident points give a zero knot interval. Replace it by any positive value: the curve does not move in that interval.
    let interval = |p: DVec3, q: DVec3| Some(p.distance(q).powf(exponent)).filter(|&length| length > 0.0);
    let middle = interval(b, c).unwrap_or(1.0);
    let (before, after) = (interval(a, b).unwrap_or(middle), interval(c, d).unwrap_or(middle));
    let slope = |p: DVec3, q: DVec3, r: DVec3, h: f64, k: f64| (q - p) / h - (r - p) / (h + k) + (r - q) / k;
    let at_b = middle * slope(a, b, c, before, middle);
    let at_c = middle * slope(b, c, d, middle, after);
    let s = 1.0 - t;
    (1.0 + 2.0 * t) * s * s * b + t * s * s * at_b + t * t * (3.0 - 2.0 * t) * c - t * t * s * at_c
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::polyline::length;
    use approx::assert_relative_eq;
    use std::f64::consts::TAU;

    fn circle(points: usize) -> CurveLine {
        let point = |i| DVec3::new((TAU * i as f64 / points as f64).cos(), (TAU * i as f64 / points as f64).sin(), 0.0);
        CurveLine { points: (0..points).map(point).collect(), closed: true }
    }

    const CATMULL_ROMS: [Spline; 3] = [
        Spline::CatmullRom { exponent: 0.0 },
        Spline::CatmullRom { exponent: 0.5 },
        Spline::CatmullRom { exponent: 1.0 },
    ];

    #[test]
    fn catmull_rom_interpolates_its_points() {
        let points: Vec<DVec3> =
            [[0.0, 0.0, 0.0], [1.0, 0.2, 0.0], [1.1, 0.1, 0.4], [3.0, 0.0, 0.0]].map(DVec3::from).to_vec();
        let control = CurveLine { points, closed: false };
        for spline in CATMULL_ROMS {
            let traced = spline.trace(&control, 2.0, PIECES_PER_SPAN);
            for (i, p) in control.points.iter().enumerate() {
                assert_relative_eq!(traced[i * PIECES_PER_SPAN as usize], 2.0 * *p, epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn splines_follow_a_circle() {
        // Halfway between two points a Catmull-Rom spline is closest to the center: (-a + 9 b + 9 c - d) / 16.
        let angle = TAU / 24.0;
        let nearest = (9.0 * (0.5 * angle).cos() - (1.5 * angle).cos()) / 8.0;
        for spline in CATMULL_ROMS {
            let traced = spline.trace(&circle(24), 1.0, PIECES_PER_SPAN);
            assert_relative_eq!(traced[PIECES_PER_SPAN as usize / 2].length(), nearest, epsilon = 1e-12);
            assert!(traced.iter().all(|p| (nearest - 1e-12..=1.0 + 1e-12).contains(&p.length())));
        }
        // A B-spline shrinks a circle: (a + 4 b + c) / 6 at the knots, (a + 23 b + 23 c + d) / 48 halfway.
        let shrunk = (2.0 + angle.cos()) / 3.0;
        let nearest = (23.0 * (0.5 * angle).cos() + (1.5 * angle).cos()) / 24.0;
        let traced = Spline::Basis.trace(&circle(24), 1.0, PIECES_PER_SPAN);
        assert!(traced.iter().all(|p| (nearest - 1e-12..=shrunk + 1e-12).contains(&p.length())));
        assert_relative_eq!(length(&traced), TAU * shrunk, max_relative = 1e-4);
    }

    #[test]
    fn bezier_span_matches_its_closed_form() {
        let control =
            CurveLine { points: vec![DVec3::ZERO, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::X], closed: false };
        let traced = Spline::Bezier.trace(&control, 1.0, PIECES_PER_SPAN);
        assert_eq!(traced.len(), PIECES_PER_SPAN as usize + 1);
        assert_relative_eq!(traced[8], DVec3::new(0.5, 0.75, 0.0), epsilon = 1e-12);
        assert_relative_eq!(traced[16], DVec3::X, epsilon = 1e-12);
    }

    #[test]
    fn duplicate_control_points_are_harmless() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::X, DVec3::X, 2.0 * DVec3::X];
        for closed in [false, true] {
            for spline in CATMULL_ROMS {
                let traced = spline.trace(&CurveLine { points: points.clone(), closed }, 1.0, PIECES_PER_SPAN);
                assert!(traced.iter().all(|p| p.is_finite()));
            }
        }
    }
}
