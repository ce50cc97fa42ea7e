//! What objects are made of. Every number has a default, so `material.sand = {}` is sand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an object is made of, written as `material.NAME = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Material {
    /// Jelly: elastic, robust when crushed or inverted.
    FixedCorotated(Elastic),
    /// Rubber: elastic, ever stiffer towards zero volume.
    NeoHookean(Elastic),
    /// Snow: packs, hardens and breaks.
    Snow(Snow),
    /// Sand: Hencky elasticity with a Drucker-Prager yield surface.
    Sand(Sand),
    /// Water and other liquids: weakly compressible.
    Fluid(Fluid),
    /// Whipped cream, toothpaste, mud: elastic up to a yield stress, then flows.
    Goo(Goo),
}

/// An elastic solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Elastic {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
}

impl Default for Elastic {
    fn default() -> Self {
        Elastic { density: 1000.0, youngs_modulus: 1e5, poisson_ratio: 0.3 }
    }
}

/// Snow after [Stomakhin2013].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Snow {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 400.
    pub density: f64,
    /// Young's modulus before hardening, above 0 [Pa]. Default: 1.4e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.2.
    pub poisson_ratio: f64,
    /// Compressive strain at which it packs, 0 or above and below 1 [-]. Default: 0.025.
    pub critical_compression: f64,
    /// Tensile strain at which it breaks, 0 or above [-]. Default: 0.0075.
    pub critical_stretch: f64,
    /// How fast it stiffens when packed and weakens when torn, 0 or above [-]. Default: 10.
    pub hardening: f64,
}

impl Default for Snow {
    fn default() -> Self {
        Snow {
            density: 400.0,
            youngs_modulus: 1.4e5,
            poisson_ratio: 0.2,
            critical_compression: 0.025,
            critical_stretch: 0.0075,
            hardening: 10.0,
        }
    }
}

/// Sand and other grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sand {
    /// Mass per bulk volume at rest, above 0 [kg/m^3]. Default: 1600.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e6.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Angle of internal friction, 0 or above and below 90 [deg]. Default: 35.
    pub friction_angle: f64,
    /// Cohesion, 0 or above; a little makes it damp [Pa]. Default: 0.
    pub cohesion: f64,
    /// Whether grains that came apart close up again without gaining volume [Tampubolon2017]. Default: true.
    pub volume_correction: bool,
}

impl Default for Sand {
    fn default() -> Self {
        Sand {
            density: 1600.0,
            youngs_modulus: 1e6,
            poisson_ratio: 0.3,
            friction_angle: 35.0,
            cohesion: 0.0,
            volume_correction: true,
        }
    }
}

/// A weakly compressible liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fluid {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Bulk modulus at rest, above 0 [Pa]. Real water has 2.2e9; a smaller one allows longer steps, and 100 times the
    /// largest pressure keeps the volume to about 1 %. Default: 1e5.
    pub bulk_modulus: f64,
    /// Exponent of the equation of state p = (bulk_modulus / gamma) (J^-gamma - 1), at least 1 [-]. Default: 7.
    pub gamma: f64,
    /// Dynamic viscosity, 0 or above [Pa s]. Default: 0.001.
    pub viscosity: f64,
}

impl Default for Fluid {
    fn default() -> Self {
        Fluid { density: 1000.0, bulk_modulus: 1e5, gamma: 7.0, viscosity: 0.001 }
    }
}

/// A viscoplastic paste.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Goo {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.4.
    pub poisson_ratio: f64,
    /// Shear stress above which it flows, 0 or above [Pa]. Default: 100.
    pub yield_stress: f64,
    /// Dynamic viscosity of the flow, 0 or above [Pa s]. Default: 10.
    pub viscosity: f64,
}

impl Default for Goo {
    fn default() -> Self {
        Goo { density: 1000.0, youngs_modulus: 1e5, poisson_ratio: 0.4, yield_stress: 100.0, viscosity: 10.0 }
    }
}

impl Material {
    /// Mass per volume at rest [kg/m^3].
    pub fn density(&self) -> f64 {
        match self {
            Material::FixedCorotated(elastic) | Material::NeoHookean(elastic) => elastic.density,
            Material::Snow(snow) => snow.density,
            Material::Sand(sand) => sand.density,
            Material::Fluid(fluid) => fluid.density,
            Material::Goo(goo) => goo.density,
        }
    }
}
