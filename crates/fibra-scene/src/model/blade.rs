//! Blades that cut objects (method `elastons`).

use super::collider::Motion;
use super::surface::SurfaceShape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A surface that cuts the material it passes through (method `elastons`). Each `[[blade]]` defines one blade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Blade {
    /// Name, unique among blades: lower-case letters, digits and hyphens.
    pub name: String,
    /// Initial shape: any surface, such as a `sheet` or a `surface-mesh`.
    pub shape: SurfaceShape,
    /// Prescribed motion. Rotations are about the position of the shape. Default: `still`.
    #[serde(default, skip_serializing_if = "Motion::is_still")]
    pub motion: Motion,
    /// Time at which the blade starts to cut, 0 or above [s]. Default: 0.
    #[serde(default)]
    pub from: f64,
    /// Time at which the blade stops cutting, above `from` [s]. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}
