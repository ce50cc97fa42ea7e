//! Tissue that tears: elastic shear strain is limited [Ionescu2006, as in Schreck2020].

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
use fibra_core::invariants::eigenvalues;
use fibra_core::mat3::{Diag3, Mat3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hencky elasticity with a limit on the shear strain, the largest minus the smallest principal strain: beyond it the deviator is scaled down to the
/// limit. Expansion is scaled by the same factor; otherwise torn pieces would hold together like a liquid. Torn material can be weaker: the internal
/// variable is the shear lost so far, and the limit decreases with it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Tissue {
    /// Elastic constants.
    pub lame: Lame,
    /// Largest shear strain of undamaged material [-].
    pub critical_shear: f32,
    /// Softening coefficient: the limit is halved when the lost shear is the inverse of this value [-].
    pub softening: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl Tissue {
    /// Returns the fraction of the strain that remains and the total shear lost so far, for principal strains `strain`.
    #[inline(always)]
    fn clamp(&self, strain: &Diag3, memory: f32) -> (f32, f32) {
        let largest = f32::max(strain.x, f32::max(strain.y, strain.z));
        let smallest = f32::min(strain.x, f32::min(strain.y, strain.z));
        let shear = largest - smallest;
        let limit = self.critical_shear / (1.0 + self.softening * memory);
        let keep = pick(shear > limit, limit / shear, 1.0);
        (keep, memory + (1.0 - keep) * shear)
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Tissue {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let LeftSvd { u, sigma } = left_svd(&trial.f);
        let measured = hencky::strain(&sigma);
        let (keep, memory) = self.clamp(&measured, trial.memory);
        let pressed = f32::min(measured.sum(), 0.0);
        // Without flow the strain is bitwise unchanged.
        let strain = Diag3 {
            x: measured.x + (keep - 1.0) * (measured.x - pressed / 3.0),
            y: measured.y + (keep - 1.0) * (measured.y - pressed / 3.0),
            z: measured.z + (keep - 1.0) * (measured.z - pressed / 3.0),
        };
        let principal = strain.scale_shift(2.0 * mu, lambda * strain.sum());
        Response {
            f: flow(&trial.f, &u, &hencky::stretch_change(&sigma, &measured, &strain)),
            tau: u.conjugate_diag(&principal),
            memory,
            modulus: hencky::wave_modulus(&principal, &self.lame),
        }
    }
}

impl Law for Tissue {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.evaluate(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        hencky::energy(f, &self.lame)
    }
}

impl ImplicitLaw for Tissue {
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
impl RespondToStrain for Tissue {
    #[inline(always)]
    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        let StrainTrial { strain, memory, .. } = *trial;
        let (keep, memory) = self.clamp(&eigenvalues(&strain), memory);
        let pressed = f32::min(strain.trace(), 0.0);
        let lost = strain.add_isotropic(-pressed / 3.0);
        let flow = lost.combine(keep - 1.0, &lost, 0.0);
        let stress = self.lame.stress(&strain.combine(1.0, &flow, 1.0));
        StrainResponse {
            flow,
            keeps_volume: pressed < 0.0,
            stress,
            memory,
            modulus: hencky::wave_modulus_bound(&stress, &self.lame),
        }
    }
}

impl StrainLaw for Tissue {
    type Measure = HenckyStrain;
    const FLOWS: bool = true;

    fn isotropic(&self) -> Material {
        (*self).into()
    }

    fn with_elasticity(&self, model: ElasticModel) -> Option<Anisotropic> {
        Some(Anisotropic::isotropic(Exchanged { law: *self, model: model.number() }))
    }
}

/// Parameters of tissue that tears: elastic shear strain beyond a limit is lost [Ionescu2006].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Tissue")]
pub struct TissueParams {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Elastic model; the plastic flow does not depend on it. Default: `hencky`.
    pub elasticity: ElasticModel,
    /// Shear strain limit of undamaged material (largest minus smallest principal strain), above 0 [-]. Default: 0.1.
    pub critical_shear: f64,
    /// Softening coefficient, 0 or above: the limit is halved when the lost shear is the inverse of this value [-]. Default: 10.
    pub softening: f64,
}

impl Default for TissueParams {
    fn default() -> Self {
        TissueParams {
            density: 1000.0,
            youngs_modulus: 1e5,
            poisson_ratio: 0.3,
            elasticity: ElasticModel::Hencky,
            critical_shear: 0.1,
            softening: 10.0,
        }
    }
}

impl MaterialParams for TissueParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn exchanged_elasticity(&self) -> Option<ElasticModel> {
        (self.elasticity != ElasticModel::Hencky).then_some(self.elasticity)
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.elastic(self.density, self.youngs_modulus, self.poisson_ratio);
        check.positive("critical_shear", self.critical_shear, "-");
        check.within("softening", self.softening, 0.0.., "-");
    }
}

impl ElasticModuli for TissueParams {
    fn moduli(&self) -> [f64; 2] {
        [self.youngs_modulus, self.poisson_ratio]
    }
}

impl MaterialModel for Tissue {
    type Params = TissueParams;
    const LOOK: Look = Look { particle_radius: 0.7, finish: Finish::Matte, variation: 0.04 };

    fn from_params(params: &TissueParams) -> Tissue {
        Tissue {
            lame: Lame::new(params.youngs_modulus, params.poisson_ratio),
            critical_shear: params.critical_shear as f32,
            softening: params.softening as f32,
        }
    }
}

#[cfg(feature = "gpu")]
impl Tissue {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 4;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; Tissue::PACKED_LEN] {
        [self.lame.mu, self.lame.lambda, self.critical_shear, self.softening]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Tissue {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> Tissue {
        Tissue {
            lame: Lame { mu: table[first], lambda: table[first + 1] },
            critical_shear: table[first + 2],
            softening: table[first + 3],
        }
    }
}
