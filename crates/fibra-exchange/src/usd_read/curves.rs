//! Curves of a stage (`BasisCurves`) as broken lines.

use super::attribute::Between;
use super::find::Line;
use super::mesh::last;
use super::stage::Stage;
use crate::ImportError;
use crate::error::Fault;
use fibra_core::geometry::CurveLine;
use glam::{DMat4, DVec3};

/// Straight pieces that a span of a cubic curve is traced with.
const PIECES: u32 = 8;

/// Kinds of cubic curves.
#[derive(Clone, Copy, PartialEq)]
enum Basis {
    Bezier,
    BSpline,
    CatmullRom,
}

/// How the ends of a curve are.
#[derive(Clone, Copy, PartialEq)]
enum Wrap {
    /// As the control points have it.
    Open,
    /// The first point follows the last.
    Periodic,
    /// The curve begins and ends at its outer points.
    Pinned,
}

impl Stage {
    /// All curves at a time, in the world [m].
    pub fn curves(&self, lines: &[Line], t: f64, to_metres: DMat4) -> Result<Vec<CurveLine>, ImportError> {
        let mut curves = Vec::new();
        for line in lines {
            let prim = last(line);
            let refuse = |problem: String, remedy: &str| Fault::new(&prim.path, problem, remedy).in_file(self.file());
            let word = |name: &str, usual: &str| -> Result<String, ImportError> {
                Ok(self.word(prim, name, t)?.unwrap_or_else(|| usual.to_owned()))
            };
            let basis = match (word("type", "cubic")?.as_str(), word("basis", "bezier")?.as_str()) {
                ("linear", _) => None,
                ("cubic", "bezier") => Some(Basis::Bezier),
                ("cubic", "bspline") => Some(Basis::BSpline),
                ("cubic", "catmullRom") => Some(Basis::CatmullRom),
                (kind, basis) => {
                    let allowed = "allowed are linear curves and cubic ones of the basis bezier, bspline or catmullRom";
                    return Err(refuse(format!("its curves are {kind} of the basis {basis}"), allowed));
                }
            };
            let wrap = match word("wrap", "nonperiodic")?.as_str() {
                "nonperiodic" => Wrap::Open,
                "periodic" => Wrap::Periodic,
                "pinned" => Wrap::Pinned,
                other => {
                    return Err(refuse(format!("`wrap` is {other}"), "allowed are nonperiodic, periodic and pinned"));
                }
            };
            let matrix = to_metres * self.to_world(line, t)?;
            let points: Vec<DVec3> =
                self.own_points(prim, t)?.iter().map(|point| matrix.transform_point3(*point)).collect();
            let mut rest = points.as_slice();
            let counts = self.numbers(prim, "curveVertexCounts", t, Between::Held, 1)?.unwrap_or_default();
            for (index, &count) in counts.iter().enumerate() {
                if !(count >= 0.0 && count <= rest.len() as f64) {
                    let problem = format!("curve {index} has {count} points, and {} are left", rest.len());
                    return Err(refuse(problem, "export the curves again"));
                }
                let (controls, after) = rest.split_at(count as usize);
                rest = after;
                let traced = trace(controls, basis, wrap).ok_or_else(|| {
                    let problem = format!("{} points make no curve {index}", controls.len());
                    refuse(
                        problem,
                        "open Bezier curves need 3 n + 1 points and closed ones 3 n, other cubic curves 4, others 2",
                    )
                })?;
                curves.push(traced);
            }
            if !rest.is_empty() {
                return Err(refuse(format!("{} points belong to no curve", rest.len()), "export the curves again"));
            }
        }
        Ok(curves)
    }
}

