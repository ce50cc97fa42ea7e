//! What must hold at the end of a run: every scene is a test.

use super::scene::Method;
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
    /// Height of the lowest particle, piece, point of a rod's middle line or center of a ball [m].
    Lowest,
    /// Height of the highest particle, piece, point of a rod's middle line or center of a ball [m].
    Highest,
    /// Largest horizontal distance of a particle from the center of mass at the start [m].
    Spread,
    /// Center of mass along x [m].
    CenterX,
    /// Center of mass along y [m].
    CenterY,
    /// Center of mass along z [m].
    CenterZ,
    /// Speed of the fastest particle [m/s].
    MaxSpeed,
    /// Kinetic energy [J].
    KineticEnergy,
    /// Mean over the particles of volume over volume at rest (method `mpm`), or number of grid cells with a vertex of hair in them over that at
    /// the start (method `hair`), or mean over the elastons of volume over volume at rest (method `elastons`) [-].
    VolumeRatio,
    /// Largest length of an edge of cloth or a segment of a fiber, rod or hair, over its length at rest; for elastons, the largest principal
    /// stretch [-].
    MaxStretch,
    /// Number of triangles of cloth and segments of fibers, rods and hair stretched to more than twice their length at rest [-].
    Torn,
    /// Number of particles deeper than a grid cell inside a collider, or of points of rods and balls deeper than their radius; what is held
    /// does not count; for elastons, of pieces whose center is inside [-].
    InsideColliders,
    /// Share of the steps with contacts in which these were not solved to the tolerance, over the whole run (method `rods`) [-].
    UnsolvedShare,
    /// Smallest distance between the middle lines of rods, balls, or parts of one rod that may touch, over the sum of their radii; at
    /// most 1.1, for what is further apart is not looked at (method `rods`) [-].
    SmallestGap,
    /// Share of the vertices of hair that are deeper than half a grid cell inside the head or a collider; what is held does not count
    /// (method `hair`) [-].
    DeepInside,
    /// Number of parts that hang together (method `elastons`) [-].
    Parts,
    /// Largest strain (von Mises's) that has become permanent (method `elastons`) [-].
    PlasticStrain,
}

impl Quantity {
    /// Whether a method can measure it.
    pub fn is_known_to(self, method: Method) -> bool {
        match self {
            Quantity::VolumeRatio => method != Method::Rods,
            Quantity::DeepInside => method == Method::Hair,
            Quantity::Parts | Quantity::PlasticStrain => method == Method::Elastons,
            Quantity::Torn => method != Method::Elastons,
            Quantity::UnsolvedShare | Quantity::SmallestGap => method == Method::Rods,
            _ => true,
        }
    }

    /// Its name as scenes write it.
    pub fn name(self) -> String {
        let written = serde_json::to_value(self).ok();
        written.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}
