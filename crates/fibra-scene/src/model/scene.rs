//! The scene file as a tree of plain structs, with units and defaults.
//!
//! The doc comments become the descriptions of the JSON schema, so they address the author of a scene.

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

/// A Fibra scene: objects, materials, colliders, initial conditions and duration. SI units throughout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Title, in one line.
    pub title: String,
    /// Simulation method.
    pub method: Method,
    /// Key of the paper the scene reproduces, as in `REFERENCES.bib`, e.g. `Jiang2017`. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
    /// The figure of the paper that the scene reproduces, e.g. `7` or `12 left`. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// Acceleration of gravity [m/s^2]. Default: `[0, -9.81, 0]`.
    #[serde(default = "earth_gravity")]
    pub gravity: Vec3,
    /// Duration and time steps.
    pub time: Time,
    /// Settings of the material point method. Required for method `mpm`; an error with any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mpm: Option<Mpm>,
    /// Settings of method `rods`. Required for this method; an error with any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rods: Option<Rods>,
    /// Settings of method `hair`. Required for this method; an error with any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hair: Option<Hair>,
    /// Settings of method `elastons`. Required for this method; an error with any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elastons: Option<Elastons>,
    /// Walls around the scene. Default: none, space is unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// Simulated objects: one `[[object]]` each. At least one.
    #[serde(rename = "object", default)]
    pub objects: Vec<Object>,
    /// Bodies that the objects collide with: one `[[collider]]` each. Default: none.
    #[serde(rename = "collider", default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<Collider>,
    /// Surfaces that cut the objects (method `elastons`): one `[[blade]]` each. Default: none.
    #[serde(rename = "blade", default, skip_serializing_if = "Vec::is_empty")]
    pub blades: Vec<Blade>,
    /// Camera for rendered pictures. Default: a camera that shows the whole scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
    /// Conditions checked at the end of the run: one `[[expect]]` each. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expect>,
}

fn earth_gravity() -> Vec3 {
    [0.0, -9.81, 0.0]
}

impl Scene {
    /// Returns the names of all referenced files in scene order, without the built-in meshes.
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

    /// Returns the settings of the scene's method, or `None` if their table is missing. Loading rejects such a scene.
    pub fn settings(&self) -> Option<Settings<'_>> {
        match self.method {
            Method::Mpm => self.mpm.as_ref().map(Settings::Mpm),
            Method::Rods => self.rods.as_ref().map(Settings::Rods),
            Method::Hair => self.hair.as_ref().map(Settings::Hair),
            Method::Elastons => self.elastons.as_ref().map(Settings::Elastons),
        }
    }

    /// Returns the resolution of the scene's method [m]: `mpm.dx`, `rods.spacing`, `hair.grid.cell` or `elastons.spacing`. NaN without settings.
    pub fn resolution(&self) -> f64 {
        match self.settings() {
            Some(Settings::Mpm(mpm)) => mpm.dx,
            Some(Settings::Rods(rods)) => rods.spacing,
            Some(Settings::Hair(hair)) => hair.grid.cell,
            Some(Settings::Elastons(elastons)) => elastons.spacing,
            None => f64::NAN,
        }
    }

    /// Returns the default element length [m], for shapes that do not set their own.
    pub fn element_length(&self) -> f64 {
        match self.method {
            Method::Mpm => LENGTH_IN_CELLS * self.resolution(),
            Method::Rods | Method::Hair | Method::Elastons => self.resolution(),
        }
    }

    /// Returns whether the scene has a head that collides with hair and is drawn.
    pub fn head_has_skin(&self) -> bool {
        let styled = |object: &Object| matches!(object.shape, ObjectShape::Curves(CurveShape::Hairstyle(_)));
        let by_default = || self.objects.iter().any(styled);
        self.method == Method::Hair && self.hair.as_ref().is_some_and(|hair| hair.head.skin.unwrap_or_else(by_default))
    }

    /// Returns the seed of the random numbers used to generate shapes.
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

/// Simulation method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The material point method.
    Mpm,
    /// Elastic rods and rigid balls with frictional contact.
    Rods,
    /// Hair: many elastic strands that interact through a grid.
    Hair,
    /// A unified meshless method for rods, shells and solids.
    Elastons,
}

