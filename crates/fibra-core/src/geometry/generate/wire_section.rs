//! Cross-sections of wires.

use glam::DVec3;
use std::f64::consts::PI;

/// The cross-section of a wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WireSection {
    /// A disc.
    Round {
        /// Its radius [m].
        radius: f64,
    },
    /// A rectangle.
    Rectangle {
        /// The side across both the wire and the way up [m].
        width: f64,
        /// The side along the way up [m].
        height: f64,
        /// The way up; what of it is along the wire does not count. Where a wire runs straight up, the section keeps the way up it
        /// had before.
        up: DVec3,
    },
}

impl WireSection {
    /// Its area [m^2].
    pub fn area(&self) -> f64 {
        match *self {
            Self::Round { radius } => PI * radius * radius,
            Self::Rectangle { width, height, .. } => width * height,
        }
    }

    /// Its smallest extent [m].
    pub fn thickness(&self) -> f64 {
        match *self {
            Self::Round { radius } => 2.0 * radius,
            Self::Rectangle { width, height, .. } => width.min(height),
        }
    }
}
