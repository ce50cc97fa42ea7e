//! Laws with plastic flow whose elasticity is exchanged: elasticity and yield surface are chosen apart [Schreck2020, Table 2].

#[cfg(feature = "gpu")]
use super::strain_law::RespondToStrainExpand;
use super::strain_law::{RespondToStrain, StrainLaw, StrainResponse, StrainTrial, expm1, stretched};
use super::{HenckyStrain, PrincipalStress};
use crate::elastic_model::ElasticModel;
use crate::law::Law;
use crate::{CorotatedLinear, Lame, Material, fixed_corotated, hencky};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::elementary::{exp_m1, pick};
use fibra_core::mat3::Sym3;

/// The plastic flow of a law with the stress of another elastic model, which has the same moduli.
///
/// The law's flow limits the elastic strain. Where the law states its limit as a stress (sand, goo), this is the stress of its own elasticity. The stress
/// of the other model differs from it by a factor `1 + O(strain)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Exchanged<L: RespondToStrain> {
    /// The law that flows.
    pub law: L,
    /// Number of the elastic model, see [`ElasticModel::number`].
    pub model: f32,
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn choose(first: bool, a: &Sym3, b: &Sym3) -> Sym3 {
    Sym3 {
        xx: pick(first, a.xx, b.xx),
        yy: pick(first, a.yy, b.yy),
        zz: pick(first, a.zz, b.zz),
        yz: pick(first, a.yz, b.yz),
        xz: pick(first, a.xz, b.xz),
        xy: pick(first, a.xy, b.xy),
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl<L: RespondToStrain> RespondToStrain for Exchanged<L> {
    #[inline(always)]
    fn constants(&self, memory: f32) -> Lame {
        self.law.constants(memory)
    }

    /// The Kirchhoff stress as a function of Hencky's strain `S`, with `U = e^S` and `x = U - I`:
    /// - Hencky: `2 mu S + lambda tr(S) I`,
    /// - fixed corotated: `2 mu x U + lambda J (J - 1) I`,
    /// - corotated linear: `2 mu x U + lambda tr(x) U`.
    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        let own = self.law.respond_to_strain(trial);
        let lame = self.law.constants(own.memory);
        let strain = trial.strain.combine(1.0, &own.flow, 1.0);
        let x = expm1(&strain);
        let shear = x.combine(1.0, &x.square(), 1.0).combine(2.0 * lame.mu, &x, 0.0);
        let growth = exp_m1(strain.trace());
        let fixed = shear.add_isotropic(lame.lambda * growth * (1.0 + growth));
        let pressure = lame.lambda * x.trace();
        let linear = shear.combine(1.0, &x, pressure).add_isotropic(pressure);
        let is_hencky = self.model < 0.5;
        let is_fixed = self.model < 1.5;
        let stress = choose(is_hencky, &lame.stress(&strain), &choose(is_fixed, &fixed, &linear));
        // Pressure waves along the principal stretch `s` have the moduli `(2 mu + lambda) s^2` and `2 mu s^2 + lambda J^2`.
        let square = f32::max(1.0, x.combine(2.0, &x.square(), 1.0).eigenvalue_bound() + 1.0);
        let volume = f32::max(1.0, (1.0 + growth) * (1.0 + growth));
        let corotated = 2.0 * lame.mu * square + lame.lambda * pick(is_fixed, volume, square);
        StrainResponse {
            flow: own.flow,
            keeps_volume: own.keeps_volume,
            stress,
            memory: own.memory,
            modulus: pick(is_hencky, hencky::wave_modulus_bound(&stress, &lame), corotated),
        }
    }
}

impl<L: StrainLaw> StrainLaw for Exchanged<L> {
    type Measure = HenckyStrain;
    const FLOWS: bool = true;

    fn isotropic(&self) -> Material {
        self.law.isotropic()
    }

    fn exchanged(&self) -> Option<ElasticModel> {
        Some(ElasticModel::of_number(self.model))
    }

    fn principal_stress(&self, strain: &[f32; 3], memory: f32) -> PrincipalStress {
        ElasticModel::of_number(self.model).principal_stress(strain, &self.constants(memory))
    }

    fn strain_energy(&self, strain: &Sym3, memory: f32) -> f32 {
        let lame = self.constants(memory);
        match ElasticModel::of_number(self.model) {
            ElasticModel::Hencky => 0.5 * strain.inner(&lame.stress(strain)),
            ElasticModel::FixedCorotated => fixed_corotated::energy(&stretched(strain), &lame),
            ElasticModel::CorotatedLinear => CorotatedLinear { lame }.energy(&stretched(strain), memory),
        }
    }
}
