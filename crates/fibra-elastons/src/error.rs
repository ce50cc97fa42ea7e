//! Errors of the public API.

use crate::cloud::CloudError;
use crate::discretization::Uncovered;
use crate::fill::FillError;
use crate::matter::BodyFlaw;
use crate::step::StepError;
use fibra_core::geometry::generate::GenerateError;
use fibra_core::geometry::{CurveFlaw, MeshFlaw};
use glam::DVec3;
use thiserror::Error;

/// A number outside its allowed range.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("`{field}` is {value}; it must be {allowed}")]
pub struct OutOfRange {
    /// The field or argument.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
    /// Allowed range, with the unit.
    pub allowed: &'static str,
}

impl OutOfRange {
    /// Returns an error unless `is_allowed`.
    pub(crate) fn unless(
        is_allowed: bool,
        field: &'static str,
        value: f64,
        allowed: &'static str,
    ) -> Result<(), OutOfRange> {
        if is_allowed { Ok(()) } else { Err(OutOfRange { field, value, allowed }) }
    }

    /// Rejects a value that is not positive and finite.
    pub(crate) fn positive(field: &'static str, value: f64, allowed: &'static str) -> Result<(), OutOfRange> {
        Self::unless(value > 0.0 && value.is_finite(), field, value, allowed)
    }

    /// Rejects a value that is negative or not finite.
    pub(crate) fn not_negative(field: &'static str, value: f64, allowed: &'static str) -> Result<(), OutOfRange> {
        Self::unless(value >= 0.0 && value.is_finite(), field, value, allowed)
    }

    /// Rejects a vector with a component that is not finite.
    pub(crate) fn finite(field: &'static str, value: DVec3, allowed: &'static str) -> Result<(), OutOfRange> {
        let wrong = value.to_array().into_iter().find(|component| !component.is_finite());
        wrong.map_or(Ok(()), |value| Err(OutOfRange { field, value, allowed }))
    }
}

/// Reason why a simulation cannot be built or advanced.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ElastonError {
    /// A setting or argument is not allowed.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The geometry of an object cannot be discretized.
    #[error("object {object} cannot be discretized: {source}")]
    Fill {
        /// The object, in the order of addition.
        object: usize,
        /// The reason.
        source: FillError,
    },
    /// The point cloud of an object is not valid.
    #[error("object {object} has an invalid point cloud: {source}; use a smaller spacing, or change the geometry")]
    Cloud {
        /// The object, in the order of addition.
        object: usize,
        /// The reason.
        source: CloudError,
    },
    /// A mesh is not valid, or not closed where it must be.
    #[error("the mesh of object {object} is not valid: {source}")]
    Mesh {
        /// The object, in the order of addition.
        object: usize,
        /// The reason.
        source: MeshFlaw,
    },
    /// A polyline is not valid.
    #[error("the wire of object {object} is not valid: {source}")]
    Wire {
        /// The object, in the order of addition.
        object: usize,
        /// The reason.
        source: CurveFlaw,
    },
    /// The surface of an object cannot be triangulated.
    #[error("the surface of object {object} cannot be triangulated: {source}; use a larger spacing")]
    Skin {
        /// The object, in the order of addition.
        object: usize,
        /// The reason.
        source: GenerateError,
    },
    /// The surface of an object has too many triangles.
    #[error("the surface of object {object} has too many triangles at this spacing; use a larger one")]
    TooManyTriangles {
        /// The object, in the order of addition.
        object: usize,
    },
    /// An object has fewer material points than the requested samples or elastons.
    #[error(
        "object {object} has {pieces} material points, fewer than the {count} {what}; use a smaller number or a smaller spacing"
    )]
    TooFewPieces {
        /// The object, in the order of addition.
        object: usize,
        /// `samples` or `elastons`.
        what: &'static str,
        /// Requested number.
        count: usize,
        /// Number of material points.
        pieces: usize,
    },
    /// A body cannot be sampled.
    #[error("the body of object {object} cannot be sampled: {source}")]
    Sampling {
        /// The first object of the body, in the order of addition.
        object: usize,
        /// The reason.
        source: BodyFlaw,
    },
    /// There is no object.
    #[error("there is no object; add at least one before `build`")]
    NoObjects,
    /// An id or index does not exist in this simulation.
    #[error("there is no {what} {index}; there are {count}")]
    Unknown {
        /// Kind of object that the id or index should refer to.
        what: &'static str,
        /// The index.
        index: usize,
        /// Number of existing objects of this kind.
        count: usize,
    },
    /// A hold contains no material point.
    #[error("no material point of object {object} is inside the region of the hold; move the region, or enlarge it")]
    EmptyHold {
        /// The object, in the order of addition.
        object: usize,
    },
    /// Two holds share a material point.
    #[error("material point {piece} of object {object} belongs to two holds; use separate regions")]
    SharedPiece {
        /// The object, in the order of addition.
        object: usize,
        /// The material point, in the object's order.
        piece: usize,
    },
    /// A material point that is in no hold starts inside a collider.
    #[error(
        "material point {piece} of object {object} at {position} m starts inside collider {collider}; move one of the two"
    )]
    InsideCollider {
        /// The object, in the order of addition.
        object: usize,
        /// The material point, in the object's order.
        piece: usize,
        /// Its position [m].
        position: DVec3,
        /// The collider, in the order of addition.
        collider: usize,
    },
    /// The supports of the samples do not cover the body.
    #[error(transparent)]
    Uncovered(#[from] Uncovered),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Newton's method found no equilibrium.
    #[error(
        "no equilibrium after {iterations} iterations: displacements still change by {change:e} m; use `advance` with damping"
    )]
    NoEquilibrium {
        /// Iterations done.
        iterations: usize,
        /// Largest change of an unknown in the last iteration [m].
        change: f64,
    },
}
