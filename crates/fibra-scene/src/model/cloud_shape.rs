//! Point clouds from files (method `elastons`).

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point cloud, written as `shape.NAME = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CloudShape {
    /// A point cloud with radii, from a file.
    Cloud(CloudFile),
}

/// A point cloud from a file: scaled, then rotated, then translated. Each point is a ball; points with overlapping balls are connected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloudFile {
    /// A PLY, OBJ or CSV file, relative to the scene file's folder.
    pub file: String,
    /// Radius of all points if the file has no radii, in length units of the file, above 0 [-]. Default: none; the file must then have radii.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Meters per length unit of the file, above 0 [m]. Default: 1.
    #[serde(default = "super::shape::meters")]
    pub scale: f64,
    /// Rotation about the file's origin, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Position of the file's origin in the scene [m]. Default: the world's origin.
    #[serde(default)]
    pub translate: Vec3,
}
