//! How grains lie at the start, from place to place.

use super::axes::up;
use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How grains lie at the start, written as `alignment.NAME = ...`: for each axis the share of them that lie along it, three numbers from
/// 0 to 1 with the sum 1; `[0, 0, 1]` is all along axis 3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// The same everywhere: shares along axes 1, 2, 3 [-].
    Uniform(Vec3),
    /// Changing along a line.
    Linear(LinearAlignment),
    /// Changing with the distance from a line.
    Radial(RadialAlignment),
    /// From a file with shares at points.
    File(FileAlignment),
    /// At random, each particle for itself.
    Random(RandomAlignment),
}

impl Default for Alignment {
    fn default() -> Self {
        Alignment::Uniform([1.0 / 3.0; 3])
    }
}

/// An alignment that changes evenly from one plane to another, both across the line between two points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearAlignment {
    /// Where the line starts [m].
    pub from: Vec3,
    /// Where it ends [m].
    pub to: Vec3,
    /// Shares along axes 1, 2, 3 up to the plane through `from` [-].
    pub start: Vec3,
    /// Shares along axes 1, 2, 3 from the plane through `to` on [-].
    pub end: Vec3,
}

/// An alignment that changes evenly with the distance from a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadialAlignment {
    /// A point on the line [m].
    pub center: Vec3,
    /// Direction of the line, of any length but 0 [-]. Default: up, `[0, 1, 0]`.
    #[serde(default = "up")]
    pub axis: Vec3,
    /// Distance from the line at which it ceases to change, above 0 [m].
    pub radius: f64,
    /// Shares along axes 1, 2, 3 on the line [-].
    pub inner: Vec3,
    /// Shares along axes 1, 2, 3 from `radius` on [-].
    pub outer: Vec3,
}

/// Shares along axis 3 at points, from a file; between the points they change smoothly. Axes 1 and 2 share the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAlignment {
    /// A file as that of `axes.file`, with the seventh column `alignment`, from 0 to 1 [-].
    pub file: String,
}

/// Shares along axis 3 at random, even between two bounds; `mpm.seed` chooses them. Axes 1 and 2 share the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomAlignment {
    /// Smallest share, from 0 to 1 [-].
    pub least: f64,
    /// Largest share, from `least` to 1 [-].
    pub most: f64,
}

impl Alignment {
    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Alignment::Uniform(_) => "uniform",
            Alignment::Linear(_) => "linear",
            Alignment::Radial(_) => "radial",
            Alignment::File(_) => "file",
            Alignment::Random(_) => "random",
        }
    }

    /// The file it is read from, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Alignment::File(alignment) => Some(&mut alignment.file),
            _ => None,
        }
    }
}
