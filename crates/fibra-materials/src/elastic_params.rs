//! Parameters shared by all purely elastic solids.

use super::Lame;
use super::model::{ElasticModuli, Finish, Look, MaterialParams};
use super::parameters::ParameterCheck;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of an elastic solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Elastic")]
pub struct ElasticParams {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
}

impl Default for ElasticParams {
    fn default() -> Self {
        ElasticParams { density: 1000.0, youngs_modulus: 1e5, poisson_ratio: 0.3 }
    }
}

impl ElasticParams {
    /// Appearance of elastic solids.
    pub(super) const LOOK: Look = Look { particle_radius: 0.75, finish: Finish::Jelly, variation: 0.0 };

    /// Returns the elastic constants.
    pub(super) fn lame(&self) -> Lame {
        Lame::new(self.youngs_modulus, self.poisson_ratio)
    }
}

impl MaterialParams for ElasticParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.elastic(self.density, self.youngs_modulus, self.poisson_ratio);
    }
}

impl ElasticModuli for ElasticParams {
    fn moduli(&self) -> [f64; 2] {
        [self.youngs_modulus, self.poisson_ratio]
    }
}
