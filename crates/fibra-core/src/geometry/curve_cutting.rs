//! Splitting splines into segments of equal length.

use super::curve_builder::CurveBuilder;
use super::mesh::COORDINATE_LIMIT;
use super::polyline::{self, resample};
use super::spline::PIECES_PER_SPAN;
use super::{CurveFlaw, CurveLine, CurveMesh, Spline};
use glam::DVec3;
use thiserror::Error;

/// Maximum total number of points and segments that curves may be split into.
const MAX_PARTICLES: f64 = (1u64 << 31) as f64;

/// Error from splitting curves into segments. Curves, and points within a curve, are counted from 0.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CurveCutError {
    /// The scale or the spacing is not a valid length.
    #[error("the {name} is {value}; it must be positive and finite")]
    Setting {
        /// `scale` or `spacing`.
        name: &'static str,
        /// The value [m].
        value: f64,
    },
    /// A curve cannot be used.
    #[error("{place}: {problem}; {remedy}")]
    Curve {
        /// The curve and, if the problem concerns a single point, that point.
        place: String,
        /// What is wrong.
        problem: String,
        /// How to fix it.
        remedy: &'static str,
    },
    /// The spacing is too small for the curves' length.
    #[error(
        "the curves are {length:.3e} m long, so a spacing of {spacing} m gives about {estimate:.2e} particles, but at most {MAX_PARTICLES:e} are possible; use a larger spacing or a smaller scale"
    )]
    TooMany {
        /// Length of all curves [m].
        length: f64,
        /// The spacing [m].
        spacing: f64,
        /// Estimated number of points and segments.
        estimate: f64,
    },
    /// The segments do not form valid curves.
    #[error(transparent)]
    Flaw(#[from] CurveFlaw),
}

impl CurveCutError {
    /// Returns an error if a named value is not a positive, finite length [m].
    pub fn check_setting(name: &'static str, value: f64) -> Result<(), CurveCutError> {
        let holds = value > 0.0 && value.is_finite();
        if holds { Ok(()) } else { Err(CurveCutError::Setting { name, value }) }
    }
}

impl CurveMesh {
    /// Evaluates splines over control points and splits them into equal segments of about `spacing` [m]. One unit of the control points is
    /// `scale` [m].
    ///
    /// ```
    /// use fibra_core::geometry::{CurveLine, CurveMesh, Spline};
    /// use glam::DVec3;
    ///
    /// let line = CurveLine { points: vec![DVec3::ZERO, 100.0 * DVec3::X], closed: false };
    /// let mesh = CurveMesh::from_splines(Spline::Polyline, &[line], 0.01, 0.25)?;
    /// assert_eq!(mesh.segments().len(), 4);
    /// # Ok::<(), fibra_core::geometry::CurveCutError>(())
    /// ```
    pub fn from_splines(spline: Spline, curves: &[CurveLine], scale: f64, spacing: f64) -> Result<Self, CurveCutError> {
        CurveCutError::check_setting("scale", scale)?;
        CurveCutError::check_setting("spacing", spacing)?;
        for (curve, line) in curves.iter().enumerate() {
            check_curve(spline, curve, line, scale)?;
        }
        // Each curve is evaluated twice, once to measure and once to split it: storing the result would take far more memory than the control
        // points.
        let trace = |line| spline.trace(line, scale, PIECES_PER_SPAN);
        let lengths: Vec<f64> = curves.iter().map(|line| polyline::length(&trace(line))).collect();
        if let Some(index) = lengths.iter().position(|&length| length == 0.0) {
            let problem = "all its points have the same position".to_string();
            let remedy = "remove it, or give it a length";
            return Err(CurveCutError::Curve { place: format!("curve {index}"), problem, remedy });
        }
        let counts = curves.iter().zip(&lengths).map(|(line, &length)| segments(length, spacing, line.closed));
        let estimate = 2.0 * counts.sum::<f64>();
        // Not `>`, so that NaN from overflow is rejected too.
        let possible = estimate <= MAX_PARTICLES;
        if !possible {
            return Err(CurveCutError::TooMany { length: lengths.iter().sum(), spacing, estimate });
        }
        let mut mesh = CurveBuilder::default();
        for (line, &length) in curves.iter().zip(&lengths) {
            let count = segments(length, spacing, line.closed) as usize;
            let mut points = resample(&trace(line), length, count);
            if line.closed {
                points.pop();
            }
            let added = mesh.chain(points);
            if line.closed {
                mesh.segment(added.end - 1, added.start);
            }
        }
        Ok(mesh.finish()?)
    }
}

/// Returns an error if a curve has a wrong number of control points, or a control point that is not finite or too far from the origin.
fn check_curve(spline: Spline, curve: usize, line: &CurveLine, scale: f64) -> Result<(), CurveCutError> {
    if !spline.accepts(line.points.len() as u32, line.closed) {
        let problem = format!("it has {} points", line.points.len());
        return Err(CurveCutError::Curve { place: format!("curve {curve}"), problem, remedy: spline.counts_allowed() });
    }
    let sound = |p: &DVec3| (scale * p).abs().max_element() <= COORDINATE_LIMIT && p.is_finite();
    if let Some(point) = line.points.iter().position(|p| !sound(p)) {
        let problem = format!("it is at {}", line.points[point]);
        let remedy = "coordinates must be finite and, with the scale, below 1e9 m";
        return Err(CurveCutError::Curve { place: format!("curve {curve}, point {point}"), problem, remedy });
    }
    Ok(())
}

/// Returns the number of segments for a curve of the given length [m].
fn segments(length: f64, spacing: f64, closed: bool) -> f64 {
    (length / spacing).round().max(if closed { 3.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_curves_are_errors() {
        let line = |points: &[DVec3]| CurveLine { points: points.to_vec(), closed: false };
        let cut = |points: &[DVec3], scale, spacing| {
            CurveMesh::from_splines(Spline::Polyline, &[line(&[DVec3::ZERO, DVec3::Y]), line(points)], scale, spacing)
                .unwrap_err()
        };
        let sound = [DVec3::ZERO, DVec3::X];
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(cut(&sound, bad, 0.1), CurveCutError::Setting { name: "scale", .. }));
            assert!(matches!(cut(&sound, 1.0, bad), CurveCutError::Setting { name: "spacing", .. }));
        }
        assert!(matches!(cut(&sound, 1.0, 1e-12), CurveCutError::TooMany { .. }));
        for (points, start) in [
            (&[DVec3::X][..], "curve 1: it has 1 points; an open curve needs"),
            (&[DVec3::X, DVec3::NAN], "curve 1, point 1: it is at"),
            (&[DVec3::X, DVec3::X], "curve 1: all its points have the same position"),
        ] {
            let message = cut(points, 1.0, 0.1).to_string();
            assert!(message.starts_with(start), "{message}");
        }
    }
}