/// A curve over control points, or nothing where there are too few of them.
fn trace(controls: &[DVec3], basis: Option<Basis>, wrap: Wrap) -> Option<CurveLine> {
    let closed = wrap == Wrap::Periodic;
    let Some(basis) = basis else {
        let enough = controls.len() >= if closed { 3 } else { 2 };
        return enough.then(|| CurveLine { points: controls.to_vec(), closed });
    };
    let n = controls.len();
    let stride = if basis == Basis::Bezier { 3 } else { 1 };
    // Points outside of a pinned curve are mirrored: then it begins at its first point.
    let pinned = wrap == Wrap::Pinned && basis != Basis::Bezier;
    let (spans, first) = match (wrap, basis) {
        (Wrap::Periodic, _) if n >= 3 && n.is_multiple_of(stride) => (n / stride, 0),
        (Wrap::Periodic, _) => return None,
        _ if pinned && n >= 2 => (n - 1, -1),
        _ if n >= 4 && (n - 4).is_multiple_of(stride) => ((n - 4) / stride + 1, 0),
        _ => return None,
    };
    let point = |i: isize| match i {
        _ if closed => controls[i.rem_euclid(n as isize) as usize],
        -1 => 2.0 * controls[0] - controls[1],
        i if i == n as isize => 2.0 * controls[n - 1] - controls[n - 2],
        i => controls[i as usize],
    };
    let mut points = Vec::with_capacity(spans * PIECES as usize + 1);
    for span in 0..spans {
        let start = first + (span * stride) as isize;
        let around = [0, 1, 2, 3].map(|k| point(start + k));
        points.extend((0..PIECES).map(|piece| at(basis, around, f64::from(piece) / f64::from(PIECES))));
        if span == spans - 1 && !closed {
            points.push(at(basis, around, 1.0));
        }
    }
    Some(CurveLine { points, closed })
}

/// The point at `t` in [0, 1] of the span that four control points rule.
fn at(basis: Basis, [a, b, c, d]: [DVec3; 4], t: f64) -> DVec3 {
    let s = 1.0 - t;
    let weights = match basis {
        Basis::Bezier => [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t],
        Basis::BSpline => {
            let inner = |t: f64| (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0;
            [s * s * s / 6.0, inner(t), inner(s), t * t * t / 6.0]
        }
        Basis::CatmullRom => {
            let outer = |s: f64, t: f64| -0.5 * t * s * s;
            let inner = |t: f64| 1.0 - 2.5 * t * t + 1.5 * t * t * t;
            [outer(s, t), inner(t), inner(s), outer(t, s)]
        }
    };
    weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_and_ends_are_where_they_belong() {
        let line: Vec<DVec3> = (0..7).map(|i| DVec3::new(f64::from(i), 1.0, 0.0)).collect();
        for basis in [Basis::Bezier, Basis::BSpline, Basis::CatmullRom] {
            let open = trace(&line, Some(basis), Wrap::Open).unwrap();
            // Evenly spaced points on a line make an even line of any basis.
            let (from, to) = if basis == Basis::Bezier { (0.0, 6.0) } else { (1.0, 5.0) };
            for (i, point) in open.points.iter().enumerate() {
                let x = from + (to - from) * i as f64 / (open.points.len() - 1) as f64;
                assert!(point.distance(DVec3::new(x, 1.0, 0.0)) < 1e-12, "{point}");
            }
            let pinned = trace(&line, Some(basis), Wrap::Pinned).unwrap();
            assert!(pinned.points[0].distance(line[0]) < 1e-12);
            assert!(pinned.points[pinned.points.len() - 1].distance(line[6]) < 1e-12);
            let round = trace(&line[..6], Some(basis), Wrap::Periodic).unwrap();
            assert!(round.closed && round.points.len() == if basis == Basis::Bezier { 16 } else { 48 });
            assert!(trace(&line[..1], Some(basis), Wrap::Pinned).is_none());
            assert!(trace(&line[..2], Some(basis), Wrap::Periodic).is_none());
            assert!(trace(&line[..3], Some(basis), Wrap::Open).is_none());
        }
        assert!(trace(&line[..5], Some(Basis::Bezier), Wrap::Open).is_none());
        assert!(trace(&line[..1], None, Wrap::Open).is_none());
    }
}
