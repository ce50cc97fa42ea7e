//! Pins for vertices of cloth and fibers, ends of rods and pieces of elastons, and external forces on ends of rods.

use super::collider::Motion;
use super::scene::Vec3;
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pins vertices of cloth or fibers, ends of rods, or pieces of elastons. Those initially inside a region stay fixed or follow a prescribed motion. A
/// rod that lies entirely inside the region is pinned as a whole. Each `[[object.pin]]` defines one pin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Region: the vertices, ends or pieces initially inside it are pinned. At least one must be inside.
    pub region: Shape,
    /// Degrees of freedom that are fixed at the ends of rods (method `rods`). Default: `clamped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// Name of a collider with which the pin moves. On a deforming mesh or a shawl, each vertex, end or piece follows the nearest triangle; its distance
    /// from the surface does not change. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow: Option<String>,
    /// Prescribed motion, if `follow` is not set. Rotations are about the center of the region. Default: `still`.
    #[serde(default, skip_serializing_if = "Motion::is_still")]
    pub motion: Motion,
    /// Time of release, above 0 [s]. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// Degrees of freedom that are fixed at the end of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// Position, direction and twist.
    #[default]
    Clamped,
    /// Position only: the end rotates freely.
    Pinned,
}

/// A constant external force on each rod end that is initially inside a region. Each `[[object.pull]]` defines one region and force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// Region: the force acts on each rod end initially inside it. At least one end must be inside.
    pub region: Shape,
    /// Force on each end [N].
    pub force: Vec3,
}
