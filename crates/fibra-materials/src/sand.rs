//! Sand: Hencky elasticity with a Drucker-Prager yield surface [Klar2016], cohesion, and the volume correction of
//! [Tampubolon2017].

#[cfg(feature = "gpu")]
use super::anisotropy::AnswersStrainExpand;
use super::anisotropy::{AnswersStrain, HenckyStrain, StrainLaw, StrainResponse, StrainTrial};
use super::model::{ElasticModuli, Finish, Look, MaterialModel, MaterialParams};
use super::parameters::ParameterCheck;
use super::{Lame, flow::flow, hencky};
use crate::law::{ImplicitLaw, Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{LeftSvd, left_svd};
use fibra_core::elementary::{exp, pick};
use fibra_core::mat3::Mat3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Yield: `|dev tau| + alpha tr(tau) <= k`. The law's scalar is the volume gained in free expansion, as a log strain
/// `v_c`; it is given back before the grains press on each other again, else heaps would swell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Sand {
    /// Elastic constants of the packed grains.
    pub lame: Lame,
    /// Friction coefficient `alpha` of the cone [-].
    pub alpha: f32,
    /// Cohesion as a shear strain: `k / (2 mu)` [-].
    pub cohesion_strain: f32,
    /// Whether free expansion is remembered (1) or forgotten (0).
    pub volume_correction: f32,
}

impl Sand {
    /// From the friction angle [rad] and the Mohr-Coulomb cohesion [Pa]; the cone touches the Mohr-Coulomb pyramid along
    /// its compression edges.
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
    /// The share of the deviator that stays, and the trace, for a strain with that trace and a deviator of that size.
    #[inline(always)]
    fn return_to_cone(&self, trace: f32, size: f32) -> (f32, f32) {
        let Lame { mu, lambda } = self.lame;
        // |dev tau| + alpha tr(tau) = 2 mu (|dev eps| + pull tr(eps)).
        let pull = self.alpha * (3.0 * lambda + 2.0 * mu) / (2.0 * mu);
        let excess = size + pull * trace - self.cohesion_strain;
        // The cone's tip, where all shear strength is gone. Frictionless grains have none: any expansion is free.
        let tip = self.cohesion_strain / f32::max(pull, 1e-6);
        let past_tip = trace >= tip;
        let shrink = 1.0 - f32::max(excess, 0.0) / f32::max(size, 1e-20);
        (pick(past_tip, 0.0, shrink), pick(past_tip, tip, trace))
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Sand {
    /// What [`Law::respond`] answers.
    #[inline(always)]
    pub fn answer(&self, trial: &Trial) -> Response {
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
        self.answer(trial)
    }

    /// The volume to be given back does not count: it is not known to be there until the flow has been found.
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
impl AnswersStrain for Sand {
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

    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }
}

/// Sand and other grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Sand")]
pub struct SandParams {
    /// Mass per bulk volume at rest, above 0 [kg/m^3]. Default: 1600.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e6.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Angle of internal friction, 0 or above and below 90 [deg]. Default: 35.
    pub friction_angle: f64,
    /// Cohesion, 0 or above; a little makes it damp [Pa]. Default: 0.
    pub cohesion: f64,
    /// Whether grains that came apart close up again without gaining volume [Tampubolon2017]. Default: true.
    pub volume_correction: bool,
}

impl Default for SandParams {
    fn default() -> Self {
        SandParams {
            density: 1600.0,
            youngs_modulus: 1e6,
            poisson_ratio: 0.3,
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
    /// How many numbers of it there are in the table of laws of a graphics card.
    pub const NUMBERS: usize = 5;

    /// Its numbers in that table.
    pub fn numbers(&self) -> [f32; Sand::NUMBERS] {
        [self.lame.mu, self.lame.lambda, self.alpha, self.cohesion_strain, self.volume_correction]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Sand {
    /// The law whose numbers start there.
    pub fn read(table: &Array<f32>, first: usize) -> Sand {
        Sand {
            lame: Lame { mu: table[first], lambda: table[first + 1] },
            alpha: table[first + 2],
            cohesion_strain: table[first + 3],
            volume_correction: table[first + 4],
        }
    }
}
