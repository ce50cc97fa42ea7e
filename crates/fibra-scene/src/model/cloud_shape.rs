//! Clouds of material from files (method `elastons`).

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cloud of material, written as `shape.NAME = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CloudShape {
    /// The points of a file, with their radii.
    Cloud(CloudFile),
}

/// Points with radii from a file: scaled, then rotated, then translated. Those whose balls overlap hang together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloudFile {
    /// A PLY, OBJ or CSV file, relative to the scene file's folder.
    pub file: String,
    /// Radius of points for which the file gives none, in the unit of the file, above 0 [-]. Default: none; the file must give all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Meters per unit of length in the file, above 0 [m]. Default: 1.
    #[serde(default = "super::shape::meters")]
    pub scale: f64,
    /// Rotation about the file's origin, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Where the file's origin goes [m]. Default: the world's origin.
    #[serde(default)]
    pub translate: Vec3,
}
