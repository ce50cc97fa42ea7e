//! Rigid bodies that objects bump into, and how they move.

use super::figure::FigurePart;
use super::scene::{Contact, Vec3, common_friction};
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rigid body that objects bump into. It moves as told and feels no force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// Name, unique among colliders: lower-case letters, digits and hyphens.
    pub name: String,
    /// Its shape at the start.
    pub shape: Shape,
    /// How it moves. Default: `still`.
    #[serde(default)]
    pub motion: Motion,
    /// How material meets its surface. Default: `separating`.
    #[serde(default)]
    pub contact: Contact,
    /// Coulomb friction coefficient, 0 or above [-]. Default: 0.3.
    #[serde(default = "common_friction")]
    pub friction: f64,
    /// Color in pictures: red, green, blue, linear, 0 to 1 [-]. Default: chosen by the renderer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Vec3>,
    /// Whether it is drawn in pictures. Default: true.
    #[serde(default = "seen")]
    pub visible: bool,
}

fn seen() -> bool {
    true
}

/// How a collider or a pin moves, written as `motion = "still"` or `motion.NAME = { ... }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// It does not move.
    #[default]
    Still,
    /// Through given poses at given times, straight in between.
    Keyframes(Keyframes),
    /// Turns about an axis at a constant rate, and may drift.
    Spin(Spin),
    /// Follows poses from a file.
    Recorded(Recorded),
    /// Moves as a part of a dancing figure.
    Dance(Dance),
    /// Goes smoothly through poses drawn at random.
    Random(RandomPoses),
}

impl Motion {
    /// Whether it is none.
    pub fn is_still(&self) -> bool {
        *self == Motion::Still
    }

    /// The file it is read from, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Motion::Recorded(recorded) => Some(&mut recorded.file),
            _ => None,
        }
    }
}

/// Poses at given times, relative to the shape as written. Before the first and after the last it stands still.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframes {
    /// Times, each later than the one before [s].
    pub times: Vec<f64>,
    /// How far the shape has moved by each time [m].
    pub translations: Vec<Vec3>,
    /// Rotation about the shape's center by each time: angles about the fixed x, then y, then z axis [deg].
    /// Default: no rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotations_degrees: Option<Vec<Vec3>>,
    /// The same as quaternions x, y, z, w of any length but 0 [-]; instead of `rotations_degrees`. Default: no rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotations: Option<Vec<[f64; 4]>>,
}

/// Turning about an axis at a constant rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spin {
    /// Direction of the axis, of any length but 0 [-].
    pub axis: Vec3,
    /// Rate of turning, counterclockwise seen from the tip of the axis [rad/s].
    pub rate: f64,
    /// A point on the axis at the start [m]. Default: the center of the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<Vec3>,
    /// Velocity with which everything, axis included, drifts [m/s]. Default: none.
    #[serde(default)]
    pub velocity: Vec3,
}

/// Poses from a file, relative to the shape as written, straight in between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// A text file, relative to the scene file's folder, with one pose `x,y,z,qx,qy,qz,qw` per line: translation [m] and
    /// rotation about the shape's center as a unit quaternion [-]. Lines that start with `#` are comments.
    pub file: String,
    /// Poses per second; the first is at time 0 [1/s].
    pub fps: f64,
}

/// A dance of the built-in figure, which begins at rest and repeats every 16 s. The body moves as one part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dance {
    /// The part of the figure that the body is, or is fixed to. Leave it out for a whole figure. Default: `head`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<FigurePart>,
    /// How fast it is danced, 0 or above; 1 is 120 beats per minute [-]. Default: 1.
    #[serde(default = "usual_rate")]
    pub rate: f64,
    /// Where the figure stands: the middle between its feet [m]. Leave it out for a whole figure. Default: such that
    /// the center of the shape is that of the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feet: Option<Vec3>,
}

fn usual_rate() -> f64 {
    1.0
}

/// Poses drawn at random, relative to the shape as written. The body starts in its place and rests in each pose for an
/// instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomPoses {
    /// Time from each pose to the next, above 0 [s].
    pub interval: f64,
    /// How far it may move along x, y and z, each 0 or above [m].
    pub reach: Vec3,
    /// How far it may turn about its center: the largest rotation vector (axis times angle) along x, y and z, each 0 or
    /// above [deg]. Default: it does not turn.
    #[serde(default)]
    pub turn_degrees: Vec3,
    /// Chooses the poses [-]. Default: 0.
    #[serde(default)]
    pub seed: u64,
}
