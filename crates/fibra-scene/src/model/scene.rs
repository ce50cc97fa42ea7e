//! The scene file as a tree of plain structs: what a user may write, with its units and defaults.
//!
//! The doc comments here become the JSON schema, so they speak to whoever writes a scene.

use super::curve::CurveShape;
use super::memory::Amount;
use super::object_shape::LENGTH_IN_CELLS;
use super::{
    Anisotropy, Blade, Collider, ElastonSampling, Elastons, Expect, Grains, Hair, Material, Mpm, ObjectShape, Pin,
    Pull, Rods,
};
use crate::load::builtin::MESH_PREFIX;
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
    /// Settings of the material point method. Needed for method `mpm`, and for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mpm: Option<Mpm>,
    /// Settings of the method `rods`. Needed for it, and for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rods: Option<Rods>,
    /// Settings of the method `hair`. Needed for it, and for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hair: Option<Hair>,
    /// Settings of the method `elastons`. Needed for it, and for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elastons: Option<Elastons>,
    /// The walls around everything. Default: none, space is unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// What is simulated: one `[[object]]` per body. At least one.
    #[serde(rename = "object", default)]
    pub objects: Vec<Object>,
    /// What the objects bump into: one `[[collider]]` per rigid body. Default: none.
    #[serde(rename = "collider", default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<Collider>,
    /// What cuts the objects (method `elastons`): one `[[blade]]` per surface. Default: nothing.
    #[serde(rename = "blade", default, skip_serializing_if = "Vec::is_empty")]
    pub blades: Vec<Blade>,
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
            let pulls = object.pulls.iter_mut().map(|pull| pull.region.file_mut());
            let bangs = object.material.bangs_mut().map(|bangs| bangs.region.file_mut());
            let anisotropy = object.anisotropy.iter_mut().flat_map(|anisotropy| anisotropy.files_mut().map(Some));
            let grading = object.sampling.iter_mut().flat_map(|sampling| sampling.grading.as_mut());
            let grading = grading.map(|grading| grading.region.file_mut());
            [object.shape.file_mut()].into_iter().chain(pins).chain(pulls).chain(bangs).chain(anisotropy).chain(grading)
        });
        let head = self.hair.iter_mut().map(|hair| hair.head.motion.file_mut());
        let colliders = self.colliders.iter_mut().flat_map(|c| [c.shape.file_mut(), c.motion.file_mut()]);
        let blades = self.blades.iter_mut().flat_map(|b| [b.shape.file_mut(), b.motion.file_mut()]);
        objects.chain(head).chain(colliders).chain(blades).flatten().filter(|file| !file.starts_with(MESH_PREFIX))
    }

    /// The settings of its method; none when their table is missing, which loading refuses.
    pub fn settings(&self) -> Option<Settings<'_>> {
        match self.method {
            Method::Mpm => self.mpm.as_ref().map(Settings::Mpm),
            Method::Rods => self.rods.as_ref().map(Settings::Rods),
            Method::Hair => self.hair.as_ref().map(Settings::Hair),
            Method::Elastons => self.elastons.as_ref().map(Settings::Elastons),
        }
    }

    /// The length that its method resolves [m]: `mpm.dx`, `rods.spacing`, `hair.grid.cell` or `elastons.spacing`; not a number without settings.
    pub fn resolution(&self) -> f64 {
        match self.settings() {
            Some(Settings::Mpm(mpm)) => mpm.dx,
            Some(Settings::Rods(rods)) => rods.spacing,
            Some(Settings::Hair(hair)) => hair.grid.cell,
            Some(Settings::Elastons(elastons)) => elastons.spacing,
            None => f64::NAN,
        }
    }

    /// Length of the elements of shapes that do not say [m].
    pub fn element_length(&self) -> f64 {
        match self.method {
            Method::Mpm => LENGTH_IN_CELLS * self.resolution(),
            Method::Rods | Method::Hair | Method::Elastons => self.resolution(),
        }
    }

    /// Whether there is a head that keeps hair out, and is drawn.
    pub fn head_has_skin(&self) -> bool {
        let styled = |object: &Object| matches!(object.shape, ObjectShape::Curves(CurveShape::Hairstyle(_)));
        let by_default = || self.objects.iter().any(styled);
        self.method == Method::Hair && self.hair.as_ref().is_some_and(|hair| hair.head.skin.unwrap_or_else(by_default))
    }

    /// Seed of the random numbers that shapes are made with.
    pub fn seed(&self) -> u64 {
        match self.settings() {
            Some(Settings::Mpm(mpm)) => mpm.seed,
            Some(Settings::Rods(rods)) => rods.seed,
            Some(Settings::Hair(hair)) => hair.seed,
            Some(Settings::Elastons(elastons)) => elastons.seed,
            None => 0,
        }
    }
}