impl Method {
    /// Returns the name in scene files, which is also the name of the settings table.
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
    /// Settings of the material point method.
    Mpm(&'a Mpm),
    /// Settings of method `rods`.
    Rods(&'a Rods),
    /// Settings of method `hair`.
    Hair(&'a Hair),
    /// Settings of method `elastons`.
    Elastons(&'a Elastons),
}

/// Duration and time steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Number of frames to simulate and write after the initial one, at least 1 [-].
    pub frames: u32,
    /// Frames per simulated second, above 0 [1/s]. Default: 24.
    #[serde(default = "film_rate")]
    pub fps: f64,
    /// Largest time step [s] (method `mpm`; the other methods use `rods.dt`, `hair.step` and `elastons.dt`). Default: limited only by stability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_dt: Option<f64>,
    /// Smallest time step [s]: the run stops with an error if stability requires a smaller one (method `mpm`). Default: 1e-7.
    #[serde(default = "shortest_step")]
    pub min_dt: f64,
    /// Courant number of particle motion: the fraction of a cell that a particle may cross per step, above 0 and below 1 (method `mpm`) [-].
    /// Default: 0.4.
    #[serde(default = "courant_number")]
    pub cfl: f64,
    /// Courant number of sound waves: the fraction of a cell that a wave may cross per step, above 0 and below 1 (method `mpm`) [-]. Default: 0.4.
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

/// An axis-aligned box that confines the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// Lower corner [m].
    pub min: Vec3,
    /// Upper corner [m].
    pub max: Vec3,
    /// Contact condition at the walls. Default: `separating`.
    #[serde(default)]
    pub wall: Contact,
    /// Coulomb friction coefficient of the walls, 0 or above [-]. Default: 0.3.
    #[serde(default = "common_friction")]
    pub friction: f64,
}

/// Contact condition between material and a solid surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Contact {
    /// The material moves with the surface. Friction has no effect.
    Sticky,
    /// The material stays on the surface once in contact, and slides with Coulomb friction.
    Slip,
    /// The material may separate at any time, and slides with Coulomb friction while in contact.
    #[default]
    Separating,
}

pub(crate) fn common_friction() -> f64 {
    0.3
}

/// A simulated object of one material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Name, unique among objects: lower-case letters, digits and hyphens.
    pub name: String,
    /// Initial shape: a solid, a surface, curves or a point cloud, depending on the material.
    pub shape: ObjectShape,
    /// Material of the object.
    pub material: Material,
    /// Anisotropy of the material (method `mpm`). Default: isotropic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anisotropy: Option<Anisotropy>,
    /// Initial velocity [m/s]. Not available for hair. Default: at rest.
    #[serde(default)]
    pub velocity: Vec3,
    /// Initial angular velocity about the center of the shape [rad/s]. Not available for rods and hair. Default: no rotation.
    #[serde(default)]
    pub angular_velocity: Vec3,
    /// Name of the body that the object belongs to (method `elastons`): objects of one body are connected where they touch initially. Default: a body
    /// of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Sampling resolution (method `elastons`). Default: set by the table `elastons`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<ElastonSampling>,
    /// Pinned vertices of cloth and fibers, ends of rods and pieces of elastons: one `[[object.pin]]` per region. Default: none.
    #[serde(rename = "pin", default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// External forces on ends of rods: one `[[object.pull]]` per region. Default: none.
    #[serde(rename = "pull", default, skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<Pull>,
    /// Displays a solid of method `mpm` as grains. Default: the particles are displayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grains: Option<Grains>,
    /// Color in pictures: linear red, green, blue, 0 to 1 [-]. Default: chosen by the renderer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Vec3>,
}

impl Object {
    /// Estimates the amount of material of the object as far as known before generation. `length` [m] is the default element length.
    pub(crate) fn amount(&self, length: f64) -> Amount {
        let amount = self.shape.amount(length);
        Amount { grain_volume: self.grains_per_particle() * amount.volume, ..amount }
    }

    /// Returns the number of display grains per particle [-].
    pub fn grains_per_particle(&self) -> f64 {
        self.grains.map_or(0.0, |grains| f64::from(grains.per_particle))
    }
}

/// Camera for rendered pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// Position of the camera [m].
    pub eye: Vec3,
    /// The point at which the camera looks [m].
    pub target: Vec3,
    /// Vertical angle of view, above 0 and below 180 [deg]. Default: 35.
    #[serde(default = "portrait_lens")]
    pub fov_degrees: f64,
}

fn portrait_lens() -> f64 {
    35.0
}
