//! What holds vertices of cloth and fibers, the ends of rods and pieces of elastons, and what pulls at rods.

use super::collider::Motion;
use super::scene::Vec3;
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Holds vertices of cloth or fibers, ends of rods, or pieces of elastons: those that are inside a region at the start stand still, or move as told. A rod all
/// of which is inside is held as a whole. One `[[object.pin]]` each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The vertices, ends or pieces inside it at the start are held; at least one must be.
    pub region: Shape,
    /// What is held of the ends of rods (method `rods`). Default: `clamped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// Name of a collider to move with. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow: Option<String>,
    /// How they move, if they follow no collider; rotations turn about the center of the region. Default: `still`.
    #[serde(default, skip_serializing_if = "Motion::is_still")]
    pub motion: Motion,
    /// When they are let go, above 0 [s]. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// What is held of the end of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// Its place, its direction and its twist.
    #[default]
    Clamped,
    /// Its place: it turns freely.
    Pinned,
}

/// Pulls at ends of rods: a constant force on each that is inside a region at the start. One `[[object.pull]]` each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// The ends inside it at the start are pulled; at least one must be.
    pub region: Shape,
    /// Force on each of them [N].
    pub force: Vec3,
}
