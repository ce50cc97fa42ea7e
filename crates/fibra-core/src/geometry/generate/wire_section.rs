//! Cross sections of wires.

use glam::DVec3;
use std::f64::consts::PI;

/// The cross section of a wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WireSection {
    /// A disk.
    Round {
        /// The radius [m].
        radius: f64,
    },
    /// A rectangle.
    Rectangle {
        /// The side perpendicular to the wire and to the up direction [m].
        width: f64,
        /// The side along the up direction [m].
        height: f64,
        /// The up direction; its component along the wire is ignored. Where a wire is parallel to the up direction, the section keeps its
        /// previous orientation.
        up: DVec3,
    },
}

impl WireSection {
    /// Returns the area of the section [m^2].
    pub fn area(&self) -> f64 {
        match *self {
            Self::Round { radius } => PI * radius * radius,
            Self::Rectangle { width, height, .. } => width * height,
        }
    }

    /// Returns the smallest extent of the section [m].
    pub fn thickness(&self) -> f64 {
        match *self {
            Self::Round { radius } => 2.0 * radius,
            Self::Rectangle { width, height, .. } => width.min(height),
        }
    }
}
