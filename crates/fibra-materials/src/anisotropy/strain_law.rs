//! The interface of isotropic laws that can be made anisotropic.

use super::derivatives::{PrincipalStress, SpectralMeasure};
use super::measure::Measure;
use super::wrapper::Anisotropic;
use crate::elastic_model::ElasticModel;
use crate::{Lame, Material};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{Eigen, eigen};
use fibra_core::elementary::exp;
use fibra_core::mat3::{Diag3, Mat3, Sym3};
use std::fmt::Debug;

/// A trial strain in the fictitious space, and properties of the real deformation that some laws need.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct StrainTrial {
    /// The strain, in the law's measure [-].
    pub strain: Sym3,
    /// Upper bound of the largest squared principal stretch of the real deformation [-].
    pub square: f32,
    /// Volume ratio of the real deformation, negative if inverted [-].
    pub volume: f32,
    /// The law's internal variable.
    pub memory: f32,
    /// Time step [s].
    pub dt: f32,
}

/// Response of a law to a strain.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct StrainResponse {
    /// Change of the strain by plastic flow; exactly zero without flow [-].
    pub flow: Sym3,
    /// Whether the flow preserves volume. The mapped flow must then not create volume.
    pub keeps_volume: bool,
    /// Stress after plastic flow: the derivative of the energy with respect to the strain [Pa].
    pub stress: Sym3,
    /// The law's internal variable, updated.
    pub memory: f32,
    /// Current modulus of the fastest wave [Pa].
    pub modulus: f32,
}

/// Computes the response to a strain. The formulas are those of the law's [`Law::respond`](crate::law::Law::respond). That function computes the
/// strain itself; here the strain comes from the fictitious space.
#[cfg_attr(feature = "gpu", cube)]
pub trait RespondToStrain: Copy + Send + Sync {
    /// Returns the elastic constants at rest, for this internal variable.
    fn constants(&self, memory: f32) -> Lame;
    /// Computes plastic flow and stress for a trial strain.
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse;
}

/// An isotropic law as a function of strain.
pub trait StrainLaw: RespondToStrain + Debug {
    /// The strain measure that is natural for the law.
    type Measure: Measure + SpectralMeasure;
    /// Whether the law has plastic flow.
    const FLOWS: bool;
    /// Returns the law as a material; for a law with exchanged elasticity, the law that flows.
    fn isotropic(&self) -> Material;
    /// Returns the elastic model that replaces the law's own, if there is one.
    fn exchanged(&self) -> Option<ElasticModel> {
        None
    }
    /// Returns the law with another elastic model; `None` for laws without plastic flow.
    fn with_elasticity(&self, _model: ElasticModel) -> Option<Anisotropic> {
        None
    }
    /// Computes the elastic stress for principal strains, and its derivatives; the default is that of linear laws. It is the derivative of
    /// [`StrainLaw::strain_energy`].
    fn principal_stress(&self, strain: &[f32; 3], memory: f32) -> PrincipalStress {
        PrincipalStress::linear(strain, &self.constants(memory))
    }
    /// Computes the elastic energy per rest volume [J/m^3]. The default is half of `strain : stress`, which holds for linear laws.
    fn strain_energy(&self, strain: &Sym3, memory: f32) -> f32 {
        0.5 * strain.inner(&self.constants(memory).stress(strain))
    }
}

/// Largest principal strain whose exponential is computed: the energy of a larger one would overflow `f32` [-].
pub(crate) const LARGEST_STRAIN: f32 = 10.0;

/// Returns the symmetric deformation gradient with Hencky's strain `s`.
pub fn stretched(s: &Sym3) -> Mat3 {
    let Eigen { v: axes, d: log } = eigen(s);
    let stretch = |log: f32| exp(log.clamp(-LARGEST_STRAIN, LARGEST_STRAIN));
    axes.conjugate_diag(&Diag3 { x: stretch(log.x), y: stretch(log.y), z: stretch(log.z) }).to_mat3()
}

/// Computes `e^S - I`, accurate for small `S`; `e^S` is positive definite for any `S`. `S` is scaled down so that four terms of the
/// series suffice, then the result is squared back with `e^2x - 1 = 2 (e^x - 1) + (e^x - 1)^2`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn expm1(s: &Sym3) -> Sym3 {
    let y = s.combine(1.0 / 32.0, s, 0.0);
    let y2 = y.square();
    // y + y^2 (1/2 + y/6 + y^2/24)
    let tail = y.combine(1.0 / 6.0, &y2, 1.0 / 24.0).add_isotropic(0.5);
    // Unrolled, so that the compiler can vectorize over particles.
    twice(&twice(&twice(&twice(&twice(&y.combine(1.0, &y2.mul_coaxial(&tail), 1.0))))))
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn twice(x: &Sym3) -> Sym3 {
    x.combine(2.0, &x.square(), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_exponentials_act_on_eigenvalues() {
        let axes = Mat3::from_rows([0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6]);
        for (size, tolerance) in [(1e-6, 3e-7), (0.01, 6e-7), (0.3, 6e-7), (2.0, 2e-6), (6.0, 2e-3)] {
            let d = Diag3 { x: size, y: -0.7 * size, z: 0.1 * size };
            let exact = |x: f32| f64::from(x).exp_m1() as f32;
            let exact = axes.conjugate_diag(&Diag3 { x: exact(d.x), y: exact(d.y), z: exact(d.z) });
            let off = expm1(&axes.conjugate_diag(&d)).combine(1.0, &exact, -1.0);
            let error = off.inner(&off).sqrt() / exact.inner(&exact).sqrt();
            assert!(error < tolerance, "{error:e} at {size}");
        }
    }
}
