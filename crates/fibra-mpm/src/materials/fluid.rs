//! A weakly compressible liquid: Tait's equation of state and Newtonian viscosity.

use crate::law::{Law, Response, Trial};
use fibra_core::elementary::{exp, ln};
use fibra_core::mat3::Mat3;

/// `p = K/gamma (J^-gamma - 1)`, never below zero: a liquid at a free surface does not pull. The law's scalar is the
/// volume ratio `J`; `F` stays the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fluid {
    /// Bulk modulus `K` [Pa].
    pub bulk_modulus: f32,
    /// Exponent of the equation of state [-].
    pub gamma: f32,
    /// Dynamic viscosity [Pa s].
    pub viscosity: f32,
}

impl Fluid {
    /// `J` is held in this interval. The upper bound makes spray that falls back press again at once instead of after
    /// the expansion it saw in flight; the lower one keeps the stiffening finite.
    pub const VOLUME: [f32; 2] = [0.3, 1.02];
}

impl Law for Fluid {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        let rate = trial.grad_v.trace();
        let j = trial.memory * (1.0 + trial.dt * rate);
        let j = j.clamp(Fluid::VOLUME[0], Fluid::VOLUME[1]);
        let stiffening = exp(-self.gamma * ln(j));
        let pressure = f32::max(self.bulk_modulus / self.gamma * (stiffening - 1.0), 0.0);
        // tau = J (-p I + 2 eta dev D)
        let shear = 2.0 * self.viscosity * j;
        let d = trial.grad_v.symmetric_part();
        Response {
            f: Mat3::IDENTITY,
            tau: d.combine(shear, &d, 0.0).add_isotropic(-j * pressure - shear * rate / 3.0),
            memory: j,
            modulus: self.bulk_modulus * stiffening * j,
        }
    }

    /// Work stored in compression: the integral of `p` from `J` to 1.
    fn energy(&self, _f: &Mat3, j: f32) -> f32 {
        let j = f32::min(j, 1.0);
        let g = self.gamma - 1.0;
        let work = if g.abs() < 1e-3 { -ln(j) } else { (exp(-g * ln(j)) - 1.0) / g };
        self.bulk_modulus / self.gamma * (work + j - 1.0)
    }

    fn initial_memory(&self) -> f32 {
        1.0
    }

    fn volume_ratio(&self, _f: &Mat3, j: f32) -> f32 {
        j
    }
}