/// The methods a scene can be simulated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The material point method.
    Mpm,
    /// Elastic rods and rigid balls in contact.
    Rods,
    /// Hair: many elastic strands, and a grid between them.
    Hair,
    /// Rods, shells and solids alike, from clouds of material.
    Elastons,
}

impl Method {
    /// Its name in scenes, and that of the table of its settings.
    pub fn name(self) -> &'static str {
        match self {
            Method::Mpm => "mpm",
            Method::Rods => "rods",
            Method::Hair => "hair",
            Method::Elastons => "elastons",
        }
    }
}

/// The settings of a scene's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Settings<'a> {
    /// Of the material point method.
    Mpm(&'a Mpm),
    /// Of the method `rods`.
    Rods(&'a Rods),
    /// Of the method `hair`.
    Hair(&'a Hair),
    /// Of the method `elastons`.
    Elastons(&'a Elastons),
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
    /// Longest time step [s] (method `mpm`; rods have `rods.dt`, hair has `hair.step`, elastons have `elastons.dt`). Default: no limit beyond the stability limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_dt: Option<f64>,
    /// Shortest time step [s]: the run stops with a message when stability asks for less (method `mpm`). Default: 1e-7.
    #[serde(default = "shortest_step")]
    pub min_dt: f64,
    /// Cells a particle may cross in one step, above 0 and below 1 (method `mpm`) [-]. Default: 0.4.
    #[serde(default = "courant_number")]
    pub cfl: f64,
    /// Cells a sound wave may cross in one step, above 0 and below 1 (method `mpm`) [-]. Default: 0.4.
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

pub(crate) fn common_friction() -> f64 {
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
    /// How its material differs with direction (method `mpm`). Default: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anisotropy: Option<Anisotropy>,
    /// Velocity at the start [m/s]; hair has none. Default: at rest.
    #[serde(default)]
    pub velocity: Vec3,
    /// Angular velocity at the start, about the center of the shape [rad/s]; rods and hair have none. Default: no rotation.
    #[serde(default)]
    pub angular_velocity: Vec3,
    /// The body it is a part of (method `elastons`): objects of one body hang together where they touch at the start. Default: a body of
    /// its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// How finely it is sampled (method `elastons`). Default: as the table `elastons` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<ElastonSampling>,
    /// What holds vertices of cloth and fibers, ends of rods and pieces of elastons: one `[[object.pin]]` per region. Default: nothing.
    #[serde(rename = "pin", default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// What pulls at ends of rods: one `[[object.pull]]` per region. Default: nothing.
    #[serde(rename = "pull", default, skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<Pull>,
    /// Draws a solid of method `mpm` as grains. Default: as its particles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grains: Option<Grains>,
    /// Color in pictures: red, green, blue, linear, 0 to 1 [-]. Default: chosen by the renderer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Vec3>,
}

impl Object {
    /// About how much it is, where that is known before it is made, with elements of `length` [m] unless it says.
    pub(crate) fn amount(&self, length: f64) -> Amount {
        let amount = self.shape.amount(length);
        Amount { grain_volume: self.grains_per_particle() * amount.volume, ..amount }
    }

    /// Grains that are drawn for each of its particles [-].
    pub fn grains_per_particle(&self) -> f64 {
        self.grains.map_or(0.0, |grains| f64::from(grains.per_particle))
    }
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
