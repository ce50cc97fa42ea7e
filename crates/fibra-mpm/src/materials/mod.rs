//! The constitutive laws, one per file, and the enum by which particles refer to them.

pub mod anisotropy;
mod cloth;
mod cofactor;
mod corotated_linear;
mod fiber;
mod fixed_corotated;
mod flow;
mod fluid;
mod goo;
mod hencky;
mod isotropic;
mod lame;
mod neo_hookean;
mod plane;
mod sand;
mod snow;
mod tissue;

pub use anisotropy::Anisotropic;
pub use cloth::Cloth;
pub use corotated_linear::CorotatedLinear;
pub use fiber::Fiber;
pub use fixed_corotated::FixedCorotated;
pub use fluid::Fluid;
pub use goo::Goo;
pub use lame::Lame;
pub use neo_hookean::NeoHookean;
pub use sand::Sand;
pub use snow::Snow;
pub use tissue::Tissue;

use crate::kind::Kind;
use crate::law::{Batch, ElasticBatch, ElementLaw, Law};
use crate::simd::dispatch;
use fibra_core::mat3::Mat3;
use std::sync::Arc;

/// A law with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Material {
    /// Hooke's law under large rotations, for small strains.
    CorotatedLinear(CorotatedLinear),
    /// Jelly, rubber, wood: large rotations, moderate strains.
    FixedCorotated(FixedCorotated),
    /// Rubber at large strains.
    NeoHookean(NeoHookean),
    /// Snow.
    Snow(Snow),
    /// Sand and other dry or slightly cohesive grains.
    Sand(Sand),
    /// Water and other liquids.
    Fluid(Fluid),
    /// Cream, paste, mud: flows above a yield stress.
    Goo(Goo),
    /// Flesh, bundles of fibres: tears where it is sheared too far.
    Tissue(Tissue),
    /// Wood, hay, stacked cards, piles of twigs: one of the laws above seen through maps, shared by all that is made of it.
    Anisotropic(Arc<Anisotropic>),
    /// Yarns, hairs, threads: the elements of curves.
    Fiber(Fiber),
    /// Cloth, paper, skin: the elements of surfaces.
    Cloth(Cloth),
}

/// Calls the same expression on whichever law a material holds, and another on one that is anisotropic.
macro_rules! with_law {
    ($material:expr, $law:ident => $body:expr, $anisotropic:ident => $other:expr) => {
        match $material {
            Material::CorotatedLinear($law) => $body,
            Material::FixedCorotated($law) => $body,
            Material::NeoHookean($law) => $body,
            Material::Snow($law) => $body,
            Material::Sand($law) => $body,
            Material::Fluid($law) => $body,
            Material::Goo($law) => $body,
            Material::Tissue($law) => $body,
            Material::Fiber($law) => $body,
            Material::Cloth($law) => $body,
            Material::Anisotropic($anisotropic) => $other,
        }
    };
}

dispatch! {
    fn respond_to[L: Law; for _V](law: L, batch: &mut Batch, n: usize, dt: f32) {
        batch.respond(law, n, dt);
    }
}

dispatch! {
    fn respond_elements_to[L: ElementLaw; for _V](law: L, batch: &mut Batch, n: usize) {
        batch.respond_elements(law, n);
    }
}

dispatch! {
    fn energy_of[L: Law; for _V](law: L, batch: &mut ElasticBatch, n: usize) {
        batch.energy(law, n);
    }
}

dispatch! {
    fn piola_of[L: Law; for _V](law: L, batch: &mut ElasticBatch, n: usize) {
        batch.piola(law, n);
    }
}

dispatch! {
    fn piola_change_of[L: Law; for _V](law: L, batch: &mut ElasticBatch, n: usize) {
        batch.piola_change(law, n);
    }
}

impl Material {
    /// The kind of element that can be made of it; none for what fills space.
    pub fn element_kind(&self) -> Option<Kind> {
        match self {
            Material::Fiber(_) => Some(Kind::Curve),
            Material::Cloth(_) => Some(Kind::Surface),
            _ => None,
        }
    }

    /// Updates a batch of elements; see [`Batch::respond_elements`]. Does nothing if no elements can be made of the
    /// material ([`Material::element_kind`]).
    pub fn respond_elements(&self, batch: &mut Batch, n: usize) {
        match *self {
            Material::Fiber(fiber) => respond_elements_to(fiber, batch, n),
            Material::Cloth(cloth) => respond_elements_to(cloth, batch, n),
            _ => {}
        }
    }

    /// Updates a batch of particles that belong to no mesh; see [`Batch::respond`].
    pub fn respond(&self, batch: &mut Batch, n: usize, dt: f32) {
        with_law!(self, law => respond_to(*law, batch, n, dt), wrapped => wrapped.respond(batch, n, dt));
    }

    /// Whether implicit steps can be taken: whether the derivatives of the elastic energy are known.
    pub fn has_derivatives(&self) -> bool {
        !matches!(self, Material::Anisotropic(_))
    }

    /// Whether particles carry the alignment of their grains.
    pub fn has_grains(&self) -> bool {
        matches!(self, Material::Anisotropic(wrapped) if wrapped.has_grains())
    }

    /// How grains turn with the flow beyond its spin [-]; see [`Orientation`](anisotropy::Orientation). 0 for all that has no such grains.
    pub fn elongation(&self) -> f32 {
        match self {
            Material::Anisotropic(wrapped) => wrapped.elongation(),
            _ => 0.0,
        }
    }

    /// Eigenvalues of the orientation tensor of grains at the start [-].
    pub fn initial_alignment(&self) -> [f32; 3] {
        match self {
            Material::Anisotropic(wrapped) => wrapped.initial_alignment(),
            _ => [1.0 / 3.0; 3],
        }
    }

    /// Elastic energy per rest volume [J/m^3]; `alignment` is that of grains that turn.
    pub fn energy(&self, f: &Mat3, memory: f32, alignment: [f32; 3]) -> f32 {
        with_law!(self, law => Law::energy(law, f, memory), wrapped => wrapped.energy(f, memory, alignment))
    }

    /// Elastic energies of a batch of particles or elements; see [`ElasticBatch::energy`]. Like the
    /// two functions below it does nothing without [`Material::has_derivatives`].
    pub fn energies(&self, batch: &mut ElasticBatch, n: usize) {
        with_law!(self, law => energy_of(*law, batch, n), _wrapped => ());
    }

    /// Derivatives of the elastic energies of particles or elements; see [`ElasticBatch::piola`].
    pub fn piola(&self, batch: &mut ElasticBatch, n: usize) {
        with_law!(self, law => piola_of(*law, batch, n), _wrapped => ());
    }

    /// Products with the Hessians of the elastic energies of particles or elements; see [`ElasticBatch::piola_change`].
    pub fn piola_change(&self, batch: &mut ElasticBatch, n: usize) {
        with_law!(self, law => piola_change_of(*law, batch, n), _wrapped => ());
    }

    /// Start value of the law's scalar.
    pub fn initial_memory(&self) -> f32 {
        with_law!(self, law => law.initial_memory(), wrapped => wrapped.initial_memory())
    }

    /// Present volume over rest volume [-].
    pub fn volume_ratio(&self, f: &Mat3, memory: f32) -> f32 {
        with_law!(self, law => law.volume_ratio(f, memory), wrapped => wrapped.volume_ratio(f, memory))
    }

    /// Viscosity that is no part of the elastic energy, and bounds explicit steps [Pa s].
    pub fn explicit_viscosity(&self) -> f32 {
        match self {
            Material::Fluid(fluid) => fluid.viscosity,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests;
