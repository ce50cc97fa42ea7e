//! What holds the vertices of cloth and fibres.

use super::collider::Motion;
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Holds vertices of cloth or fibres: those that are inside a region at the start stand still, or move as told. One
/// `[[object.pin]]` each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The vertices inside it at the start are held; at least one must be.
    pub region: Shape,
    /// Name of a collider to move with. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow: Option<String>,
    /// How they move, if they follow no collider; rotations turn about the centre of the region. Default: `still`.
    #[serde(default, skip_serializing_if = "Motion::is_still")]
    pub motion: Motion,
    /// When they are let go, above 0 [s]. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}
