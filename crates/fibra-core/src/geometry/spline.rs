//! Splines over control points, traced finely.

use glam::DVec3;

/// Straight pieces that a span between two control points is traced with to be measured. Against a quarter circle the length
/// is then wrong by 4e-4.
pub(super) const PIECES_PER_SPAN: u32 = 16;

/// Kinds of curves over control points. All but the polyline are cubic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spline {
    /// Straight from point to point.
    Polyline,
    /// Through all points, smoothly. Knots are apart by the points' distance to the power `exponent` [-]: 0 uniform,
    /// 0.5 centripetal, 1 chordal.
    CatmullRom {
        /// What the points' distance is raised to [-].
        exponent: f64,
    },
    /// B-spline: near the points, twice smoothly; through the ends of an open curve.
    Basis,
    /// Through every third point.
    Bezier,
}

/// Points that one curve goes through, or that control it [any unit of length].
#[derive(Clone, Debug, PartialEq)]
pub struct CurveLine {
    /// The points, from one end to the other.
    pub points: Vec<DVec3>,
    /// Whether the last point is followed by the first.
    pub closed: bool,
}

impl Spline {
    /// Whether so many points make a curve.
    pub fn accepts(self, count: u32, closed: bool) -> bool {
        match (self, closed) {
            (Self::Bezier, false) => count >= 4 && count % 3 == 1,
            (Self::Bezier, true) => count >= 3 && count.is_multiple_of(3),
            (_, false) => count >= 2,
            (_, true) => count >= 3,
        }
    }

    /// The same in words.
    pub fn counts_allowed(self) -> &'static str {
        match self {
            Self::Bezier => "an open curve needs 3 n + 1 points, a closed one 3 n",
            _ => "an open curve needs at least two points, a closed one three",
        }
    }

    /// Points [m] along the curve, `pieces` for each span of a cubic one, from its first end to its last; those are the same
    /// when it is closed. `scale` is the unit of the control points [m].
    pub fn trace(self, control: &CurveLine, scale: f64, pieces: u32) -> Vec<DVec3> {
        let n = control.points.len() as isize;
        // Beyond the ends of an open curve the last points are mirrored: B-splines then end at their last points.
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

    /// The point at `t` in [0, 1] of the span that four control points rule.
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

/// The cubic between `b` and `c` whose slopes there are those of parabolas through three points each.
fn catmull_rom([a, b, c, d]: [DVec3; 4], exponent: f64, t: f64) -> DVec3 {
    // Points at one place have no interval of their own; any other serves, for the curve does not move there.
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
    use crate::geometry::broken_line::length;
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
    fn catmull_rom_goes_through_its_points() {
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
        // Half-way between two points a Catmull-Rom spline is nearest to the middle: (-a + 9 b + 9 c - d) / 16.
        let angle = TAU / 24.0;
        let nearest = (9.0 * (0.5 * angle).cos() - (1.5 * angle).cos()) / 8.0;
        for spline in CATMULL_ROMS {
            let traced = spline.trace(&circle(24), 1.0, PIECES_PER_SPAN);
            assert_relative_eq!(traced[PIECES_PER_SPAN as usize / 2].length(), nearest, epsilon = 1e-12);
            assert!(traced.iter().all(|p| (nearest - 1e-12..=1.0 + 1e-12).contains(&p.length())));
        }
        // A B-spline shrinks a circle: (a + 4 b + c) / 6 at the knots, (a + 23 b + 23 c + d) / 48 half-way.
        let shrunk = (2.0 + angle.cos()) / 3.0;
        let nearest = (23.0 * (0.5 * angle).cos() + (1.5 * angle).cos()) / 24.0;
        let traced = Spline::Basis.trace(&circle(24), 1.0, PIECES_PER_SPAN);
        assert!(traced.iter().all(|p| (nearest - 1e-12..=shrunk + 1e-12).contains(&p.length())));
        assert_relative_eq!(length(&traced), TAU * shrunk, max_relative = 1e-4);
    }

    #[test]
    fn a_bezier_span_has_its_closed_form() {
        let control =
            CurveLine { points: vec![DVec3::ZERO, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::X], closed: false };
        let traced = Spline::Bezier.trace(&control, 1.0, PIECES_PER_SPAN);
        assert_eq!(traced.len(), PIECES_PER_SPAN as usize + 1);
        assert_relative_eq!(traced[8], DVec3::new(0.5, 0.75, 0.0), epsilon = 1e-12);
        assert_relative_eq!(traced[16], DVec3::X, epsilon = 1e-12);
    }

    #[test]
    fn doubled_control_points_do_no_harm() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::X, DVec3::X, 2.0 * DVec3::X];
        for closed in [false, true] {
            for spline in CATMULL_ROMS {
                let traced = spline.trace(&CurveLine { points: points.clone(), closed }, 1.0, PIECES_PER_SPAN);
                assert!(traced.iter().all(|p| p.is_finite()));
            }
        }
    }
}
