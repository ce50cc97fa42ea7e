//! The scene file as a tree of plain structs: what a user may write, with its units and defaults.
//!
//! The doc comments here become the JSON schema, so they speak to whoever writes a scene.

use super::builtin::MESH_PREFIX;
use super::{Collider, Expect, Material, Mpm, ObjectShape, Pin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point, a direction or an extent: x, y, z. The y axis points up.
pub type Vec3 = [f64; 3];

/// A Fibra scene: what there is, what it is made of, how it is set in motion and how long to watch. SI units throughout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What the scene shows, in one line.
    pub title: String,
    /// The method that simulates it.
    pub method: Method,
    /// Key of the paper the scene reproduces, as in `REFERENCES.bib`, e.g. `Jiang2017`. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
    /// The figure of that paper, e.g. `7` or `12 left`. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// Gravity [m/s^2]. Default: `[0, -9.81, 0]`.
    #[serde(default = "earth_gravity")]
    pub gravity: Vec3,
    /// How long to simulate and in what steps.
    pub time: Time,
    /// Settings of the material point method.
    pub mpm: Mpm,
    /// The walls around everything. Default: none, space is unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// What is simulated: one `[[object]]` per body. At least one.
    #[serde(rename = "object", default)]
    pub objects: Vec<Object>,
    /// What the objects bump into: one `[[collider]]` per rigid body. Default: none.
    #[serde(rename = "collider", default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<Collider>,
    /// Where the pictures are taken from. Default: chosen so that everything is in view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
    /// What must hold at the end of the run: one `[[expect]]` per claim. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expect>,
}

fn earth_gravity() -> Vec3 {
    [0.0, -9.81, 0.0]
}

impl Scene {
    /// The names of the files it is read from, in its order; what comes with Fibra is no file.
    pub fn files_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let objects = self.objects.iter_mut().flat_map(|object| {
            let pins = object.pins.iter_mut().flat_map(|pin| [pin.region.file_mut(), pin.motion.file_mut()]);
            [object.shape.file_mut()].into_iter().chain(pins)
        });
        let colliders = self.colliders.iter_mut().flat_map(|c| [c.shape.file_mut(), c.motion.file_mut()]);
        objects.chain(colliders).flatten().filter(|file| !file.starts_with(MESH_PREFIX))
    }
}

/// The methods a scene can be simulated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The material point method.
    Mpm,
}

/// How long to simulate and in what steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Number of frames to simulate and write after the start, at least 1 [-].
    pub frames: u32,
    /// Frames per simulated second [1/s]. Default: 24.
    #[serde(default = "film_rate")]
    pub fps: f64,
    /// Longest time step [s]. Default: no limit beyond the stability limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_dt: Option<f64>,
    /// Shortest time step [s]: the run stops with a message when stability asks for less. Default: 1e-7.
    #[serde(default = "shortest_step")]
    pub min_dt: f64,
    /// Cells a particle may cross in one step, above 0 and below 1 [-]. Default: 0.4.
    #[serde(default = "courant_number")]
    pub cfl: f64,
    /// Cells a sound wave may cross in one step, above 0 and below 1 [-]. Default: 0.4.
    #[serde(default = "courant_number")]
    pub sound_cfl: f64,
}

fn film_rate() -> f64 {
    24.0
}

fn shortest_step() -> f64 {
    1e-7
}

fn courant_number() -> f64 {
    0.4
}

/// The box that everything stays in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// Lower corner [m].
    pub min: Vec3,
    /// Upper corner [m].
    pub max: Vec3,
    /// How material meets the walls. Default: `separating`.
    #[serde(default)]
    pub wall: Contact,
    /// Coulomb friction coefficient of the walls [-]. Default: 0.3.
    #[serde(default = "common_friction")]
    pub friction: f64,
}

/// How material meets a solid surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Contact {
    /// Moves with the surface; friction plays no part.
    Sticky,
    /// Stays on the surface once it touches, and slides against Coulomb friction.
    Slip,
    /// May leave the surface at any time, and slides against Coulomb friction while it touches.
    #[default]
    Separating,
}

pub(super) fn common_friction() -> f64 {
    0.3
}

/// A body of one material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Name, unique among objects: lower-case letters, digits and hyphens.
    pub name: String,
    /// What it is at the start: a solid, a surface or curves, as its material needs.
    pub shape: ObjectShape,
    /// What it is made of.
    pub material: Material,
    /// Velocity at the start [m/s]. Default: at rest.
    #[serde(default)]
    pub velocity: Vec3,
    /// Angular velocity at the start, about the centre of the shape [rad/s]. Default: no rotation.
    #[serde(default)]
    pub angular_velocity: Vec3,
    /// What holds vertices of cloth and fibres: one `[[object.pin]]` per region. Default: nothing.
    #[serde(rename = "pin", default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// Colour in pictures: red, green, blue, linear, 0 to 1 [-]. Default: chosen by the renderer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Vec3>,
}

/// Where the pictures are taken from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// Position of the eye [m].
    pub eye: Vec3,
    /// The point it looks at [m].
    pub target: Vec3,
    /// Vertical angle of view, above 0 and below 180 [deg]. Default: 35.
    #[serde(default = "portrait_lens")]
    pub fov_degrees: f64,
}

fn portrait_lens() -> f64 {
    35.0
}
