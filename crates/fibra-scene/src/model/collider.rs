//! Colliders and their prescribed motion.

use super::figure::FigurePart;
use super::scene::{Contact, Vec3, common_friction};
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A body that objects collide with. Its motion is prescribed; contact forces do not act on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// Name, unique among colliders: lower-case letters, digits and hyphens.
    pub name: String,
    /// Initial shape.
    pub shape: Shape,
    /// Prescribed motion. Default: `still`.
    #[serde(default)]
    pub motion: Motion,
    /// Contact condition at the surface. Default: `separating`.
    #[serde(default)]
    pub contact: Contact,
    /// Coulomb friction coefficient, 0 or above [-]. Default: 0.3.
    #[serde(default = "common_friction")]
    pub friction: f64,
    /// Color in pictures: linear red, green, blue, 0 to 1 [-]. Default: chosen by the renderer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Vec3>,
    /// Whether the collider is drawn in pictures. Default: true.
    #[serde(default = "seen")]
    pub visible: bool,
}

fn seen() -> bool {
    true
}

/// Prescribed motion of a collider or a pin, written as `motion = "still"` or `motion.NAME = { ... }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// No motion.
    #[default]
    Still,
    /// Given poses at given times, interpolated linearly.
    Keyframes(Keyframes),
    /// Rotation about an axis at a constant rate, with an optional constant velocity.
    Spin(Spin),
    /// Poses from a file.
    Recorded(Recorded),
    /// The motion of a part of a dancing figure.
    Dance(Dance),
    /// The motion of a part of a jumping figure.
    Jump(Jump),
    /// A smooth path through random poses.
    Random(RandomPoses),
}

impl Motion {
    /// Returns whether there is no motion.
    pub fn is_still(&self) -> bool {
        *self == Motion::Still
    }

    /// Returns the name of the file to read, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Motion::Recorded(recorded) => Some(&mut recorded.file),
            _ => None,
        }
    }
}

/// Poses at given times, relative to the initial shape in the scene file. The body is at rest before the first time and after the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframes {
    /// Times, each later than the one before [s].
    pub times: Vec<f64>,
    /// Translation of the shape at each time [m].
    pub translations: Vec<Vec3>,
    /// Rotation about the shape's center at each time: angles about the fixed x, then y, then z axis [deg]. Default: no rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotations_degrees: Option<Vec<Vec3>>,
    /// Rotation at each time as quaternions x, y, z, w of any nonzero length [-]. An alternative to `rotations_degrees`. Default: no rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotations: Option<Vec<[f64; 4]>>,
}

/// Rotation about an axis at a constant rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spin {
    /// Direction of the axis, of any nonzero length [-].
    pub axis: Vec3,
    /// Angular rate, counterclockwise when the axis points at the viewer [rad/s].
    pub rate: f64,
    /// A point on the axis at the start [m]. Default: the center of the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<Vec3>,
    /// Velocity of the body and its axis [m/s]. Default: none.
    #[serde(default)]
    pub velocity: Vec3,
}

/// Poses from a file, relative to the initial shape in the scene file and interpolated linearly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// A text file, relative to the scene file's folder, with one pose `x,y,z,qx,qy,qz,qw` per line: translation [m] and
    /// rotation about the shape's center as a unit quaternion [-]. Lines that start with `#` are comments.
    pub file: String,
    /// Poses per second [1/s]. The first is at time 0.
    pub fps: f64,
}

/// A dance of the built-in figure. It starts at rest and repeats every 16 s if `rate` is 1. The body moves like one part of the figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dance {
    /// The part of the figure that the body moves with. Omit it for a whole figure. Default: `head`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<FigurePart>,
    /// Tempo, 0 or above; 1 is 120 beats per minute [-]. Default: 1.
    #[serde(default = "usual_rate")]
    pub rate: f64,
    /// Position of the figure: the midpoint between its feet [m]. Omit it for a whole figure. Default: the figure stands such that the center of the part is
    /// at the center of the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feet: Option<Vec3>,
    /// Size of the figure, above 0; 1 is 1.69 m [-]. Omit it for a whole figure. Default: 1.
    #[serde(default = "usual_rate", skip_serializing_if = "is_one")]
    pub scale: f64,
}

/// A jump of the built-in figure. It crouches and swings its arms back, pushes off, flies, lands in a crouch and stands up. In flight its center of
/// mass follows a parabola. The body moves like one part of the figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// The part of the figure that the body moves with. Omit it for a whole figure. Default: `head`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<FigurePart>,
    /// Time at which the figure begins to crouch [s]. Default: 0.
    #[serde(default)]
    pub start: f64,
    /// Rise of the center of mass in flight, above 0 [m]. The figure pushes off for as long as it needs to reach the speed for this rise. Default: 0.3.
    #[serde(default = "usual_height")]
    pub height: f64,
    /// Position of the figure: the midpoint between its feet [m]. Omit it for a whole figure. Default: the figure stands such that the center of the part is
    /// at the center of the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feet: Option<Vec3>,
    /// Size of the figure, above 0; 1 is 1.69 m [-]. Omit it for a whole figure. Default: 1.
    #[serde(default = "usual_rate", skip_serializing_if = "is_one")]
    pub scale: f64,
}

fn usual_height() -> f64 {
    0.3
}

/// Returns whether a number is 1, the default of a scale.
pub(super) fn is_one(value: &f64) -> bool {
    *value == 1.0
}

pub(super) fn usual_rate() -> f64 {
    1.0
}

/// Random poses, relative to the initial shape in the scene file. The body starts at its initial pose, and its velocity is zero at each pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomPoses {
    /// Time from each pose to the next, above 0 [s].
    pub interval: f64,
    /// Largest displacement along x, y and z, each 0 or above [m].
    pub reach: Vec3,
    /// Largest rotation about the center of the body: bounds on the x, y and z components of the rotation vector (axis times angle), each 0 or above
    /// [deg]. Default: no rotation.
    #[serde(default)]
    pub turn_degrees: Vec3,
    /// Seed of the random poses [-]. Default: 0.
    #[serde(default)]
    pub seed: u64,
}
