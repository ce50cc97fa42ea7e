//! Conditions checked at the end of a run: every scene is a test.

use super::scene::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A condition checked at the end of the run: a quantity and its allowed range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Measured quantity.
    pub quantity: Quantity,
    /// Name of the object on which the quantity is measured. Default: all objects together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Smallest value allowed, in the unit of the quantity. At least one of `min` and `max` is needed. Default: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest value allowed, in the unit of the quantity. At least one of `min` and `max` is needed. Default: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Reason for the condition, in one line. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// Measured quantity of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Total mass [kg].
    Mass,
    /// Change of mass since the start, relative to the initial mass [-].
    MassChange,
    /// Height of the lowest particle, hair vertex, piece, centerline point of a rod or center of a ball [m].
    Lowest,
    /// Height of the highest particle, hair vertex, piece, centerline point of a rod or center of a ball [m].
    Highest,
    /// Largest horizontal distance of a particle, hair vertex, piece, centerline point of a rod or center of a ball from the initial center of mass
    /// [m].
    Spread,
    /// Center of mass along x [m].
    CenterX,
    /// Center of mass along y [m].
    CenterY,
    /// Center of mass along z [m].
    CenterZ,
    /// Largest speed of a particle, hair vertex, piece, centerline point of a rod or center of a ball [m/s].
    MaxSpeed,
    /// Kinetic energy [J].
    KineticEnergy,
    /// Mean ratio of volume to rest volume over the particles (method `mpm`) or elastons (method `elastons`). For method `hair`, the number of grid
    /// cells that contain a hair vertex, relative to the initial number [-].
    VolumeRatio,
    /// Largest ratio of length to rest length of a cloth edge or a segment of a fiber or rod. For hair, in all steps of the run, before lengths are
    /// limited to `hair.slack`. For elastons, the largest principal stretch [-].
    MaxStretch,
    /// Number of segments of fibers and rods that are stretched to more than twice their rest length, plus the number of cloth triangles with such an
    /// edge. For hair, the number of strands with such a segment in any step of the run, before lengths are limited [-].
    Torn,
    /// Number of particles or hair vertices more than a grid cell deep inside a collider. For rods and balls, the number of points that are deeper
    /// than the radius. For elastons, the number of pieces whose center is inside a collider. Pinned points are not counted [-].
    InsideColliders,
    /// Among all steps of the run that have contacts, the fraction in which the contact solver missed its tolerance (method `rods`) [-].
    UnsolvedShare,
    /// Smallest distance between the centerlines (for balls, centers) of two bodies, or of two parts of one rod that may touch, divided by the sum of
    /// their radii. At most 1.1, because pairs farther apart are not examined (method `rods`) [-].
    SmallestGap,
    /// Fraction of the hair vertices that penetrate the head or a collider by more than half a grid cell. Pinned vertices are not counted
    /// (method `hair`) [-].
    DeepInside,
    /// Largest distance by which the limits on lengths and bends moved a hair vertex at the end of a step, over all steps of the run (method `hair`)
    /// [m].
    LengthCorrection,
    /// Sum of the forces along x that pins exert on rods (method `rods`) [N].
    ReactionX,
    /// Sum of the forces along y that pins exert on rods (method `rods`) [N].
    ReactionY,
    /// Sum of the forces along z that pins exert on rods (method `rods`) [N].
    ReactionZ,
    /// Largest tension at a point of a rod (method `rods`) [N].
    MaxTension,
    /// Largest bending moment at a point of a rod (method `rods`) [N m].
    MaxBendingMoment,
    /// Largest magnitude of the twisting moment at a point of a rod (method `rods`) [N m].
    MaxTwistingMoment,
    /// Sum of the writhes of closed rods, in turns (method `rods`) [-].
    Writhe,
    /// Sum of the linking numbers of closed rods: twist plus writhe, in turns (method `rods`) [-].
    Link,
    /// Number of connected components (method `elastons`) [-].
    Parts,
    /// Largest plastic strain, von Mises equivalent (method `elastons`) [-].
    PlasticStrain,
}

impl Quantity {
    /// Returns whether the quantity is available for a method.
    pub fn is_available_for(self, method: Method) -> bool {
        match self {
            Quantity::VolumeRatio => method != Method::Rods,
            Quantity::DeepInside | Quantity::LengthCorrection => method == Method::Hair,
            Quantity::Parts | Quantity::PlasticStrain => method == Method::Elastons,
            Quantity::Torn => method != Method::Elastons,
            Quantity::UnsolvedShare
            | Quantity::SmallestGap
            | Quantity::ReactionX
            | Quantity::ReactionY
            | Quantity::ReactionZ
            | Quantity::MaxTension
            | Quantity::MaxBendingMoment
            | Quantity::MaxTwistingMoment
            | Quantity::Writhe
            | Quantity::Link => method == Method::Rods,
            _ => true,
        }
    }

    /// Returns the name in scene files.
    pub fn name(self) -> String {
        let written = serde_json::to_value(self).ok();
        written.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}
