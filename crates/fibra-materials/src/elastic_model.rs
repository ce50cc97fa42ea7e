//! The choice of an elastic model for materials with plastic flow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Elastic model of a material with plastic flow. The models agree for small strains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ElasticModel {
    /// Linear in the logarithmic strain, as for sand [Klar2016].
    Hencky,
    /// Fixed corotated, as for snow [Stomakhin2013].
    FixedCorotated,
    /// Hooke's law under large rotations, as for `corotated-linear`.
    CorotatedLinear,
}

impl ElasticModel {
    /// Returns the number that stands for the model in laws.
    pub fn number(self) -> f32 {
        match self {
            ElasticModel::Hencky => 0.0,
            ElasticModel::FixedCorotated => 1.0,
            ElasticModel::CorotatedLinear => 2.0,
        }
    }

    /// Returns the model with this number.
    pub(crate) fn of_number(number: f32) -> ElasticModel {
        match number {
            0.0 => ElasticModel::Hencky,
            1.0 => ElasticModel::FixedCorotated,
            _ => ElasticModel::CorotatedLinear,
        }
    }
}
