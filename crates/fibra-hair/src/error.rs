//! Errors of strands and of hair.

use crate::step::HairStage;
use glam::{DQuat, DVec3, Vec3};

/// Why hair cannot be built or advanced.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HairError {
    /// Strands or settings out of range.
    #[error(transparent)]
    Strands(#[from] StrandError),
    /// A velocity is not finite.
    #[error("vertex {index} of strand {strand} has a velocity or a stress that is not finite")]
    NotFinite {
        /// The strand, counted from 0.
        strand: usize,
        /// The vertex, counted from 0.
        index: usize,
    },
    /// Vertices that do not fit a collider.
    #[error("{given} vertices were given for a collider that has {vertices}; only meshes that deform have any")]
    VertexCount {
        /// Vertices it has.
        vertices: usize,
        /// Vertices given.
        given: usize,
    },
    /// A vertex is too far away for the grid.
    #[error("a strand left the reach of the grid, which is some tens of kilometers")]
    OutOfReach,
    /// The identifier is that of another simulation.
    #[error("there is no collider {collider}; there are {count}, counted from 0")]
    UnknownCollider {
        /// Index of the collider.
        collider: usize,
        /// Number of colliders.
        count: usize,
    },
    /// A collider on the head cannot be moved by itself.
    #[error("collider {collider} is on the head and moves with it; it cannot be moved by itself")]
    OnHead {
        /// Index of the collider.
        collider: usize,
    },
    /// The pose of a collider is not a rigid placement.
    #[error(
        "the pose of collider {collider} has the translation {translation} m and the rotation {rotation}; \
         it must be finite, with a rotation of length one"
    )]
    ColliderPose {
        /// Index of the collider.
        collider: usize,
        /// Translation given [m].
        translation: DVec3,
        /// Rotation given, a quaternion.
        rotation: DQuat,
    },
}

impl HairError {
    /// The stage of a step that fails so.
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

/// Why strands cannot be built or moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StrandError {
    /// A number outside its range.
    #[error("the {what} is {value}; it must be {allowed}")]
    OutOfRange {
        /// The number's name.
        what: &'static str,
        /// Its value.
        value: f32,
        /// What it may be.
        allowed: &'static str,
    },
    /// No strands at all.
    #[error("there are no strands; at least one is needed")]
    Empty,
    /// Not enough points.
    #[error("strand {strand} has {count} points; a strand needs at least 2")]
    TooFewPoints {
        /// The strand, counted from 0.
        strand: usize,
        /// Points given.
        count: usize,
    },
    /// A point is not finite.
    #[error("point {index} of strand {strand} is {point}; it must be finite")]
    PointNotFinite {
        /// The strand, counted from 0.
        strand: usize,
        /// The point, counted from 0.
        index: usize,
        /// Where it is [m].
        point: Vec3,
    },
    /// Neighboring points in the same place.
    #[error("points {index} and {next} of strand {strand} coincide; neighbors must be apart", next = .index + 1)]
    Coincident {
        /// The strand, counted from 0.
        strand: usize,
        /// The first of both, counted from 0.
        index: usize,
    },
    /// The rest shape is of another strand.
    #[error("the rest shape of strand {strand} has {rest} points and the strand {points}; both must have as many")]
    RestCount {
        /// The strand, counted from 0.
        strand: usize,
        /// Points of the rest shape.
        rest: usize,
        /// Points of the strand.
        points: usize,
    },
    /// More vertices held than there are.
    #[error("{pinned} vertices of strand {strand} are to be pinned; it has {points}")]
    TooManyPinned {
        /// The strand, counted from 0.
        strand: usize,
        /// Vertices to be pinned.
        pinned: usize,
        /// Vertices there are.
        points: usize,
    },
}
