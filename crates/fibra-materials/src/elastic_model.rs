//! The choice of an elastic model for materials with plastic flow.

use crate::Lame;
use crate::anisotropy::{LARGEST_STRAIN, PrincipalStress};
use fibra_core::elementary::exp_m1;
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

    /// Computes the stress for principal Hencky strains, and its derivatives.
    pub(crate) fn principal_stress(self, strain: &[f32; 3], lame: &Lame) -> PrincipalStress {
        let Lame { mu, lambda } = *lame;
        let e = strain.map(|e| e.clamp(-LARGEST_STRAIN, LARGEST_STRAIN));
        let (x, growth) = (e.map(exp_m1), exp_m1(e[0] + e[1] + e[2]));
        let (s, volume) = (x.map(|x| 1.0 + x), 1.0 + growth);
        // (s_i - s_j) / (e_i - e_j) = s_j (e^d - 1) / d with d = e_i - e_j, and the same for the squares.
        let stretch_quotient = |i: usize, j: usize| s[j] * exp_quotient(e[i] - e[j]);
        let shear_quotient = |i: usize, j: usize| {
            2.0 * mu * (2.0 * s[j] * s[j] * exp_quotient(2.0 * (e[i] - e[j])) - stretch_quotient(i, j))
        };
        match self {
            ElasticModel::Hencky => PrincipalStress::linear(strain, lame),
            ElasticModel::FixedCorotated => PrincipalStress::new(
                |i| 2.0 * mu * x[i] * s[i] + lambda * growth * volume,
                |i| 2.0 * mu * (s[i] + x[i]) * s[i],
                |_, _| lambda * (growth + volume) * volume,
                shear_quotient,
            ),
            ElasticModel::CorotatedLinear => {
                let pressure = lambda * (x[0] + x[1] + x[2]);
                PrincipalStress::new(
                    |i| (2.0 * mu * x[i] + pressure) * s[i],
                    |i| 2.0 * mu * (s[i] + x[i]) * s[i] + pressure * s[i],
                    |i, j| lambda * s[i] * s[j],
                    |i, j| shear_quotient(i, j) + pressure * stretch_quotient(i, j),
                )
            }
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

/// Returns `(e^d - 1) / d`.
fn exp_quotient(d: f32) -> f32 {
    if d.abs() < 1e-6 { 1.0 } else { exp_m1(d) / d }
}
