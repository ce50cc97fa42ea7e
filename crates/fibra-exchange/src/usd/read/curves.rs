//! Curves of a stage (`BasisCurves`) as polylines.

use super::attribute::Between;
use super::find::Line;
use super::mesh::last;
use super::stage::Stage;
use crate::ImportError;
use crate::error::Fault;
use fibra_core::geometry::{CurveLine, Spline};
use glam::{DMat4, DVec3};

/// Number of line segments per span of a cubic curve.
const SEGMENTS_PER_SPAN: u32 = 8;

/// Treatment of curves with too few points.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum TooShort {
    /// A curve with too few points is an error.
    Error,
    /// Curves with too few points are dropped and counted.
    Drop,
}

/// Treatment of the ends of a curve.
#[derive(Clone, Copy, PartialEq)]
enum Wrap {
    /// B-splines and Catmull-Rom splines lack their first and last spans.
    Open,
    /// The first point follows the last.
    Periodic,
    /// The curve begins at its first point and ends at its last point.
    Pinned,
}

impl Stage {
    /// Returns all curves at a time, in world coordinates [m], and the number of dropped curves.
    pub fn curves(
        &self,
        lines: &[Line],
        t: f64,
        to_meters: DMat4,
        too_short: TooShort,
    ) -> Result<(Vec<CurveLine>, usize), ImportError> {
        let mut curves = Vec::new();
        let (mut total_points, mut dropped) = (0, 0);
        for line in lines {
            let prim = last(line);
            let error = |problem: String, remedy: &str| Fault::new(&prim.path, problem, remedy).in_file(self.file());
            let word = |name: &str, default: &str| -> Result<String, ImportError> {
                Ok(self.word(prim, name, t)?.unwrap_or_else(|| default.to_owned()))
            };
            let spline = match (word("type", "cubic")?.as_str(), word("basis", "bezier")?.as_str()) {
                ("linear", _) => Spline::Polyline,
                ("cubic", "bezier") => Spline::Bezier,
                ("cubic", "bspline") => Spline::Basis,
                ("cubic", "catmullRom") => Spline::CatmullRom { exponent: 0.0 },
                (kind, basis) => {
                    let allowed = "only linear curves, and cubic curves with the basis bezier, bspline or catmullRom, are supported";
                    return Err(error(format!("the curve type is {kind} with the basis {basis}"), allowed));
                }
            };
            let wrap = match word("wrap", "nonperiodic")?.as_str() {
                "nonperiodic" => Wrap::Open,
                "periodic" => Wrap::Periodic,
                "pinned" => Wrap::Pinned,
                other => {
                    return Err(error(
                        format!("`wrap` is {other}"),
                        "allowed values are nonperiodic, periodic and pinned",
                    ));
                }
            };
            let matrix = to_meters * self.to_world(line, t)?;
            let points: Vec<DVec3> =
                self.own_points(prim, t)?.iter().map(|point| matrix.transform_point3(*point)).collect();
            total_points += points.len();
            self.check_total(prim, total_points, "points")?;
            let mut rest = points.as_slice();
            let counts = self.numbers(prim, "curveVertexCounts", t, Between::Held, 1)?.unwrap_or_default();
            for (index, &count) in counts.iter().enumerate() {
                if !(count >= 0.0 && count <= rest.len() as f64) {
                    let problem = format!("curve {index} has {count} points, but {} are left", rest.len());
                    return Err(error(problem, "export the curves again"));
                }
                let (controls, after) = rest.split_at(count as usize);
                rest = after;
                if too_short == TooShort::Drop && controls.len() < min_points(spline, wrap) {
                    dropped += 1;
                    continue;
                }
                let traced = trace(controls, spline, wrap).ok_or_else(|| {
                    let problem = format!("curve {index} has {} points, which is not a valid number", controls.len());
                    error(
                        problem,
                        "open Bezier curves need 3 n + 1 points and closed ones 3 n, other cubic curves at least 4, linear curves at least 2",
                    )
                })?;
                curves.push(traced);
            }
            if !rest.is_empty() {
                return Err(error(format!("{} points belong to no curve", rest.len()), "export the curves again"));
            }
        }
        Ok((curves, dropped))
    }
}

/// Returns the minimum number of points of an open curve. A cubic spline that is not pinned begins at its second point.
fn min_points(spline: Spline, wrap: Wrap) -> usize {
    match (spline, wrap) {
        (Spline::Bezier, _) => 4,
        (Spline::Basis | Spline::CatmullRom { .. }, Wrap::Open) => 4,
        _ => 2,
    }
}

/// Samples a curve from its control points; `None` if their number is not valid.
fn trace(controls: &[DVec3], spline: Spline, wrap: Wrap) -> Option<CurveLine> {
    let closed = wrap == Wrap::Periodic;
    let enough = closed || controls.len() >= min_points(spline, wrap);
    if !enough || !spline.accepts(controls.len() as u32, closed) {
        return None;
    }
    let mut points = spline.trace(&CurveLine { points: controls.to_vec(), closed }, 1.0, SEGMENTS_PER_SPAN);
    if closed {
        points.pop();
    }
    // `Spline::trace` returns pinned splines, so the first and last spans are removed.
    if wrap == Wrap::Open && matches!(spline, Spline::Basis | Spline::CatmullRom { .. }) {
        points.truncate(points.len() - SEGMENTS_PER_SPAN as usize);
        points.drain(..SEGMENTS_PER_SPAN as usize);
    }
    Some(CurveLine { points, closed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_curves_are_even_and_end_at_the_right_points() {
        let line: Vec<DVec3> = (0..7).map(|i| DVec3::new(f64::from(i), 1.0, 0.0)).collect();
        for basis in [Spline::Bezier, Spline::Basis, Spline::CatmullRom { exponent: 0.0 }] {
            let open = trace(&line, basis, Wrap::Open).unwrap();
            // Evenly spaced control points on a line give evenly spaced points for any basis.
            let (from, to) = if basis == Spline::Bezier { (0.0, 6.0) } else { (1.0, 5.0) };
            for (i, point) in open.points.iter().enumerate() {
                let x = from + (to - from) * i as f64 / (open.points.len() - 1) as f64;
                assert!(point.distance(DVec3::new(x, 1.0, 0.0)) < 1e-12, "{point}");
            }
            let pinned = trace(&line, basis, Wrap::Pinned).unwrap();
            assert!(pinned.points[0].distance(line[0]) < 1e-12);
            assert!(pinned.points[pinned.points.len() - 1].distance(line[6]) < 1e-12);
            let round = trace(&line[..6], basis, Wrap::Periodic).unwrap();
            assert!(round.closed && round.points.len() == if basis == Spline::Bezier { 16 } else { 48 });
            assert!(trace(&line[..1], basis, Wrap::Pinned).is_none());
            assert!(trace(&line[..2], basis, Wrap::Periodic).is_none());
            assert!(trace(&line[..3], basis, Wrap::Open).is_none());
        }
        assert!(trace(&line[..5], Spline::Bezier, Wrap::Open).is_none());
        assert!(trace(&line[..1], Spline::Polyline, Wrap::Open).is_none());
    }
}
