//! Errors of invalid rods, and the checks that report them.

use crate::rod::RodParams;
use glam::DVec3;

/// Neighboring points closer than this fraction of the rod's length coincide [-].
const COINCIDENT: f64 = 1e-9;
/// Neighboring segments fold back on each other if the cosine of their angle is below this [-].
const FOLDED: f64 = -0.999;
/// The axis of a section is parallel to a segment if the sine of their angle is at most this [-].
const PARALLEL: f64 = 1e-6;

/// The reason why a rod is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RodError {
    /// Too few points.
    #[error("a rod needs at least {needed} points{}; got {count}", if *.needed == 3 { " when it is closed" } else { "" })]
    TooFewPoints {
        /// Number of points given.
        count: usize,
        /// Number of points required.
        needed: usize,
    },
    /// A point is not finite.
    #[error("point {index} of the {shape} is {point}; it must be finite")]
    PointNotFinite {
        /// `rod` or `natural shape`.
        shape: &'static str,
        /// The point, counted from 0.
        index: usize,
        /// Its position [m].
        point: DVec3,
    },
    /// Neighboring points coincide.
    #[error("points {index} and {next} of the {shape} coincide; neighboring points must be distinct")]
    Coincident {
        /// `rod` or `natural shape`.
        shape: &'static str,
        /// The first point of the pair, counted from 0.
        index: usize,
        /// The second point of the pair.
        next: usize,
    },
    /// The rod folds back on itself at a point.
    #[error(
        "the {shape} folds back on itself at point {index}; neighboring segments must not point in opposite directions"
    )]
    Folded {
        /// `rod` or `natural shape`.
        shape: &'static str,
        /// The point, counted from 0.
        index: usize,
    },
    /// The natural shape has a different number of points.
    #[error("the natural shape has {natural} points and the rod {points}; the numbers of points must be equal")]
    NaturalCount {
        /// Number of points of the natural shape.
        natural: usize,
        /// Number of points of the rod.
        points: usize,
    },
    /// The number of rest lengths differs from the number of segments.
    #[error("{lengths} rest lengths were given for {segments} segments; give one per segment")]
    RestLengths {
        /// Number of rest lengths.
        lengths: usize,
        /// Number of segments.
        segments: usize,
    },
    /// A rail has neither one motion nor one per point.
    #[error("a rail of {points} points was given {motions} motions; give one for all points, or one per point")]
    Motions {
        /// Number of motions.
        motions: usize,
        /// Number of points of the rail.
        points: usize,
    },
    /// A curved natural shape, which the model does not support.
    #[error("the {model} model supports only a straight natural shape; this one bends at point {index}")]
    NaturalCurved {
        /// The model.
        model: &'static str,
        /// The point, counted from 0.
        index: usize,
    },
    /// A curvature is not finite.
    #[error("the curvatures of element {element} of the {shape} are {curvature}; they must be finite")]
    CurvatureNotFinite {
        /// `shape` or `natural shape`.
        shape: &'static str,
        /// The element, counted from 0.
        element: usize,
        /// Its curvatures [1/m].
        curvature: DVec3,
    },
    /// A closed rod, which the model does not support.
    #[error("the {model} model does not support closed rods")]
    Closed {
        /// The model.
        model: &'static str,
    },
    /// A twist, which the model does not support.
    #[error("the {model} model does not support an initial twist")]
    Twist {
        /// The model.
        model: &'static str,
    },
    /// A linking number of an open rod, or together with a twist.
    #[error("a linking number can be set only for a closed rod, and not together with a twist")]
    Link,
    /// A load on an end that the model does not support.
    #[error("the {model} model does not support {load} on its ends")]
    EndLoad {
        /// The model.
        model: &'static str,
        /// `moments` or `follower loads`.
        load: &'static str,
    },
    /// The schedule of a load is not in order of time.
    #[error("the schedule of a load must have finite times in increasing order, and finite factors")]
    Schedule,
    /// A change of the natural shape that the model does not support.
    #[error("the model of this rod does not support a change of its {what}")]
    Actuation {
        /// `natural curvature` or `rest lengths`.
        what: &'static str,
    },
    /// A cross section that the model does not support.
    #[error("the {model} model supports only circular cross sections")]
    Section {
        /// The model.
        model: &'static str,
    },
    /// The axis of the cross section does not define an orientation.
    #[error(
        "the axis of the section is {axis}; a section with different widths or stiffnesses needs an axis that is not parallel to the first segment"
    )]
    SectionAxis {
        /// The axis.
        axis: DVec3,
    },
    /// A number is out of range.
    #[error("the {what} is {value}; it must be {allowed}")]
    OutOfRange {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range.
        allowed: &'static str,
    },
    /// A vector is not finite.
    #[error("the {what} is {value}; it must be finite")]
    VectorNotFinite {
        /// Name of the vector.
        what: &'static str,
        /// Its value.
        value: DVec3,
    },
}

/// Validates the parameters of a rod.
pub fn check(params: &RodParams) -> Result<(), RodError> {
    check_numbers(params)?;
    check_shape("rod", &params.points, params.closed)?;
    if let Some(natural) = &params.natural {
        if natural.len() != params.points.len() {
            return Err(RodError::NaturalCount { natural: natural.len(), points: params.points.len() });
        }
        check_shape("natural shape", natural, params.closed)?;
    }
    check_section_axis(params)
}

/// Checks that the axis of the cross section defines its orientation, if that matters.
fn check_section_axis(params: &RodParams) -> Result<(), RodError> {
    let section = &params.material.section;
    let along = (params.points[1] - params.points[0]).normalize();
    let across = section.axis - section.axis.dot(along) * along;
    let is_set = section.axis != DVec3::ZERO;
    if (is_set || section.is_anisotropic()) && across.length() <= PARALLEL * section.axis.length() {
        return Err(RodError::SectionAxis { axis: section.axis });
    }
    Ok(())
}

/// Checks that a model without frames has no loads on its ends that need them.
pub(crate) fn check_end_loads(params: &RodParams, model: &'static str, moments: bool) -> Result<(), RodError> {
    let ends = if params.closed { &[][..] } else { &params.ends[..] };
    if ends.iter().any(|end| end.follower) {
        return Err(RodError::EndLoad { model, load: "follower loads" });
    }
    if !moments && ends.iter().any(|end| end.moment != DVec3::ZERO) {
        return Err(RodError::EndLoad { model, load: "moments" });
    }
    Ok(())
}

/// Returns the first point at which a shape is not straight, if any.
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
    for (what, value) in
        [("moment on the first end", params.ends[0].moment), ("moment on the last end", params.ends[1].moment)]
    {
        if !value.is_finite() {
            return Err(RodError::VectorNotFinite { what, value });
        }
    }
    for end in &params.ends {
        let finite = end.schedule.as_flattened().iter().all(|value| value.is_finite());
        if !finite || !end.schedule.is_sorted_by_key(|[time, _]| *time) {
            return Err(RodError::Schedule);
        }
    }
    match params.ends.iter().find_map(|end| end.release.filter(|release| release.is_nan())) {
        Some(value) => Err(RodError::OutOfRange {
            what: "release of an end",
            value,
            allowed: "a time in s, or `None` to never release it",
        }),
        None => Ok(()),
    }
}

/// Returns an error if a number is not finite or does not satisfy `holds`.
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
