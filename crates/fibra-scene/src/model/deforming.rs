//! Colliders that change their shape: recorded meshes, and a garment of the figure.

use super::scene::Vec3;
use super::shape::meters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A triangle mesh that deforms, from one moving file or a sequence of files of the same triangles: scaled, then rotated, then translated. Its
/// vertices go straight from frame to frame and stop at the last. Closed meshes are solid; open ones have a layer behind
/// their front, which is where triangles go round counterclockwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeformingMesh {
    /// A USD (`.usd`, `.usda`, `.usdc`) or glTF (`.gltf`, `.glb`) file that moves, relative to the scene file's folder; its own start is
    /// at time 0. Or OBJ or PLY files: a name with some `#` where the numbers are, e.g. `walk/shirt_####.obj`; the frame with the
    /// lowest number is at time 0.
    pub file: String,
    /// The part of a USD or glTF file that is read, with all that is below it: the path of a prim (`/World/Shirt`) or the name of
    /// a node. Default: all visible meshes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prim: Option<String>,
    /// Frames per second, above 0 [1/s]. A sequence of files needs it. Default of other files: as often as they have samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Depth behind the front of an open mesh that counts as inside, above 0; with method `mpm` at least `mpm.dx` [m]. A
    /// closed mesh does not use it. Default: 0.02.
    #[serde(default = "cloth_thickness")]
    pub thickness: f64,
    /// Meters per unit of length in the files, above 0 [m]; USD and glTF files have their own unit, which is multiplied by it. Default: 1.
    #[serde(default = "meters")]
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
