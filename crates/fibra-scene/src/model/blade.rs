//! What cuts objects (method `elastons`).

use super::collider::Motion;
use super::surface::SurfaceShape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A surface that parts what it passes through (method `elastons`). One `[[blade]]` each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Blade {
    /// Name, unique among blades: lower-case letters, digits and hyphens.
    pub name: String,
    /// What it is at the start: any surface, as a `sheet` or a `surface-mesh`.
    pub shape: SurfaceShape,
    /// How it moves; rotations turn about where the shape is. Default: `still`.
    #[serde(default, skip_serializing_if = "Motion::is_still")]
    pub motion: Motion,
    /// When it begins to cut, 0 or above [s]. Default: 0.
    #[serde(default)]
    pub from: f64,
    /// When it stops, above `from` [s]. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}
