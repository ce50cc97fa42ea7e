//! Snow [Stomakhin2013]: fixed corotated elasticity. Plastic flow keeps the elastic singular values within a small interval, and
//! packing hardens the material.

#[cfg(feature = "gpu")]
use super::anisotropy::RespondToStrainExpand;
use super::anisotropy::{
    Anisotropic, Exchanged, HenckyStrain, PrincipalStress, RespondToStrain, StrainLaw, StrainResponse, StrainTrial,
    stretched,
};
use super::elastic_model::ElasticModel;
use super::model::{ElasticModuli, Finish, Look, MaterialModel, MaterialParams};
use super::parameters::ParameterCheck;
use super::{Lame, Material, fixed_corotated, flow::flow};
use crate::law::{ImplicitLaw, Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{LeftSvd, left_svd};
use fibra_core::elementary::{exp, ln, pick};
use fibra_core::invariants::{Coaxial, eigenvalues};
use fibra_core::mat3::{Diag3, Mat3, Sym3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The internal variable is `J_P = det F_P`: 1 at the start, below 1 in packed snow.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Snow {
    /// Elastic constants of fresh snow.
    pub lame: Lame,
    /// Compression `theta_c` at which plastic flow starts [-].
    pub critical_compression: f32,
    /// Stretch `theta_s` at which plastic flow starts [-].
    pub critical_stretch: f32,
    /// Hardening coefficient `xi` [-].
    pub hardening: f32,
}

impl Snow {
    /// Interval to which `J_P` is clamped. Below it the exponential hardening would only reduce the time step; above it snow carries
    /// no load anyway.
    pub const PACKING: [f32; 2] = [Snow::DENSEST, Snow::LOOSEST];
    const DENSEST: f32 = 0.6;
    const LOOSEST: f32 = 20.0;
}

#[cfg_attr(feature = "gpu", cube)]
impl Snow {
    /// `mu = mu_0 e^(xi (1 - J_P))`, with the same factor for `lambda` [Stomakhin2013, Eq. 2].
    #[inline(always)]
    fn hardened(&self, packing: f32) -> Lame {
        let h = exp(self.hardening * (1.0 - packing));
        Lame { mu: self.lame.mu * h, lambda: self.lame.lambda * h }
    }

    /// Returns the stretches clamped to the elastic range.
    #[inline(always)]
    fn clamp(&self, sigma: &Diag3) -> Diag3 {
        let (low, high) = (1.0 - self.critical_compression, 1.0 + self.critical_stretch);
        clamp(sigma, low, high)
    }

    /// Returns `J_P` after plastic flow that changed the volume by the factor `volume`.
    #[inline(always)]
    fn packed(packing: f32, volume: f32) -> f32 {
        f32::clamp(packing * volume, Snow::DENSEST, Snow::LOOSEST)
    }
}

/// Clamps each value between two bounds, by comparisons, because `min` and `max` would hide NaN.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn clamp(values: &Diag3, low: f32, high: f32) -> Diag3 {
    Diag3 {
        x: pick(values.x > high, high, pick(values.x < low, low, values.x)),
        y: pick(values.y > high, high, pick(values.y < low, low, values.y)),
        z: pick(values.z > high, high, pick(values.z < low, low, values.z)),
    }
}

/// Returns the relative change that takes stretch `s` to `kept`. A tiny stretch is replaced by 1e-6, because no factor changes a zero stretch.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn change(s: f32, kept: f32) -> f32 {
    (kept - s) / pick(f32::abs(s) < 1e-6, 1e-6, s)
}

#[cfg_attr(feature = "gpu", cube)]
impl Snow {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let LeftSvd { u, sigma } = left_svd(&trial.f);
        let kept = self.clamp(&sigma);
        let change = Diag3 { x: change(sigma.x, kept.x), y: change(sigma.y, kept.y), z: change(sigma.z, kept.z) };
        let packing = Snow::packed(trial.memory, sigma.product() / kept.product());
        let lame = self.hardened(packing);
        Response {
            f: flow(&trial.f, &u, &change),
            tau: fixed_corotated::stress(&u, &kept, &lame),
            memory: packing,
            modulus: lame.wave_modulus(),
        }
    }
}

impl Law for Snow {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.evaluate(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, packing: f32) -> f32 {
        fixed_corotated::energy(f, &self.hardened(packing))
    }

    fn initial_memory(&self) -> f32 {
        1.0
    }

    fn volume_ratio(&self, f: &Mat3, packing: f32) -> f32 {
        f.det() * packing
    }
}

