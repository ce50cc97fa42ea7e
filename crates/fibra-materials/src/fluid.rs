//! A weakly compressible liquid: Tait's equation of state and Newtonian viscosity.

use super::cofactor::{cofactor_change, inner};
use super::model::{Finish, Look, MaterialModel, MaterialParams};
use super::parameters::ParameterCheck;
use crate::law::{ImplicitLaw, Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::elementary::{exp, ln};
use fibra_core::mat3::Mat3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `p = K/gamma (J^-gamma - 1)`, clamped at zero: a liquid with a free surface carries no tension. The internal variable is the
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
    /// Interval to which `J` is clamped. Because of the upper bound, falling spray builds up pressure as soon as it is compressed, without first
    /// reversing its expansion in flight. The lower bound keeps the stiffness finite.
    pub const VOLUME: [f32; 2] = [Fluid::LEAST, Fluid::MOST];
    const LEAST: f32 = 0.3;
    const MOST: f32 = 1.02;

    /// Clamps `J` for the energy to at most 1, where the pressure is zero, and to at least the lower bound of [`Fluid::VOLUME`].
    #[inline(always)]
    fn clamped(j: f32) -> f32 {
        let low = if j < Fluid::LEAST { Fluid::LEAST } else { j };
        if low > 1.0 { 1.0 } else { low }
    }

    /// Returns the first and second derivative of the energy with respect to `J`: `-p` and `K J^(-gamma - 1)`. Below the interval the
    /// energy is continued by its tangent; above 1 it is constant.
    #[inline(always)]
    fn slopes(&self, j: f32) -> (f32, f32) {
        let clamped = Fluid::clamped(j);
        let stiffening = exp(-self.gamma * ln(clamped));
        let bend = self.bulk_modulus * stiffening / clamped;
        (-self.bulk_modulus / self.gamma * (stiffening - 1.0), if clamped == j { bend } else { 0.0 })
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Fluid {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let rate = trial.grad_v.trace();
        self.respond_at(self.clamp(trial.memory * (1.0 + trial.dt * rate)), &trial.grad_v)
    }

    /// Clamps a volume ratio to [`Fluid::VOLUME`].
    #[inline(always)]
    pub fn clamp(&self, j: f32) -> f32 {
        f32::clamp(j, Fluid::LEAST, Fluid::MOST)
    }

    /// Computes the response at a volume ratio, for a velocity gradient [1/s].
    #[inline(always)]
    pub fn respond_at(&self, j: f32, grad_v: &Mat3) -> Response {
        let rate = grad_v.trace();
        let stiffening = exp(-self.gamma * ln(j));
        let pressure = f32::max(self.bulk_modulus / self.gamma * (stiffening - 1.0), 0.0);
        // tau = J (-p I + 2 eta dev D)
        let shear = 2.0 * self.viscosity * j;
        let d = grad_v.symmetric_part();
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
        self.evaluate(trial)
    }

    /// Computes the work stored in compression: the integral of `p` from `J` to 1, where `J` is the internal variable times `det f`.
    /// In a state `f` is the identity; within an implicit step it is the change since the last step. Viscous stress is not included.
    #[inline(always)]
    fn energy(&self, f: &Mat3, j: f32) -> f32 {
        let j = j * f.det();
        let clamped = Fluid::clamped(j);
        let g = self.gamma - 1.0;
        let work = if g.abs() < 1e-3 { -ln(clamped) } else { (exp(-g * ln(clamped)) - 1.0) / g };
        self.bulk_modulus / self.gamma * (work + clamped - 1.0) + self.slopes(j).0 * (f32::min(j, 1.0) - clamped)
    }

    fn initial_memory(&self) -> f32 {
        1.0
    }

    fn volume_ratio(&self, _f: &Mat3, j: f32) -> f32 {
        j
    }

    fn explicit_viscosity(&self) -> f32 {
        self.viscosity
    }
}

impl ImplicitLaw for Fluid {
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
}

/// Parameters of a weakly compressible liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Fluid")]
pub struct FluidParams {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Bulk modulus at rest, above 0 [Pa]. Real water has 2.2e9; a smaller value allows larger time steps. A value of 100 times the
    /// largest pressure limits compression to about 1 %. Default: 1e5.
    pub bulk_modulus: f64,
    /// Exponent of the equation of state p = (bulk_modulus / gamma) (J^-gamma - 1), at least 1 [-]. Default: 7.
    pub gamma: f64,
    /// Dynamic viscosity, 0 or above [Pa s]. Default: 0.001.
    pub viscosity: f64,
}

impl Default for FluidParams {
    fn default() -> Self {
        FluidParams { density: 1000.0, bulk_modulus: 1e5, gamma: 7.0, viscosity: 0.001 }
    }
}

impl MaterialParams for FluidParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.positive("density", self.density, "kg/m^3");
        check.positive("bulk_modulus", self.bulk_modulus, "Pa");
        check.within("gamma", self.gamma, 1.0.., "-");
        check.within("viscosity", self.viscosity, 0.0.., "Pa s");
    }
}

impl MaterialModel for Fluid {
    type Params = FluidParams;
    const LOOK: Look = Look { particle_radius: 0.75, finish: Finish::Glossy, variation: 0.0 };

    fn from_params(params: &FluidParams) -> Fluid {
        Fluid {
            bulk_modulus: params.bulk_modulus as f32,
            gamma: params.gamma as f32,
            viscosity: params.viscosity as f32,
        }
    }
}

#[cfg(feature = "gpu")]
impl Fluid {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 3;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; Fluid::PACKED_LEN] {
        [self.bulk_modulus, self.gamma, self.viscosity]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Fluid {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> Fluid {
        Fluid { bulk_modulus: table[first], gamma: table[first + 1], viscosity: table[first + 2] }
    }
}
