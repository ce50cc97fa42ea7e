//! Goo: a viscoplastic (Bingham) material, elastic below a yield stress and viscous above it.

#[cfg(feature = "gpu")]
use super::anisotropy::RespondToStrainExpand;
use super::anisotropy::{
    Anisotropic, Exchanged, HenckyStrain, RespondToStrain, StrainLaw, StrainResponse, StrainTrial,
};
use super::elastic_model::ElasticModel;
use super::model::{ElasticModuli, Finish, Look, MaterialModel, MaterialParams};
use super::parameters::ParameterCheck;
use super::{Lame, Material, flow::flow, hencky};
use crate::law::{ImplicitLaw, Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{LeftSvd, left_svd};
use fibra_core::elementary::pick;
use fibra_core::mat3::{Diag3, Mat3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hencky elasticity; the deviator relaxes toward the von Mises cylinder `|dev tau| = sqrt(2/3) sigma_Y` with Perzyna's
/// rate. In steady shear flow above yield the stress is the yield stress plus that of a Newtonian liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Goo {
    /// Elastic constants.
    pub lame: Lame,
    /// Yield stress in uniaxial tension `sigma_Y` [Pa].
    pub yield_stress: f32,
    /// Viscosity of the flow above yield [Pa s].
    pub viscosity: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl Goo {
    /// Returns whether a deviatoric stress of magnitude `size` [Pa] causes flow, and the fraction that remains after flow over `dt` [s].
    #[inline(always)]
    fn relax(&self, size: f32, dt: f32) -> (bool, f32) {
        let limit = self.yield_stress * 0.816_496_6;
        // Plastic rate (s - s_Y) / (2 eta), taken implicitly: s' = s - 2 mu dt (s' - s_Y) / (2 eta), stable for any step.
        let relax = self.lame.mu * dt / f32::max(self.viscosity, 1e-20);
        let flowing = (size + relax * limit) / (1.0 + relax);
        (size > limit, flowing / f32::max(size, 1e-20))
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Goo {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let LeftSvd { u, sigma } = left_svd(&trial.f);
        let measured = hencky::strain(&sigma);
        let trace = measured.sum();
        let deviator = measured.scale_shift(1.0, -trace / 3.0);
        let (flows, keep) = self.relax(2.0 * mu * deviator.norm(), trial.dt);
        // Without flow the strain is bitwise unchanged.
        let relaxed = deviator.scale_shift(keep, trace / 3.0);
        let strain = Diag3 {
            x: pick(flows, relaxed.x, measured.x),
            y: pick(flows, relaxed.y, measured.y),
            z: pick(flows, relaxed.z, measured.z),
        };
        let principal = strain.scale_shift(2.0 * mu, lambda * trace);
        Response {
            f: flow(&trial.f, &u, &hencky::stretch_change(&sigma, &measured, &strain)),
            tau: u.conjugate_diag(&principal),
            memory: trial.memory,
            modulus: hencky::wave_modulus(&principal, &self.lame),
        }
    }
}

impl Law for Goo {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.evaluate(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        hencky::energy(f, &self.lame)
    }
}

impl ImplicitLaw for Goo {
    #[inline(always)]
    fn piola(&self, f: &Mat3, _memory: f32) -> Mat3 {
        hencky::piola(f, &self.lame)
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        hencky::piola_change(f, &self.lame, change)
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl RespondToStrain for Goo {
    #[inline(always)]
    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        let StrainTrial { strain, memory, dt, .. } = *trial;
        let trace = strain.trace();
        let deviator = strain.add_isotropic(-trace / 3.0);
        let (flows, keep) = self.relax(2.0 * self.lame.mu * f32::sqrt(deviator.inner(&deviator)), dt);
        let keep = pick(flows, keep, 1.0);
        let stress = hencky::stress(&deviator, keep, trace, &self.lame);
        StrainResponse {
            flow: deviator.combine(keep - 1.0, &deviator, 0.0),
            keeps_volume: true,
            stress,
            memory,
            modulus: hencky::wave_modulus_bound(&stress, &self.lame),
        }
    }
}

impl StrainLaw for Goo {
    type Measure = HenckyStrain;
    const FLOWS: bool = true;

    fn isotropic(&self) -> Material {
        (*self).into()
    }

    fn with_elasticity(&self, model: ElasticModel) -> Option<Anisotropic> {
        Some(Anisotropic::isotropic(Exchanged { law: *self, model: model.number() }))
    }
}

/// Parameters of a viscoplastic paste.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Goo")]
pub struct GooParams {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.4.
    pub poisson_ratio: f64,
    /// Elastic model; the plastic flow does not depend on it. Default: `hencky`.
    pub elasticity: ElasticModel,
    /// Shear stress above which the material flows, 0 or above [Pa]. Default: 100.
    pub yield_stress: f64,
    /// Dynamic viscosity of the flow, 0 or above [Pa s]. Default: 10.
    pub viscosity: f64,
}

impl Default for GooParams {
    fn default() -> Self {
        GooParams {
            density: 1000.0,
            youngs_modulus: 1e5,
            poisson_ratio: 0.4,
            elasticity: ElasticModel::Hencky,
            yield_stress: 100.0,
            viscosity: 10.0,
        }
    }
}

impl MaterialParams for GooParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn exchanged_elasticity(&self) -> Option<ElasticModel> {
        (self.elasticity != ElasticModel::Hencky).then_some(self.elasticity)
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.elastic(self.density, self.youngs_modulus, self.poisson_ratio);
        check.within("yield_stress", self.yield_stress, 0.0.., "Pa");
        check.within("viscosity", self.viscosity, 0.0.., "Pa s");
    }
}

impl ElasticModuli for GooParams {
    fn moduli(&self) -> [f64; 2] {
        [self.youngs_modulus, self.poisson_ratio]
    }
}

impl MaterialModel for Goo {
    type Params = GooParams;
    const LOOK: Look = Look { particle_radius: 0.75, finish: Finish::Glossy, variation: 0.0 };

    fn from_params(params: &GooParams) -> Goo {
        Goo {
            lame: Lame::new(params.youngs_modulus, params.poisson_ratio),
            // Users set the yield stress in shear. On the von Mises cylinder it is sqrt(3) times smaller than in tension.
            yield_stress: (3f64.sqrt() * params.yield_stress) as f32,
            viscosity: params.viscosity as f32,
        }
    }
}

#[cfg(feature = "gpu")]
impl Goo {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 4;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; Goo::PACKED_LEN] {
        [self.lame.mu, self.lame.lambda, self.yield_stress, self.viscosity]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Goo {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> Goo {
        Goo {
            lame: Lame { mu: table[first], lambda: table[first + 1] },
            yield_stress: table[first + 2],
            viscosity: table[first + 3],
        }
    }
}
