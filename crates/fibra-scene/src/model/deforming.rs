//! Deforming colliders: recorded meshes, and a garment of the figure.

use super::scene::Vec3;
use super::shape::meters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A deforming triangle mesh from an animated file, or from a sequence of files with the same triangles: scaled, then rotated, then translated.
/// Vertices are interpolated linearly between frames and stop at the last frame. Closed meshes are solid. Open meshes have a solid layer behind their
/// front, the side from which the corners of a triangle appear in counterclockwise order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeformingMesh {
    /// An animated USD (`.usd`, `.usda`, `.usdc`) or glTF (`.gltf`, `.glb`) file, relative to the scene file's folder; its start time is mapped to
    /// time 0. Alternatively, a sequence of OBJ or PLY files: `#` stands for each digit of the frame number, e.g. `walk/shirt_####.obj`. The frame
    /// with the lowest number is at time 0.
    pub file: String,
    /// The subtree of a USD or glTF file to read: the path of a prim (`/World/Shirt`) or the name of a node. Default: all visible meshes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prim: Option<String>,
    /// Frames per second, above 0 [1/s]. Required for a sequence of files. Default for USD and glTF: their sampling rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Depth of the solid layer behind the front of an open mesh, above 0, and at least `mpm.dx` with method `mpm` [m]. Not used for a closed mesh.
    /// Default: 0.02.
    #[serde(default = "cloth_thickness")]
    pub thickness: f64,
    /// Meters per length unit of the files, above 0 [m]. For USD and glTF, multiplied by the unit declared in the file. Default: 1.
    #[serde(default = "meters")]
    pub scale: f64,
    /// Rotation about the files' origin, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default)]
    pub rotate_degrees: Vec3,
    /// Position of the files' origin in the scene [m]. Default: the world's origin.
    #[serde(default)]
    pub translate: Vec3,
}

/// A short cape around the shoulders of the figure. The cape stands still, or swings behind a dancing figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shawl {
    /// Position of the figure that wears the cape: the midpoint between its feet [m]. Default: the world's origin.
    #[serde(default)]
    pub feet: Vec3,
    /// Length below the shoulders, above 0 and at most 0.6 [m]. Default: 0.16.
    #[serde(default = "short")]
    pub length: f64,
    /// Edge length of the triangles of the cape, above 0 [m]. Default: 0.02.
    #[serde(default = "cloth_thickness")]
    pub spacing: f64,
    /// Depth of the solid layer behind the outer side of the cape, above 0 [m]. Default: 0.02.
    #[serde(default = "cloth_thickness")]
    pub thickness: f64,
    /// Time by which the hem lags behind the chest, 0 or above [s]. Default: 0.12.
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
