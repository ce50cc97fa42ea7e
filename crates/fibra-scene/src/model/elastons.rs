//! Settings of the method `elastons`, what its objects are made of, and how finely they are sampled.

use super::scene::Vec3;
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Distance between samples over that between pieces, unless the scene says [-]: some pieces for each elaston, and some elastons for
/// each sample.
const PIECES_PER_SAMPLE: f64 = 5.0;

/// Settings of the method `elastons`: rods, shells and solids alike, as clouds of small pieces of material [Martin2010].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Elastons {
    /// Distance between neighboring pieces of material, above 0 [m]. Contact, cuts and what is drawn are as fine as this.
    pub spacing: f64,
    /// Distance between neighboring samples, which carry the unknowns, above 0; for objects that do not say how many they have [m].
    /// Default: 5 times `spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_spacing: Option<f64>,
    /// Distance between samples over that between elastons, which measure strain, at least 1; for objects that do not say how many
    /// they have [-]. 2 to 3 is best. Default: 2.5.
    #[serde(default = "paper_ratio")]
    pub elaston_ratio: f64,
    /// Longest time step, above 0 and at most 0.1 [s]. Default: 0.005.
    #[serde(default = "five_milliseconds")]
    pub dt: f64,
    /// Degree of the polynomials that displacements are made of. Default: `second`.
    #[serde(default)]
    pub order: ElastonOrder,
    /// Radius in which a sample has influence, in mean distances from the samples around it, above 1 [-]. Costs grow with its fourth power in sheets. Default: 1.6.
    #[serde(default = "one_and_six_tenths")]
    pub support: f64,
    /// Rate at which motion dies in still air, 0 or above [1/s]. Default: 0.
    #[serde(default)]
    pub mass_damping: f64,
    /// Time over which rates of strain are resisted as strongly as strain, 0 or above [s]. Default: 0.
    #[serde(default)]
    pub stiffness_damping: f64,
    /// Seed of the random numbers that shapes are made with, below 2^63 [-]. Default: 0.
    #[serde(default)]
    pub seed: u64,
    /// How pieces touch. Default: as its fields say.
    #[serde(default)]
    pub contact: ElastonContact,
    /// Sampling anew while running, which strong plastic flow and cuts need. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resampling: Option<ElastonResampling>,
}

fn paper_ratio() -> f64 {
    2.5
}

fn five_milliseconds() -> f64 {
    5e-3
}

fn one_and_six_tenths() -> f64 {
    1.6
}

impl Elastons {
    /// Distance between neighboring samples [m].
    pub fn sample_spacing(&self) -> f64 {
        self.sample_spacing.unwrap_or(PIECES_PER_SAMPLE * self.spacing)
    }
}

/// Degree of the polynomials that displacements are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ElastonOrder {
    /// 12 unknowns per sample: quick, and too stiff in bending.
    First,
    /// 30 unknowns per sample.
    #[default]
    Second,
}

/// How pieces touch colliders and each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElastonContact {
    /// Stiffness of a contact, in units of Young's modulus times the size of a piece, above 0 [-]. Default: 1.
    pub stiffness: f64,
    /// Coulomb friction coefficient between objects, 0 or above; against a collider the collider's own counts [-]. Default: 0.3.
    pub friction: f64,
    /// Whether objects touch themselves and each other; colliders they touch always. Default: true.
    pub between_bodies: bool,
}

impl Default for ElastonContact {
    fn default() -> Self {
        ElastonContact { stiffness: 1.0, friction: 0.3, between_bodies: true }
    }
}

/// Sampling anew while running.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElastonResampling {
    /// Time from one to the next, above 0 [s].
    pub interval: f64,
    /// Whether what touches becomes one. Default: false.
    #[serde(default)]
    pub merge: bool,
}

/// An elastic material (method `elastons`): of solids, of surfaces with a thickness and of curves with a section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElastonMaterial {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e6.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Thickness, above 0; needed where the shape is a surface, which is the middle of the material [m]. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Radius of a round section, above 0; where the shape is made of curves [m]. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// A rectangular section, instead of `radius`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<RectangularSection>,
    /// When and how quickly strain becomes permanent. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<ElastonPlasticity>,
}

impl Default for ElastonMaterial {
    fn default() -> Self {
        ElastonMaterial {
            density: 1000.0,
            youngs_modulus: 1e6,
            poisson_ratio: 0.3,
            thickness: None,
            radius: None,
            section: None,
            plasticity: None,
        }
    }
}

/// A rectangular section of a wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RectangularSection {
    /// The side across both the wire and the way up, above 0 [m].
    pub width: f64,
    /// The side along the way up, above 0 [m].
    pub height: f64,
    /// The way up, of any length but 0; what of it is along the wire does not count [-]. Default: `[0, 1, 0]`.
    #[serde(default = "up")]
    pub up: Vec3,
}

fn up() -> Vec3 {
    [0.0, 1.0, 0.0]
}

/// When and how quickly strain becomes permanent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElastonPlasticity {
    /// Elastic strain (von Mises's) up to which nothing yields, above 0 [-].
    pub yield_strain: f64,
    /// Rate at which strain beyond it becomes permanent, above 0 [1/s]. Default: at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creep: Option<f64>,
}

/// How finely an object is sampled (method `elastons`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElastonSampling {
    /// Distance between neighboring pieces, above 0 [m]. Default: `elastons.spacing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Number of samples, at least 1 and at most that of the pieces [-]. Default: as `elastons.sample_spacing` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Number of elastons, at least that of the samples and at most that of the pieces [-]. Default: as `elastons.elaston_ratio` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elastons: Option<u32>,
    /// Where samples and elastons are closer together. Default: they are spread evenly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grading: Option<ElastonGrading>,
}

/// Where samples and elastons are closer together than elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElastonGrading {
    /// Where they are closest.
    pub region: Shape,
    /// How many times closer they are there, above 1 [-].
    pub factor: f64,
    /// Distance from the region over which they become as far apart as elsewhere, 0 or above [m]. Default: 0.
    #[serde(default)]
    pub reach: f64,
}
