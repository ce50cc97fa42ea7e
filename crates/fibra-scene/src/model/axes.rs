//! Where the axes of an anisotropic material point at the start.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the axes 1, 2, 3 of an anisotropic material point at the start, written as `axes.NAME = { ... }`. Later they turn with the
/// material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axes {
    /// The same everywhere, by a rotation.
    Fixed(FixedAxes),
    /// The same everywhere, by the direction of axis 3.
    Direction(DirectionAxes),
    /// Around a line, as the grain of wood: axis 3 along it, axis 1 away from it, axis 2 around it.
    Radial(RadialAxes),
    /// Along the object itself: its axes of inertia.
    Principal(PrincipalAxes),
    /// From a file with directions at points.
    File(FileAxes),
    /// At random about a direction.
    Random(RandomAxes),
}

impl Default for Axes {
    fn default() -> Self {
        Axes::Fixed(FixedAxes::default())
    }
}

/// Axes that are the same everywhere, by a rotation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FixedAxes {
    /// What turns x, y, z into axes 1, 2, 3: a rotation by these angles about the fixed x, then y, then z axis [deg]. Default: none.
    pub rotate_degrees: Vec3,
}

/// Axes that are the same everywhere, by the direction of axis 3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectionAxes {
    /// Direction of axis 3, of any length but 0 [-].
    pub along: Vec3,
    /// Direction of axis 1; what it has of `along` is taken off [-]. Default: where x goes when z is turned to `along` the short way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across: Option<Vec3>,
}

/// Axes around a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadialAxes {
    /// A point on the line [m].
    pub center: Vec3,
    /// Direction of the line and of axis 3, of any length but 0 [-]. Default: up, `[0, 1, 0]`.
    #[serde(default = "up")]
    pub axis: Vec3,
}

pub(crate) fn up() -> Vec3 {
    [0.0, 1.0, 0.0]
}

/// The axes of inertia of the filled object. Of the two beside axis 3, axis 1 is the longer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrincipalAxes {
    /// Which of them is axis 3. Default: `longest`.
    pub third: Extent,
}

/// One of the axes of inertia, by how far the object reaches along it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Along the object.
    #[default]
    Longest,
    /// Neither the longest nor the shortest.
    Middle,
    /// Through the object.
    Shortest,
}

impl Extent {
    /// Its name in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Extent::Longest => "longest",
            Extent::Middle => "middle",
            Extent::Shortest => "shortest",
        }
    }
}

/// Directions of axis 3 at points, from a file; between the points they change smoothly. A direction and its opposite are the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAxes {
    /// A text file, relative to the scene file's folder: a first line `x,y,z,u,v,w`, then points [m] and directions of any length but 0, one
    /// of each per line. There may be a seventh column `alignment`.
    pub file: String,
    /// Direction of axis 1; what it has of axis 3 is taken off [-]. Default: where x goes when z is turned to axis 3 the short way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across: Option<Vec3>,
}

/// Directions of axis 3 at random, even over all those within an angle of one direction; `mpm.seed` chooses them. Axes 1 and 2 go
/// along the short way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomAxes {
    /// Largest angle between axis 3 and `about`, from 0 to 90; 90 is any direction [deg]. Default: 90.
    pub spread_degrees: f64,
    /// The direction in the middle, of any length but 0 [-]. Default: z, `[0, 0, 1]`.
    pub about: Vec3,
    /// Length over which directions change, above 0 [m]. Default: none, each particle has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

impl Default for RandomAxes {
    fn default() -> Self {
        RandomAxes { spread_degrees: 90.0, about: [0.0, 0.0, 1.0], length: None }
    }
}

impl Axes {
    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Axes::Fixed(_) => "fixed",
            Axes::Direction(_) => "direction",
            Axes::Radial(_) => "radial",
            Axes::Principal(_) => "principal",
            Axes::File(_) => "file",
            Axes::Random(_) => "random",
        }
    }

    /// The file they are read from, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Axes::File(axes) => Some(&mut axes.file),
            _ => None,
        }
    }
}
