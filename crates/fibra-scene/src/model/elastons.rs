//! Settings, material and sampling of method `elastons`.

use super::scene::Vec3;
use super::shape::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Default ratio of sample spacing to piece spacing [-]. It gives several pieces per elaston and several elastons per sample.
const PIECES_PER_SAMPLE: f64 = 5.0;

/// Settings of method `elastons`: a unified meshless method for rods, shells and solids, represented by clouds of small pieces of material
/// [Martin2010].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Elastons {
    /// Distance between neighboring pieces of material, above 0 [m]. It sets the resolution of contact, cuts and display.
    pub spacing: f64,
    /// Distance between neighboring samples, which carry the unknowns, above 0 [m]. Applies to objects that do not set their number of samples.
    /// Default: 5 times `spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_spacing: Option<f64>,
    /// Ratio of sample spacing to elaston spacing, at least 1 [-]. Elastons are the quadrature points at which strain is evaluated. Applies to objects that do
    /// not set their number of elastons. Recommended: 2 to 3. Default: 2.5.
    #[serde(default = "paper_ratio")]
    pub elaston_ratio: f64,
    /// Largest time step, above 0 and at most 0.1 [s]. Default: 0.005.
    #[serde(default = "five_milliseconds")]
    pub dt: f64,
    /// Polynomial degree of the displacement field. Default: `second`.
    #[serde(default)]
    pub order: ElastonOrder,
    /// Support radius of a sample, relative to the mean distance to its neighboring samples, above 1 [-]. In sheets, the cost grows with the fourth
    /// power of this ratio. Default: 1.6.
    #[serde(default = "one_and_six_tenths")]
    pub support: f64,
    /// Mass-proportional (Rayleigh) damping: decay rate of velocity due to air drag, 0 or above [1/s]. Default: 0.
    #[serde(default)]
    pub mass_damping: f64,
    /// Stiffness-proportional (Rayleigh) damping: ratio of damping to elastic stiffness, 0 or above [s]. Default: 0.
    #[serde(default)]
    pub stiffness_damping: f64,
    /// Penalty stiffness of pins, in units of Young's modulus divided by the squared size of a piece, above 0 [-]. A pinned piece deviates from its
    /// target by the elastic displacement across its own size, divided by this number. Default: 1000.
    #[serde(default = "one_thousand")]
    pub hold_stiffness: f64,
    /// Seed of the random numbers used to generate shapes, below 2^63 [-]. Default: 0.
    #[serde(default)]
    pub seed: u64,
    /// Contact of pieces. Default: the defaults of its fields.
    #[serde(default)]
    pub contact: ElastonContact,
    /// Periodic resampling, required for strong plastic flow and cuts. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resampling: Option<ElastonResampling>,
}

fn paper_ratio() -> f64 {
    2.5
}

fn five_milliseconds() -> f64 {
    5e-3
}

fn one_thousand() -> f64 {
    1000.0
}

fn one_and_six_tenths() -> f64 {
    1.6
}

impl Elastons {
    /// Returns the distance between neighboring samples [m].
    pub fn sample_spacing(&self) -> f64 {
        self.sample_spacing.unwrap_or(PIECES_PER_SAMPLE * self.spacing)
    }
}

/// Polynomial degree of the displacement field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ElastonOrder {
    /// 12 unknowns per sample: fast, but too stiff in bending.
    First,
    /// 30 unknowns per sample.
    #[default]
    Second,
}

/// Contact of pieces with colliders and with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElastonContact {
    /// Penalty stiffness of a contact, in units of Young's modulus times the piece size, above 0 [-]. Default: 1.
    pub stiffness: f64,
    /// Coulomb friction coefficient between objects, 0 or above [-]. Against a collider, the collider's coefficient applies. Default: 0.3.
    pub friction: f64,
    /// Whether objects collide with each other and with themselves. Contact with colliders is always on. Default: true.
    pub between_bodies: bool,
}

impl Default for ElastonContact {
    fn default() -> Self {
        ElastonContact { stiffness: 1.0, friction: 0.3, between_bodies: true }
    }
}

/// Periodic resampling during the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElastonResampling {
    /// Time between resamplings, above 0 [s].
    pub interval: f64,
    /// Whether touching parts merge. Default: false.
    #[serde(default)]
    pub merge: bool,
}

/// An elastic material (method `elastons`) for solids, surfaces with a thickness and curves with a cross section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElastonMaterial {
    /// Density at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e6.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Thickness, above 0 [m]. Required for surfaces, which are the midsurface of the material. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Radius of a circular cross section, above 0 [m]. For curves. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Rectangular cross section of curves, instead of `radius`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<RectangularSection>,
    /// Plasticity. Default: purely elastic.
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

/// Rectangular cross section of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RectangularSection {
    /// Side perpendicular to both the curve and `up`, above 0 [m].
    pub width: f64,
    /// Side along `up`, above 0 [m].
    pub height: f64,
    /// Up direction of the cross section, of any nonzero length [-]. Its component along the curve is removed. Default: `[0, 1, 0]`.
    #[serde(default = "up")]
    pub up: Vec3,
}

fn up() -> Vec3 {
    [0.0, 1.0, 0.0]
}

/// Plasticity: yield strain and creep rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElastonPlasticity {
    /// Yield strain: largest elastic strain (von Mises equivalent), above 0 [-].
    pub yield_strain: f64,
    /// Creep rate: rate at which strain beyond the yield strain becomes plastic, above 0 [1/s]. Default: immediately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creep: Option<f64>,
}

/// Sampling resolution of an object (method `elastons`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElastonSampling {
    /// Distance between neighboring pieces, above 0 [m]. Default: `elastons.spacing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Number of samples, at least 1 and at most the number of pieces [-]. Default: set by `elastons.sample_spacing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Number of elastons, at least the number of samples and at most the number of pieces [-]. Default: set by `elastons.elaston_ratio`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elastons: Option<u32>,
    /// Local refinement of samples and elastons. Default: uniform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grading: Option<ElastonGrading>,
}

/// Local refinement of samples and elastons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElastonGrading {
    /// Region of finest sampling.
    pub region: Shape,
    /// Factor by which the spacing is divided in the region, above 1 [-].
    pub factor: f64,
    /// Distance from the region over which the spacing returns to normal, 0 or above [m]. Default: 0.
    #[serde(default)]
    pub reach: f64,
}
