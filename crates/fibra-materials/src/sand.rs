//! Sand: Hencky elasticity with a Drucker-Prager yield surface [Klar2016], cohesion, and the volume correction of
//! [Tampubolon2017].

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
use fibra_core::elementary::{exp, pick};
use fibra_core::mat3::Mat3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Yield condition: `|dev tau| + alpha tr(tau) <= k`. The internal variable is the volume gained in free expansion, as a
/// logarithmic strain `v_c`. Recompression consumes it before the grains carry pressure again; otherwise heaps would swell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Sand {
    /// Elastic constants of the packed grains.
    pub lame: Lame,
    /// Friction coefficient `alpha` of the cone [-].
    pub alpha: f32,
    /// Cohesion as a shear strain: `k / (2 mu)` [-].
    pub cohesion_strain: f32,
    /// 1 to track free expansion, 0 to ignore it.
    pub volume_correction: f32,
}

impl Sand {
    /// Creates the law from the friction angle [rad] and the Mohr-Coulomb cohesion [Pa]. The cone touches the Mohr-Coulomb pyramid
    /// along its compression edges.
    pub fn new(lame: Lame, friction_angle: f64, cohesion: f64, volume_correction: bool) -> Sand {
        let (sin, cos) = friction_angle.sin_cos();
        let edge = (2.0f64 / 3.0).sqrt() / (3.0 - sin);
        Sand {
            lame,
            alpha: (edge * 2.0 * sin) as f32,
            cohesion_strain: (edge * 6.0 * cohesion * cos / (2.0 * lame.mu as f64)) as f32,
            volume_correction: if volume_correction { 1.0 } else { 0.0 },
        }
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Sand {
    /// Returns the remaining fraction of the deviator and the new trace, for a strain with the given trace and a deviator of magnitude `size`.
    #[inline(always)]
    fn return_to_cone(&self, trace: f32, size: f32) -> (f32, f32) {
        let Lame { mu, lambda } = self.lame;
        // |dev tau| + alpha tr(tau) = 2 mu (|dev eps| + pull tr(eps)).
        let pull = self.alpha * (3.0 * lambda + 2.0 * mu) / (2.0 * mu);
        let excess = size + pull * trace - self.cohesion_strain;
        // The cone's tip, where all shear strength is lost. Without friction there is no tip and expansion is always free.
        let tip = self.cohesion_strain / f32::max(pull, 1e-6);
        let past_tip = trace >= tip;
        let shrink = 1.0 - f32::max(excess, 0.0) / f32::max(size, 1e-20);
        (pick(past_tip, 0.0, shrink), pick(past_tip, tip, trace))
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Sand {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let LeftSvd { u, sigma } = left_svd(&trial.f);
        let measured = hencky::strain(&sigma);
        let strain = measured.scale_shift(1.0, trial.memory / 3.0);
        let trace = strain.sum();
        let deviator = strain.scale_shift(1.0, -trace / 3.0);
        let (keep, new_trace) = self.return_to_cone(trace, deviator.norm());
        let strain = deviator.scale_shift(keep, new_trace / 3.0);
        let principal = strain.scale_shift(2.0 * mu, lambda * new_trace);
        Response {
            f: flow(&trial.f, &u, &hencky::stretch_change(&sigma, &measured, &strain)),
            tau: u.conjugate_diag(&principal),
            memory: self.volume_correction * (trace - new_trace),
            modulus: hencky::wave_modulus(&principal, &self.lame),
        }
    }
}

impl Law for Sand {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.evaluate(trial)
    }

    /// The volume correction is not part of the energy, because it is known only after the return mapping.
    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        hencky::energy(f, &self.lame)
    }

    fn volume_ratio(&self, f: &Mat3, expansion: f32) -> f32 {
        f.det() * exp(expansion)
    }
}

impl ImplicitLaw for Sand {
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
impl RespondToStrain for Sand {
    #[inline(always)]
    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        let StrainTrial { strain, memory, .. } = *trial;
        let measured = strain.trace();
        let trace = measured + memory;
        let deviator = strain.add_isotropic(-measured / 3.0);
        let (keep, new_trace) = self.return_to_cone(trace, f32::sqrt(deviator.inner(&deviator)));
        let stress = hencky::stress(&deviator, keep, new_trace, &self.lame);
        StrainResponse {
            flow: deviator.combine(keep - 1.0, &deviator, 0.0).add_isotropic((new_trace - measured) / 3.0),
            keeps_volume: new_trace == trace,
            stress,
            memory: self.volume_correction * (trace - new_trace),
            modulus: hencky::wave_modulus_bound(&stress, &self.lame),
        }
    }
}

impl StrainLaw for Sand {
    type Measure = HenckyStrain;
    const FLOWS: bool = true;

    fn isotropic(&self) -> Material {
        (*self).into()
    }

    fn with_elasticity(&self, model: ElasticModel) -> Option<Anisotropic> {
        Some(Anisotropic::isotropic(Exchanged { law: *self, model: model.number() }))
    }
}

/// Parameters of sand and other granular materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Sand")]
pub struct SandParams {
    /// Mass per bulk volume at rest, above 0 [kg/m^3]. Default: 1600.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e6.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Elastic model; the plastic flow does not depend on it. Default: `hencky`.
    pub elasticity: ElasticModel,
    /// Angle of internal friction, 0 or above and below 90 [deg]. Default: 35.
    pub friction_angle: f64,
    /// Cohesion, 0 or above; small values model damp sand [Pa]. Default: 0.
    pub cohesion: f64,
    /// Whether sand that expanded freely returns to its original volume when compressed again [Tampubolon2017]. Default: true.
    pub volume_correction: bool,
}

impl Default for SandParams {
    fn default() -> Self {
        SandParams {
            density: 1600.0,
            youngs_modulus: 1e6,
            poisson_ratio: 0.3,
            elasticity: ElasticModel::Hencky,
            friction_angle: 35.0,
            cohesion: 0.0,
            volume_correction: true,
        }
    }
}

impl MaterialParams for SandParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn exchanged_elasticity(&self) -> Option<ElasticModel> {
        (self.elasticity != ElasticModel::Hencky).then_some(self.elasticity)
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.elastic(self.density, self.youngs_modulus, self.poisson_ratio);
        check.within("friction_angle", self.friction_angle, 0.0..90.0, "deg");
        check.within("cohesion", self.cohesion, 0.0.., "Pa");
    }
}

impl ElasticModuli for SandParams {
    fn moduli(&self) -> [f64; 2] {
        [self.youngs_modulus, self.poisson_ratio]
    }
}

impl MaterialModel for Sand {
    type Params = SandParams;
    const LOOK: Look = Look { particle_radius: 0.6, finish: Finish::Matte, variation: 0.2 };

    fn from_params(params: &SandParams) -> Sand {
        Sand::new(
            Lame::new(params.youngs_modulus, params.poisson_ratio),
            params.friction_angle.to_radians(),
            params.cohesion,
            params.volume_correction,
        )
    }
}

#[cfg(feature = "gpu")]
impl Sand {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 5;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; Sand::PACKED_LEN] {
        [self.lame.mu, self.lame.lambda, self.alpha, self.cohesion_strain, self.volume_correction]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Sand {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> Sand {
        Sand {
            lame: Lame { mu: table[first], lambda: table[first + 1] },
            alpha: table[first + 2],
            cohesion_strain: table[first + 3],
            volume_correction: table[first + 4],
        }
    }
}
