//! Tissue that tears: shear strain beyond a limit is lost [Ionescu2006, as in Schreck2020].

#[cfg(feature = "gpu")]
use super::anisotropy::AnswersStrainExpand;
use super::anisotropy::{AnswersStrain, HenckyStrain, StrainLaw, StrainResponse, StrainTrial};
use super::{Lame, flow::flow, hencky};
use crate::law::{Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{LeftSvd, left_svd};
use fibra_core::elementary::pick;
use fibra_core::invariants::eigenvalues;
use fibra_core::mat3::{Diag3, Mat3};

/// Hencky elasticity whose largest shear strain, the largest principal strain minus the smallest, is clamped: the deviator shrinks to
/// the limit. So is expansion, else what is torn would hang together like a liquid. Torn matter may hold less: the law's scalar is the
/// shear lost so far, and the limit falls with it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Tissue {
    /// Elastic constants.
    pub lame: Lame,
    /// Largest shear strain while whole [-].
    pub critical_shear: f32,
    /// How fast the limit falls: it is halved when the shear lost is the inverse of this [-].
    pub softening: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl Tissue {
    /// The share of the strain that stays, and the shear lost, for principal strains.
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
    /// What [`Law::respond`] answers.
    #[inline(always)]
    pub fn answer(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let LeftSvd { u, sigma } = left_svd(&trial.f);
        let measured = hencky::strain(&sigma);
        let (keep, memory) = self.clamp(&measured, trial.memory);
        let pressed = f32::min(measured.sum(), 0.0);
        // What does not flow keeps its strain to the bit.
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
        self.answer(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        hencky::energy(f, &self.lame)
    }

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
impl AnswersStrain for Tissue {
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

    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }
}
