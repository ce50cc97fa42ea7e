//! Snow [Stomakhin2013]: fixed corotated elasticity whose singular values may leave a small interval only by plastic
//! flow, and which hardens as it is packed.

use super::anisotropy::{StrainLaw, StrainResponse, stretched};
use super::{Lame, fixed_corotated, flow::flow};
use crate::law::{Law, Response, Trial};
use fibra_core::decompose::{eigen, left_svd};
use fibra_core::elementary::{exp, ln};
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// The law's scalar is `J_P = det F_P`, 1 at the start, below 1 where the snow is packed.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// `J_P` is held in this interval: below it the exponential hardening would only shrink the step, above it the snow
    /// carries no load anyway.
    pub const PACKING: [f32; 2] = [0.6, 20.0];

    /// `mu = mu_0 e^(xi (1 - J_P))`, and lambda likewise [Stomakhin2013, Eq. 2].
    #[inline(always)]
    fn hardened(&self, packing: f32) -> Lame {
        let h = exp(self.hardening * (1.0 - packing));
        Lame { mu: self.lame.mu * h, lambda: self.lame.lambda * h }
    }

    /// The stretches that stay elastic.
    #[inline(always)]
    fn clamp(&self, sigma: &Diag3) -> Diag3 {
        let (low, high) = (1.0 - self.critical_compression, 1.0 + self.critical_stretch);
        // Comparisons, because `min` and `max` would hide a stretch that is not a number.
        let raise = |s: f32| if s < low { low } else { s };
        let clamp = |s: f32| if s > high { high } else { raise(s) };
        Diag3 { x: clamp(sigma.x), y: clamp(sigma.y), z: clamp(sigma.z) }
    }

    /// `J_P` after a flow in which the volume changed by that factor.
    #[inline(always)]
    fn packed(packing: f32, volume: f32) -> f32 {
        (packing * volume).clamp(Snow::PACKING[0], Snow::PACKING[1])
    }
}

impl Law for Snow {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        let (u, sigma) = left_svd(&trial.f);
        let kept = self.clamp(&sigma);
        // A stretch of zero cannot be scaled back; next to it is near enough.
        let change = |s: f32, kept: f32| (kept - s) / if s.abs() < 1e-6 { 1e-6 } else { s };
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

    #[inline(always)]
    fn energy(&self, f: &Mat3, packing: f32) -> f32 {
        fixed_corotated::energy(f, &self.hardened(packing))
    }

    #[inline(always)]
    fn piola(&self, f: &Mat3, packing: f32) -> Mat3 {
        fixed_corotated::piola(f, &self.hardened(packing))
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, packing: f32, change: &Mat3) -> Mat3 {
        fixed_corotated::piola_change(f, &self.hardened(packing), change)
    }

    fn initial_memory(&self) -> f32 {
        1.0
    }

    fn volume_ratio(&self, f: &Mat3, packing: f32) -> f32 {
        f.det() * packing
    }
}

impl StrainLaw for Snow {
    const FLOWS: bool = true;

    fn constants(&self, packing: f32) -> Lame {
        self.hardened(packing)
    }

    #[inline(always)]
    fn respond_to_strain(&self, strain: &Sym3, memory: f32, _dt: f32) -> StrainResponse {
        let (axes, log) = eigen(strain);
        let sigma = Diag3 { x: exp(log.x), y: exp(log.y), z: exp(log.z) };
        let kept = self.clamp(&sigma);
        let flow = |s: f32, kept: f32, log: f32| if s == kept { 0.0 } else { ln(kept) - log };
        let flow =
            Diag3 { x: flow(sigma.x, kept.x, log.x), y: flow(sigma.y, kept.y, log.y), z: flow(sigma.z, kept.z, log.z) };
        let packing = Snow::packed(memory, exp(-flow.sum()));
        let lame = self.hardened(packing);
        StrainResponse {
            flow: axes.conjugate_diag(&flow),
            keeps_volume: false,
            tau: fixed_corotated::stress(&axes, &kept, &lame),
            memory: packing,
            modulus: lame.wave_modulus(),
        }
    }

    fn strain_energy(&self, strain: &Sym3, memory: f32) -> f32 {
        self.energy(&stretched(strain), memory)
    }
}
