//! Rods that cannot be.

use crate::rod::RodParams;
use glam::DVec3;

/// Points closer than this share of the rod's length coincide [-].
const COINCIDENT: f64 = 1e-9;
/// Neighboring segments fold back on each other where the cosine of their angle is below this [-].
const FOLDED: f64 = -0.999;

/// Why a rod cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RodError {
    /// Not enough points.
    #[error("a rod needs at least {needed} points{}; got {count}", if *.needed == 3 { " when it is closed" } else { "" })]
    TooFewPoints {
        /// Points given.
        count: usize,
        /// Points needed.
        needed: usize,
    },
    /// A point is not finite.
    #[error("point {index} of the {shape} is {point}; it must be finite")]
    PointNotFinite {
        /// `rod` or `natural shape`.
        shape: &'static str,
        /// The point, counted from 0.
        index: usize,
        /// Where it is [m].
        point: DVec3,
    },
    /// Neighboring points in the same place.
    #[error("points {index} and {next} of the {shape} coincide; neighbors must be apart")]
    Coincident {
        /// `rod` or `natural shape`.
        shape: &'static str,
        /// The first of both, counted from 0.
        index: usize,
        /// The other.
        next: usize,
    },
    /// The rod turns back on itself at a point.
    #[error("the {shape} folds back on itself at point {index}; neighboring segments must not be opposite")]
    Folded {
        /// `rod` or `natural shape`.
        shape: &'static str,
        /// The point, counted from 0.
        index: usize,
    },
    /// The natural shape is of another rod.
    #[error("the natural shape has {natural} points and the rod {points}; both must have as many")]
    NaturalCount {
        /// Points of the natural shape.
        natural: usize,
        /// Points of the rod.
        points: usize,
    },
    /// A natural shape that the model knows nothing of.
    #[error("the {model} model takes a straight natural shape alone, and this one bends at point {index}")]
    NaturalCurved {
        /// The model.
        model: &'static str,
        /// The point, counted from 0.
        index: usize,
    },
    /// A curvature is not finite.
    #[error("the curvatures of piece {piece} of the {shape} are {curvature}; they must be finite")]
    CurvatureNotFinite {
        /// `shape` or `natural shape`.
        shape: &'static str,
        /// The piece, counted from 0.
        piece: usize,
        /// Its curvatures [1/m].
        curvature: DVec3,
    },
    /// The model cannot be closed.
    #[error("the {model} model cannot make closed rods")]
    Closed {
        /// The model.
        model: &'static str,
    },
    /// A number out of its range.
    #[error("the {what} is {value}; it must be {allowed}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A vector is not finite.
    #[error("the {what} is {value}; it must be finite")]
    VectorNotFinite {
        /// Which vector.
        what: &'static str,
        /// Its value.
        value: DVec3,
    },
}

/// Says what is wrong with a rod, if anything.
pub fn check(params: &RodParams) -> Result<(), RodError> {
    check_numbers(params)?;
    check_shape("rod", &params.points, params.closed)?;
    if let Some(natural) = &params.natural {
        if natural.len() != params.points.len() {
            return Err(RodError::NaturalCount { natural: natural.len(), points: params.points.len() });
        }
        check_shape("natural shape", natural, params.closed)?;
    }
    Ok(())
}

/// The first point at which a shape is not straight, if any.
pub fn first_bend(points: &[DVec3]) -> Option<usize> {
    let bends = |p: &[DVec3]| (p[1] - p[0]).angle_between(p[2] - p[1]) > 1e-6;
    points.windows(3).position(bends).map(|i| i + 1)
}

fn check_numbers(params: &RodParams) -> Result<(), RodError> {
    params.material.check()?;
    let vectors = [
        ("velocity", params.velocity),
        ("force on the first end", params.ends[0].force),
        ("force on the last end", params.ends[1].force),
    ];
    for (what, value) in vectors {
        if !value.is_finite() {
            return Err(RodError::VectorNotFinite { what, value });
        }
    }
    match params.ends.iter().find_map(|end| end.release.filter(|release| release.is_nan())) {
        Some(value) => {
            Err(RodError::OutOfRange { what: "release of an end", value, allowed: "a time, in s, or `None` for never" })
        }
        None => Ok(()),
    }
}

/// Rejects a number that is not finite or does not hold what it must.
pub(crate) fn in_range(what: &'static str, value: f64, holds: bool, allowed: &'static str) -> Result<(), RodError> {
    if holds && value.is_finite() { Ok(()) } else { Err(RodError::OutOfRange { what, value, allowed }) }
}

fn check_shape(shape: &'static str, points: &[DVec3], closed: bool) -> Result<(), RodError> {
    let (count, needed) = (points.len(), if closed { 3 } else { 2 });
    if count < needed {
        return Err(RodError::TooFewPoints { count, needed });
    }
    if let Some(index) = points.iter().position(|point| !point.is_finite()) {
        return Err(RodError::PointNotFinite { shape, index, point: points[index] });
    }
    let segments = if closed { count } else { count - 1 };
    let segment = |i: usize| points[(i + 1) % count] - points[i % count];
    let length: f64 = (0..segments).map(|i| segment(i).length()).sum();
    if let Some(index) = (0..segments).find(|&i| segment(i).length() <= COINCIDENT * length) {
        return Err(RodError::Coincident { shape, index, next: (index + 1) % count });
    }
    let folds = |i: usize| segment(i).normalize().dot(segment(i + 1).normalize()) < FOLDED;
    let joints = if closed { count } else { count - 2 };
    match (0..joints).find(|&i| folds(i)) {
        Some(index) => Err(RodError::Folded { shape, index: (index + 1) % count }),
        None => Ok(()),
    }
}
