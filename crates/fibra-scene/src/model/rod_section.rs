//! Cross sections of rods.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cross section of a rod that is not a circle. Contact treats it as a circle of `radius`. Its first axis points along `axis`, its second axis is
/// perpendicular to both the first axis and the rod. Not supported by the model `mass-spring`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RodSection {
    /// An ellipse.
    Elliptic(SectionSize),
    /// A rectangle.
    Rectangular(SectionSize),
    /// A circle of `radius` with given stiffnesses.
    Stiffness(SectionStiffness),
}

/// Size and orientation of a cross section.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionSize {
    /// Full width along the first axis, above 0 [m].
    pub width: f64,
    /// Full width along the second axis, above 0 [m].
    pub height: f64,
    /// Direction of the first axis at the first segment of each rod, not parallel to it; projected perpendicular to the segment [-].
    pub axis: Vec3,
}

/// Stiffnesses and orientation of a cross section.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionStiffness {
    /// Bending stiffness `EI` for bending toward the first axis and toward the second, above 0 [N m^2].
    pub bending: [f64; 2],
    /// Twisting stiffness `GJ`, above 0 [N m^2].
    pub twisting: f64,
    /// Direction of the first axis at the first segment of each rod, not parallel to it; projected perpendicular to the segment [-].
    pub axis: Vec3,
}

impl RodSection {
    /// The name in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            RodSection::Elliptic(_) => "elliptic",
            RodSection::Rectangular(_) => "rectangular",
            RodSection::Stiffness(_) => "stiffness",
        }
    }

    /// Direction of the first axis.
    pub fn axis(&self) -> Vec3 {
        match self {
            RodSection::Elliptic(size) | RodSection::Rectangular(size) => size.axis,
            RodSection::Stiffness(stiffness) => stiffness.axis,
        }
    }
}
