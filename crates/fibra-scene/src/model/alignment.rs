//! Initial alignment of grains as a function of position.

use super::axes::up;
use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Initial alignment of grains, written as `alignment.NAME = ...`: the fraction of grains along each axis. The three numbers are from 0 to 1 and sum
/// to 1; `[0, 0, 1]` aligns all grains with axis 3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// The same everywhere: fractions along axes 1, 2, 3 [-].
    Uniform(Vec3),
    /// Varies along a line.
    Linear(LinearAlignment),
    /// Varies with the distance from a line.
    Radial(RadialAlignment),
    /// Read from a file with fractions at points.
    File(FileAlignment),
    /// Random, independent for each particle.
    Random(RandomAlignment),
}

impl Default for Alignment {
    fn default() -> Self {
        Alignment::Uniform([1.0 / 3.0; 3])
    }
}

/// An alignment that varies linearly between two planes, which are perpendicular to the line between two points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearAlignment {
    /// Start of the line [m].
    pub from: Vec3,
    /// End of the line [m].
    pub to: Vec3,
    /// Fractions along axes 1, 2, 3 up to the plane through `from` [-].
    pub start: Vec3,
    /// Fractions along axes 1, 2, 3 beyond the plane through `to` [-].
    pub end: Vec3,
}

/// An alignment that varies linearly with the distance from a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadialAlignment {
    /// A point on the line [m].
    pub center: Vec3,
    /// Direction of the line, of any nonzero length [-]. Default: up, `[0, 1, 0]`.
    #[serde(default = "up")]
    pub axis: Vec3,
    /// Distance from the line beyond which the alignment is constant, above 0 [m].
    pub radius: f64,
    /// Fractions along axes 1, 2, 3 on the line [-].
    pub inner: Vec3,
    /// Fractions along axes 1, 2, 3 beyond `radius` [-].
    pub outer: Vec3,
}

/// Fractions along axis 3 at points from a file, smoothly interpolated between the points. The remainder is split equally between axes 1 and 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAlignment {
    /// A file in the format of `axes.file`, with the seventh column `alignment`, from 0 to 1 [-].
    pub file: String,
}

/// Random fractions along axis 3, uniformly distributed between two bounds and seeded by `mpm.seed`. The remainder is split equally between axes 1 and
/// 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomAlignment {
    /// Smallest fraction, from 0 to 1 [-].
    pub least: f64,
    /// Largest fraction, from `least` to 1 [-].
    pub most: f64,
}

impl Alignment {
    /// Returns the name in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            Alignment::Uniform(_) => "uniform",
            Alignment::Linear(_) => "linear",
            Alignment::Radial(_) => "radial",
            Alignment::File(_) => "file",
            Alignment::Random(_) => "random",
        }
    }

    /// Returns the name of the file to read, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Alignment::File(alignment) => Some(&mut alignment.file),
            _ => None,
        }
    }
}
