//! Colliders that change their shape: recorded meshes, and a garment of the figure.

use super::model::Vec3;
use super::shape::metres;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A triangle mesh that deforms, from a sequence of files of the same triangles: scaled, then rotated, then translated. Its
/// vertices go straight from frame to frame and stop at the last. Closed meshes are solid; open ones have a layer behind
/// their front, which is where triangles go round anticlockwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeformingMesh {
    /// OBJ or PLY files, relative to the scene file's folder: a name with some `#` where the numbers are, e.g.
    /// `walk/shirt_####.obj`. The frame with the lowest number is at time 0.
    pub file: String,
    /// Frames per second, above 0 [1/s].
    pub fps: f64,
    /// Depth behind the front of an open mesh that counts as inside, above 0; with method `mpm` at least `mpm.dx` [m]. A
    /// closed mesh does not use it. Default: 0.02.
    #[serde(default = "cloth_thickness")]
    pub thickness: f64,
    /// Metres per unit of length in the files, above 0 [m]. Default: 1.
    #[serde(default = "metres")]
    pub scale: f64,
    /// Rotation about the files' origin, by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Where the files' origin goes [m]. Default: the world's origin.
    #[serde(default)]
    pub translate: Vec3,
}

/// A short cape around the shoulders of the figure. It stands still, or swings behind a dancing figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shawl {
    /// Where the figure that wears it stands: the middle between its feet [m]. Default: the world's origin.
    #[serde(default)]
    pub feet: Vec3,
    /// How far it hangs below the shoulders, above 0 and at most 0.6 [m]. Default: 0.16.
    #[serde(default = "short")]
    pub length: f64,
    /// Length of its triangles' edges, above 0 [m]. Default: 0.02.
    #[serde(default = "cloth_thickness")]
    pub spacing: f64,
    /// Depth behind its outside that counts as inside, above 0 [m]. Default: 0.02.
    #[serde(default = "cloth_thickness")]
    pub thickness: f64,
    /// How far the hem lags behind the chest, 0 or above [s]. Default: 0.12.
    #[serde(default = "lag")]
    pub delay: f64,
}

fn cloth_thickness() -> f64 {
    0.02
}

fn short() -> f64 {
    0.16
}

fn lag() -> f64 {
    0.12
}