impl ImplicitLaw for Snow {
    #[inline(always)]
    fn piola(&self, f: &Mat3, packing: f32) -> Mat3 {
        fixed_corotated::piola(f, &self.hardened(packing))
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, packing: f32, change: &Mat3) -> Mat3 {
        fixed_corotated::piola_change(f, &self.hardened(packing), change)
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl RespondToStrain for Snow {
    #[inline(always)]
    fn constants(&self, packing: f32) -> Lame {
        self.hardened(packing)
    }

    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        let StrainTrial { strain, memory, .. } = *trial;
        let log = eigenvalues(&strain);
        // Clamping logarithms leaves elastic strains bitwise unchanged.
        let kept = clamp(&log, ln(1.0 - self.critical_compression), ln(1.0 + self.critical_stretch));
        let flow = Diag3 { x: kept.x - log.x, y: kept.y - log.y, z: kept.z - log.z };
        let packing = Snow::packed(memory, exp(-flow.sum()));
        let lame = self.hardened(packing);
        let sigma = Diag3 { x: exp(kept.x), y: exp(kept.y), z: exp(kept.z) };
        let coaxial = Coaxial::new(&strain, &log);
        StrainResponse {
            flow: coaxial.with(&flow),
            keeps_volume: false,
            stress: coaxial.with(&fixed_corotated::principal_stress(&sigma, &lame)),
            memory: packing,
            modulus: lame.wave_modulus(),
        }
    }
}

impl StrainLaw for Snow {
    type Measure = HenckyStrain;
    const FLOWS: bool = true;

    fn isotropic(&self) -> Material {
        (*self).into()
    }

    fn with_elasticity(&self, model: ElasticModel) -> Option<Anisotropic> {
        Some(Anisotropic::isotropic(Exchanged { law: *self, model: model.number() }))
    }

    fn principal_stress(&self, strain: &[f32; 3], packing: f32) -> PrincipalStress {
        ElasticModel::FixedCorotated.principal_stress(strain, &self.hardened(packing))
    }

    fn strain_energy(&self, strain: &Sym3, memory: f32) -> f32 {
        self.energy(&stretched(strain), memory)
    }
}

/// Parameters of snow after [Stomakhin2013].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Snow")]
pub struct SnowParams {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 400.
    pub density: f64,
    /// Young's modulus before hardening, above 0 [Pa]. Default: 1.4e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.2.
    pub poisson_ratio: f64,
    /// Elastic model; the plastic flow does not depend on it. Default: `fixed-corotated`.
    pub elasticity: ElasticModel,
    /// Compressive strain where packing starts, 0 or above and below 1 [-]. Default: 0.025.
    pub critical_compression: f64,
    /// Tensile strain where breaking starts, 0 or above [-]. Default: 0.0075.
    pub critical_stretch: f64,
    /// Hardening coefficient: rate of stiffening under packing and of weakening under tearing, 0 or above [-]. Default: 10.
    pub hardening: f64,
}

impl Default for SnowParams {
    fn default() -> Self {
        SnowParams {
            density: 400.0,
            youngs_modulus: 1.4e5,
            poisson_ratio: 0.2,
            elasticity: ElasticModel::FixedCorotated,
            critical_compression: 0.025,
            critical_stretch: 0.0075,
            hardening: 10.0,
        }
    }
}

impl MaterialParams for SnowParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn exchanged_elasticity(&self) -> Option<ElasticModel> {
        (self.elasticity != ElasticModel::FixedCorotated).then_some(self.elasticity)
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.elastic(self.density, self.youngs_modulus, self.poisson_ratio);
        check.within("critical_compression", self.critical_compression, 0.0..1.0, "-");
        check.within("critical_stretch", self.critical_stretch, 0.0.., "-");
        check.within("hardening", self.hardening, 0.0.., "-");
    }
}

impl ElasticModuli for SnowParams {
    fn moduli(&self) -> [f64; 2] {
        [self.youngs_modulus, self.poisson_ratio]
    }
}

impl MaterialModel for Snow {
    type Params = SnowParams;
    const LOOK: Look = Look { particle_radius: 0.7, finish: Finish::Matte, variation: 0.04 };

    fn from_params(params: &SnowParams) -> Snow {
        Snow {
            lame: Lame::new(params.youngs_modulus, params.poisson_ratio),
            critical_compression: params.critical_compression as f32,
            critical_stretch: params.critical_stretch as f32,
            hardening: params.hardening as f32,
        }
    }
}

#[cfg(feature = "gpu")]
impl Snow {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 5;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; Snow::PACKED_LEN] {
        [self.lame.mu, self.lame.lambda, self.critical_compression, self.critical_stretch, self.hardening]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Snow {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> Snow {
        Snow {
            lame: Lame { mu: table[first], lambda: table[first + 1] },
            critical_compression: table[first + 2],
            critical_stretch: table[first + 3],
            hardening: table[first + 4],
        }
    }
}
