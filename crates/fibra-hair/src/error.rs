//! Errors of strands and of hair.

use crate::step::HairStage;
use glam::{DQuat, DVec3, Vec3};

/// Error of building or advancing hair.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HairError {
    /// Strands or settings out of range.
    #[error(transparent)]
    Strands(#[from] StrandError),
    /// A velocity or a stress is not finite.
    #[error("vertex {index} of strand {strand} has a velocity or a stress that is not finite")]
    NotFinite {
        /// The strand, counted from 0.
        strand: usize,
        /// The vertex, counted from 0.
        index: usize,
    },
    /// Wrong number of vertices for a collider.
    #[error(
        "{given} vertices were given for a collider that has {vertices}; only deforming meshes have vertices that can be set"
    )]
    VertexCount {
        /// Number of vertices of the collider.
        vertices: usize,
        /// Number of vertices given.
        given: usize,
    },
    /// A vertex is outside the range of the grid.
    #[error("a strand is outside the range of the grid, which is some tens of kilometers")]
    OutOfReach,
    /// The identifier belongs to another simulation.
    #[error("collider {collider} does not exist; there are {count} colliders, counted from 0")]
    UnknownCollider {
        /// Index of the collider.
        collider: usize,
        /// Number of colliders.
        count: usize,
    },
    /// A collider on the head cannot be moved independently.
    #[error("collider {collider} is attached to the head and moves with it; it cannot be moved independently")]
    OnHead {
        /// Index of the collider.
        collider: usize,
    },
    /// The pose of a collider is not a rigid transform.
    #[error(
        "the pose of collider {collider} has the translation {translation} m and the rotation {rotation}; \
         it must be finite, with a unit quaternion as rotation"
    )]
    ColliderPose {
        /// Index of the collider.
        collider: usize,
        /// Given translation [m].
        translation: DVec3,
        /// Given rotation, a quaternion.
        rotation: DQuat,
    },
}

impl HairError {
    /// Returns the stage of a step in which this error occurs.
    pub fn stage(&self) -> HairStage {
        match self {
            HairError::Strands(_) => HairStage::Build,
            HairError::NotFinite { .. } => HairStage::G2p,
            HairError::OutOfReach => HairStage::Sort,
            HairError::VertexCount { .. }
            | HairError::UnknownCollider { .. }
            | HairError::OnHead { .. }
            | HairError::ColliderPose { .. } => HairStage::Head,
        }
    }
}

/// Error of building or moving strands.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StrandError {
    /// A value is out of range.
    #[error("the {what} is {value}; it must be {allowed}")]
    OutOfRange {
        /// Name of the quantity.
        what: &'static str,
        /// Given value.
        value: f32,
        /// Allowed range.
        allowed: &'static str,
    },
    /// There are no strands.
    #[error("there are no strands; at least one is needed")]
    Empty,
    /// Too few points.
    #[error("strand {strand} has {count} points; a strand needs at least 2")]
    TooFewPoints {
        /// The strand, counted from 0.
        strand: usize,
        /// Number of points given.
        count: usize,
    },
    /// A point is not finite.
    #[error("point {index} of strand {strand} is {point}; it must be finite")]
    PointNotFinite {
        /// The strand, counted from 0.
        strand: usize,
        /// The point, counted from 0.
        index: usize,
        /// Position [m].
        point: Vec3,
    },
    /// Neighboring points coincide.
    #[error("points {index} and {next} of strand {strand} coincide; neighboring points must differ", next = .index + 1)]
    Coincident {
        /// The strand, counted from 0.
        strand: usize,
        /// The first of the two points, counted from 0.
        index: usize,
    },
    /// The rest shape has a different number of points.
    #[error("the rest shape of strand {strand} has {rest} points and the strand {points}; the numbers must be equal")]
    RestCount {
        /// The strand, counted from 0.
        strand: usize,
        /// Number of points of the rest shape.
        rest: usize,
        /// Number of points of the strand.
        points: usize,
    },
    /// More pinned vertices than vertices.
    #[error("strand {strand} has {pinned} pinned vertices, but only {points} vertices")]
    TooManyPinned {
        /// The strand, counted from 0.
        strand: usize,
        /// Number of pinned vertices.
        pinned: usize,
        /// Number of vertices.
        points: usize,
    },
}
