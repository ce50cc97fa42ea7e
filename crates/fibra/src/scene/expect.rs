//! What must hold at the end of a run: every scene is a test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A claim about the end of the run: a quantity and the range it must lie in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// What is measured.
    pub quantity: Quantity,
    /// Name of the object it is measured on. Default: all objects together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Smallest value allowed, in the unit of the quantity. At least one of `min` and `max` is needed. Default: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest value allowed, in the unit of the quantity. At least one of `min` and `max` is needed. Default: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Why it must hold, in one line. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// What an expectation can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Total mass [kg].
    Mass,
    /// Change of mass since the start, relative to the mass at the start [-].
    MassChange,
    /// Height of the lowest particle [m].
    Lowest,
    /// Height of the highest particle [m].
    Highest,
    /// Largest horizontal distance of a particle from the centre of mass at the start [m].
    Spread,
    /// Centre of mass along x [m].
    CenterX,
    /// Centre of mass along y [m].
    CenterY,
    /// Centre of mass along z [m].
    CenterZ,
    /// Speed of the fastest particle [m/s].
    MaxSpeed,
    /// Kinetic energy [J].
    KineticEnergy,
    /// Mean over the particles of volume over volume at rest [-].
    VolumeRatio,
    /// Largest length of an edge of cloth or a segment of fibre, over its length at rest [-].
    MaxStretch,
    /// Number of triangles of cloth and segments of fibre stretched to more than twice their length at rest [-].
    Torn,
    /// Number of particles deeper than a grid cell inside a collider; held vertices do not count [-].
    InsideColliders,
}
