//! A weakly compressible liquid: Tait's equation of state and Newtonian viscosity.

use super::cofactor::{cofactor_change, inner};
use crate::law::{Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::elementary::{exp, ln};
use fibra_core::mat3::Mat3;

/// `p = K/gamma (J^-gamma - 1)`, never below zero: a liquid at a free surface does not pull. The law's scalar is the
/// volume ratio `J`; `F` stays the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
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
    pub const VOLUME: [f32; 2] = [Fluid::LEAST, Fluid::MOST];
    const LEAST: f32 = 0.3;
    const MOST: f32 = 1.02;

    /// `J` where the equation of state is evaluated for the energy: not where it would pull, nor below its interval.
    #[inline(always)]
    fn held(j: f32) -> f32 {
        let low = if j < Fluid::LEAST { Fluid::LEAST } else { j };
        if low > 1.0 { 1.0 } else { low }
    }

    /// First and second derivative of the energy by `J`: `-p` and `K J^(-gamma - 1)`; below its interval the energy goes on
    /// as a tangent, above 1 it is flat.
    #[inline(always)]
    fn slopes(&self, j: f32) -> (f32, f32) {
        let held = Fluid::held(j);
        let stiffening = exp(-self.gamma * ln(held));
        let bend = self.bulk_modulus * stiffening / held;
        (-self.bulk_modulus / self.gamma * (stiffening - 1.0), if held == j { bend } else { 0.0 })
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Fluid {
    /// What [`Law::respond`] answers.
    #[inline(always)]
    pub fn answer(&self, trial: &Trial) -> Response {
        let rate = trial.grad_v.trace();
        let j = trial.memory * (1.0 + trial.dt * rate);
        let j = f32::clamp(j, Fluid::LEAST, Fluid::MOST);
        let stiffening = exp(-self.gamma * ln(j));
        let pressure = f32::max(self.bulk_modulus / self.gamma * (stiffening - 1.0), 0.0);
        // tau = J (-p I + 2 eta dev D)
        let shear = 2.0 * self.viscosity * j;
        let d = trial.grad_v.symmetric_part();
        Response {
            f: Mat3::diagonal(1.0, 1.0, 1.0),
            tau: d.combine(shear, &d, 0.0).add_isotropic(-j * pressure - shear * rate / 3.0),
            memory: j,
            modulus: self.bulk_modulus * stiffening * j,
        }
    }
}

impl Law for Fluid {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.answer(trial)
    }

    /// Work stored in compression: the integral of `p` from `J` to 1, `J` the scalar times `det f`. In a state `f` is the
    /// identity; within an implicit step it is the change since the last one. Viscous stress is not part of it.
    #[inline(always)]
    fn energy(&self, f: &Mat3, j: f32) -> f32 {
        let j = j * f.det();
        let held = Fluid::held(j);
        let g = self.gamma - 1.0;
        let work = if g.abs() < 1e-3 { -ln(held) } else { (exp(-g * ln(held)) - 1.0) / g };
        self.bulk_modulus / self.gamma * (work + held - 1.0) + self.slopes(j).0 * (f32::min(j, 1.0) - held)
    }

    #[inline(always)]
    fn piola(&self, f: &Mat3, j: f32) -> Mat3 {
        f.cofactor().scale(self.slopes(j * f.det()).0 * j)
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, j: f32, change: &Mat3) -> Mat3 {
        let (slope, bend) = self.slopes(j * f.det());
        let volume = f.cofactor();
        volume.scale(bend * j * j * inner(&volume, change)).add(&cofactor_change(f, change).scale(slope * j))
    }

    fn initial_memory(&self) -> f32 {
        1.0
    }

    fn volume_ratio(&self, _f: &Mat3, j: f32) -> f32 {
        j
    }
}
