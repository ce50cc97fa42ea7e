//! Slime: a viscoelastic liquid (Oldroyd-B), a Maxwell fluid under finite strain plus a Newtonian solvent.

use super::fluid::Fluid;
use super::model::{Finish, Look, MaterialModel, MaterialParams};
use super::neo_hookean::NeoHookean;
use super::parameters::ParameterCheck;
use super::{Lame, flow::flow};
use crate::law::{ImplicitLaw, Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{LeftSvd, left_svd};
use fibra_core::elementary::pick;
use fibra_core::mat3::{Diag3, Mat3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `tau = G (b - I) + tau_liquid`: the elastic left Cauchy-Green tensor `b = F F^T` moves with the flow and relaxes,
/// `upper-convected db/dt = -(b - I) / lambda` [Oldroyd1950]; the liquid is a [`Fluid`]. The internal variable is the ratio of the volume
/// ratio to `det F`, because `F` relaxes and the volume does not.
///
/// In steady shear at the rate `g`, `tau_xy = (G lambda + eta_s) g` and `tau_xx - tau_yy = 2 G lambda^2 g^2`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Slime {
    /// Shear modulus `G` [Pa].
    pub shear_modulus: f32,
    /// Relaxation time `lambda` [s].
    pub relaxation_time: f32,
    /// Solvent and equation of state.
    pub liquid: Fluid,
}

/// Smallest elastic stretch; flatter particles count as crushed.
const SMALLEST_STRETCH: f32 = 0.05;

/// Determinant of `F` if all stretches are smallest.
const SMALLEST_VOLUME: f32 = SMALLEST_STRETCH * SMALLEST_STRETCH * SMALLEST_STRETCH;

/// Returns the relative change of a stretch that takes its square toward 1. With backward Euler, `b' = b - (dt / lambda) (b' - 1)`, the steady
/// viscosity is exact for any step: `keep = 1 / (1 + dt / lambda)`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn relaxation(s: f32, keep: f32) -> f32 {
    let size = f32::max(f32::abs(s), SMALLEST_STRETCH);
    let square = size * size - 1.0;
    // sqrt(1 + keep q) / sqrt(1 + q) - 1, without cancellation for small q = s^2 - 1.
    let relaxed = f32::sqrt(1.0 + keep * square);
    let change = (keep - 1.0) * square / (size * (relaxed + size));
    // Crushed stretches are raised, inverted ones reflected.
    let raised = size / f32::max(f32::abs(s), 1e-6);
    let sound = f32::abs(s) >= SMALLEST_STRETCH && s > 0.0;
    pick(sound, change, pick(s < 0.0, -raised, raised) * (1.0 + change) - 1.0)
}

#[cfg_attr(feature = "gpu", cube)]
impl Slime {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let LeftSvd { u, sigma } = left_svd(&trial.f);
        let keep = self.relaxation_time / (self.relaxation_time + trial.dt);
        let change = Diag3 { x: relaxation(sigma.x, keep), y: relaxation(sigma.y, keep), z: relaxation(sigma.z, keep) };
        let f = flow(&trial.f, &u, &change);
        let b = f.gram_rows();
        let j = self.liquid.clamp(trial.memory * trial.f.det());
        let liquid = self.liquid.respond_at(j, &trial.grad_v);
        Response {
            f,
            tau: b.combine(self.shear_modulus, &liquid.tau, 1.0).add_isotropic(-self.shear_modulus),
            // The bound keeps the variable finite if `F` is zero.
            memory: j / f32::max(f.det(), SMALLEST_VOLUME),
            modulus: liquid.modulus + self.shear_modulus * (1.0 + f32::max(1.0, b.eigenvalue_bound())),
        }
    }
}

impl Slime {
    /// Returns the elastic part: `G/2 (tr b - 3 - ln det b)`, a neo-Hookean solid without resistance to changes of volume.
    fn elastic(&self) -> NeoHookean {
        NeoHookean { lame: Lame { mu: self.shear_modulus, lambda: 0.0 } }
    }
}

impl Law for Slime {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.evaluate(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, memory: f32) -> f32 {
        self.elastic().energy(f, 0.0) + self.liquid.energy(f, memory)
    }

    fn initial_memory(&self) -> f32 {
        1.0
    }

    fn volume_ratio(&self, f: &Mat3, memory: f32) -> f32 {
        memory * f.det()
    }

    fn explicit_viscosity(&self) -> f32 {
        self.liquid.viscosity
    }
}

impl ImplicitLaw for Slime {
    #[inline(always)]
    fn piola(&self, f: &Mat3, memory: f32) -> Mat3 {
        self.elastic().piola(f, 0.0).add(&self.liquid.piola(f, memory))
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, memory: f32, change: &Mat3) -> Mat3 {
        self.elastic().piola_change(f, 0.0, change).add(&self.liquid.piola_change(f, memory, change))
    }
}

/// Parameters of a viscoelastic liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Slime")]
pub struct SlimeParams {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Bulk modulus at rest, above 0 [Pa]. Default: 1e5.
    pub bulk_modulus: f64,
    /// Exponent of the equation of state p = (bulk_modulus / gamma) (J^-gamma - 1), at least 1 [-]. Default: 7.
    pub gamma: f64,
    /// Dynamic viscosity in slow, steady flow, above 0 [Pa s]. Default: 10.
    pub viscosity: f64,
    /// Time in which the elastic stress decays by a factor e at constant shape, above 0 [s]. Default: 0.2.
    pub relaxation_time: f64,
    /// Share of the viscosity that does not store energy (solvent), 0 or above and below 1 [-]. The shear modulus is
    /// (1 - solvent_share) viscosity / relaxation_time. Default: 0.1.
    pub solvent_share: f64,
}

impl Default for SlimeParams {
    fn default() -> Self {
        SlimeParams {
            density: 1000.0,
            bulk_modulus: 1e5,
            gamma: 7.0,
            viscosity: 10.0,
            relaxation_time: 0.2,
            solvent_share: 0.1,
        }
    }
}

impl MaterialParams for SlimeParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.positive("density", self.density, "kg/m^3");
        check.positive("bulk_modulus", self.bulk_modulus, "Pa");
        check.within("gamma", self.gamma, 1.0.., "-");
        check.positive("viscosity", self.viscosity, "Pa s");
        check.positive("relaxation_time", self.relaxation_time, "s");
        check.within("solvent_share", self.solvent_share, 0.0..1.0, "-");
    }
}

impl MaterialModel for Slime {
    type Params = SlimeParams;
    const LOOK: Look = Look { particle_radius: 0.75, finish: Finish::Glossy, variation: 0.0 };

    fn from_params(params: &SlimeParams) -> Slime {
        Slime {
            shear_modulus: ((1.0 - params.solvent_share) * params.viscosity / params.relaxation_time) as f32,
            relaxation_time: params.relaxation_time as f32,
            liquid: Fluid {
                bulk_modulus: params.bulk_modulus as f32,
                gamma: params.gamma as f32,
                viscosity: (params.solvent_share * params.viscosity) as f32,
            },
        }
    }
}

#[cfg(feature = "gpu")]
impl Slime {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 5;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; Slime::PACKED_LEN] {
        let Fluid { bulk_modulus, gamma, viscosity } = self.liquid;
        [self.shear_modulus, self.relaxation_time, bulk_modulus, gamma, viscosity]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Slime {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> Slime {
        Slime {
            shear_modulus: table[first],
            relaxation_time: table[first + 1],
            liquid: Fluid { bulk_modulus: table[first + 2], gamma: table[first + 3], viscosity: table[first + 4] },
        }
    }
}
