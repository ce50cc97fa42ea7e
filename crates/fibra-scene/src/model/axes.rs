//! Initial axes of anisotropic materials.

use super::scene::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Initial directions of axes 1, 2, 3 of an anisotropic material, written as `axes.NAME = { ... }`. They rotate with the material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axes {
    /// Uniform, given by a rotation.
    Fixed(FixedAxes),
    /// Uniform, given by the direction of axis 3.
    Direction(DirectionAxes),
    /// Cylindrical, like the grain of wood: axis 3 along a line, axis 1 radial, axis 2 circumferential.
    Radial(RadialAxes),
    /// The principal axes of inertia of the object.
    Principal(PrincipalAxes),
    /// Read from a file with directions at points.
    File(FileAxes),
    /// Random about a direction.
    Random(RandomAxes),
}

impl Default for Axes {
    fn default() -> Self {
        Axes::Fixed(FixedAxes::default())
    }
}

/// Uniform axes, given by a rotation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FixedAxes {
    /// Rotation from x, y, z to axes 1, 2, 3, by these angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    pub rotate_degrees: Vec3,
}

/// Uniform axes, given by the direction of axis 3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectionAxes {
    /// Direction of axis 3, of any nonzero length [-].
    pub along: Vec3,
    /// Direction of axis 1 [-]. Its component along `along` is removed. Default: the image of x under the shortest rotation from z to `along`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across: Option<Vec3>,
}

/// Cylindrical axes about a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadialAxes {
    /// A point on the line [m].
    pub center: Vec3,
    /// Direction of the line and of axis 3, of any nonzero length [-]. Default: up, `[0, 1, 0]`.
    #[serde(default = "up")]
    pub axis: Vec3,
}

pub(crate) fn up() -> Vec3 {
    [0.0, 1.0, 0.0]
}

/// The principal axes of inertia of the filled object. `third` selects axis 3. Axis 1 is the one of the other two along which the object is longer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrincipalAxes {
    /// Principal axis that becomes axis 3. Default: `longest`.
    pub third: Extent,
}

/// A principal axis of inertia, selected by the extent of the object along this axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Axis of largest extent.
    #[default]
    Longest,
    /// Axis of intermediate extent.
    Middle,
    /// Axis of smallest extent.
    Shortest,
}

impl Extent {
    /// Returns the name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Extent::Longest => "longest",
            Extent::Middle => "middle",
            Extent::Shortest => "shortest",
        }
    }
}

/// Directions of axis 3 at points from a file, smoothly interpolated between the points. Opposite directions are equivalent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAxes {
    /// A text file, relative to the scene file's folder: a header line `x,y,z,u,v,w`, then a point [m] and a direction of any nonzero length [-] per
    /// line. A seventh column `alignment` is optional.
    pub file: String,
    /// Direction of axis 1 [-]. Its component along axis 3 is removed. Default: the image of x under the shortest rotation from z to axis 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across: Option<Vec3>,
}

/// Random directions of axis 3, seeded by `mpm.seed`. They are uniformly distributed up to a largest angle from a central direction. The shortest
/// rotation from z to axis 3 gives axes 1 and 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomAxes {
    /// Largest angle between axis 3 and `about`, from 0 to 90; 90 allows any direction [deg]. Default: 90.
    pub spread_degrees: f64,
    /// Central direction, of any nonzero length [-]. Default: z, `[0, 0, 1]`.
    pub about: Vec3,
    /// Correlation length of the directions, above 0 [m]. Default: none, each particle has an independent direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

impl Default for RandomAxes {
    fn default() -> Self {
        RandomAxes { spread_degrees: 90.0, about: [0.0, 0.0, 1.0], length: None }
    }
}

impl Axes {
    /// Returns the name in scene files.
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

    /// Returns the name of the file to read, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Axes::File(axes) => Some(&mut axes.file),
            _ => None,
        }
    }
}
