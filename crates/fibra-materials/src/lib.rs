//! The constitutive models of the material point method, one file and one table row each.
//!
//! A material's file declares
//! - its law ([`Law`]; [`ElementLaw`] for surfaces and curves),
//! - its parameters with defaults, ranges and units ([`MaterialParams`]),
//! - its appearance ([`MaterialModel`]),
//! - its packing for GPUs.
//!
//! Its row in `for_each_material` adds a variant to [`Material`], the laws that particles refer to, and to [`MaterialSpec`],
//! the parameters that users set. The scene schema, the checks, and the dispatch on CPU and GPU are generated from the row.
//! [`Material::custom`] accepts laws of other crates.

// CubeCL macros generate items without docs. Builds without the feature check all docs.
#![cfg_attr(feature = "gpu", allow(missing_docs))]

pub mod anisotropy;
mod cloth;
mod cofactor;
mod corotated_linear;
mod custom;
mod elastic_model;
mod elastic_params;
mod fiber;
mod fixed_corotated;
mod flow;
mod fluid;
mod goo;
mod hencky;
mod isotropic;
pub mod kind;
mod lame;
pub mod law;
mod model;
mod neo_hookean;
mod parameters;
mod plane;
mod sand;
mod slime;
mod snow;
mod spec;
mod substance;
mod thin_params;
mod tissue;

pub use anisotropy::Anisotropic;
pub use custom::CustomLaw;
pub use elastic_model::ElasticModel;
pub use elastic_params::ElasticParams;
pub use lame::Lame;
pub use model::{ElasticModuli, Finish, Look, MaterialModel, MaterialParams, MeshProperties};
pub use parameters::{BadParameter, ParameterCheck, plain_number, range_in_words};
pub use spec::{ANISOTROPIC, MaterialSpec};
pub use substance::Substance;
pub use thin_params::{Deformation, SelfContact};

use crate::kind::Kind;
use crate::law::{Batch, ElasticBatch, ElementLaw, ImplicitLaw, Law};
use anisotropy::MappedLaw;
use fibra_core::mat3::Mat3;
use fibra_core::simd::dispatch;
use std::sync::Arc;

/// The table of materials. Calls `$callback!` with `[$args]` and all rows.
///
/// A row holds, in this order: the documentation and the name of the material in scene files, its file, its law, its parameters (if not
/// `ElasticParams`), and the kind of object: `solid`, `surface` or `curves`. A material marked `solid with axes` can be made anisotropic:
/// its law is a [`StrainLaw`](crate::anisotropy::StrainLaw).
#[macro_export]
macro_rules! for_each_material {
    ($callback:ident! $($args:tt)*) => {
        $callback! {
            [$($args)*]
            /// Hooke's law under large rotations: elastic, for small strains.
            "corotated-linear" => corotated_linear::{CorotatedLinear}, solid with axes;
            /// Jelly: elastic, robust when crushed or inverted.
            "fixed-corotated" => fixed_corotated::{FixedCorotated}, solid with axes;
            /// Rubber: elastic, ever stiffer toward zero volume.
            "neo-hookean" => neo_hookean::{NeoHookean}, solid with axes;
            /// Snow: packs, hardens and breaks.
            "snow" => snow::{Snow, SnowParams}, solid with axes;
            /// Sand: Hencky elasticity with a Drucker-Prager yield surface.
            "sand" => sand::{Sand, SandParams}, solid with axes;
            /// Water and other liquids: weakly compressible.
            "fluid" => fluid::{Fluid, FluidParams}, solid;
            /// Whipped cream, toothpaste, mud: elastic up to a yield stress, then flows.
            "goo" => goo::{Goo, GooParams}, solid with axes;
            /// Slime, egg white, polymer solutions: a viscoelastic liquid that springs back over short times.
            "slime" => slime::{Slime, SlimeParams}, solid;
            /// Flesh, felt, straw: elastic until it tears in shear.
            "tissue" => tissue::{Tissue, TissueParams}, solid with axes;
            /// Cloth, paper, skin: an elastic surface with friction on itself and on other objects. Needs a shape that is a surface.
            "cloth" => cloth::{Cloth, ClothParams}, surface;
            /// Yarns, hairs, threads: elastic curves with friction between them. Needs a shape that is made of curves.
            "fiber" => fiber::{Fiber, FiberParams}, curves;
        }
    };
}

/// Generates the enum of laws and the names of its variants from the table.
macro_rules! define_material {
    ([] $($(#[$doc:meta])* $name:literal => $file:ident::{$Law:ident $(, $Params:ident)?}, $form:ident $(with $axes:ident)?;)*) => {
        $(pub use $file::{$Law $(, $Params)?};)*

        /// A constitutive law with its parameters in computational form.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Material {
            $($(#[$doc])* $Law($Law),)*
            /// Wood, hay, stacked cards, piles of twigs: an isotropic law composed with linear maps of the strain, shared by all objects of the material.
            Anisotropic(Arc<Anisotropic>),
            /// A law of another crate; see [`Material::custom`].
            Custom(CustomLaw),
        }

        $(impl From<$Law> for Material {
            fn from(law: $Law) -> Material {
                Material::$Law(law)
            }
        })*

        impl Material {
            /// Returns the material's name in scene files; for a custom law the name of its type.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Material::$Law(_) => $name,)*
                    Material::Anisotropic(_) => "anisotropic",
                    Material::Custom(law) => law.name(),
                }
            }

            /// Returns the kind of mesh element that the material is for; `None` for solids, grains and liquids.
            pub fn element_kind(&self) -> Option<Kind> {
                match self {
                    $(Material::$Law(_) => element_kind!($form),)*
                    Material::Anisotropic(_) | Material::Custom(_) => None,
                }
            }

            /// Updates a batch of elements; see [`Batch::respond_elements`]. Does nothing if the material is not for elements
            /// ([`Material::element_kind`]).
            pub fn respond_elements(&self, batch: &mut Batch, n: usize) {
                match self {
                    $(Material::$Law(_law) => respond_elements_if!($form, _law, batch, n),)*
                    Material::Anisotropic(_) | Material::Custom(_) => {}
                }
            }

            /// Returns the law in the form that strain maps can be applied to, if it can be made anisotropic.
            pub(crate) fn mapped_law(&self) -> Option<Arc<dyn MappedLaw>> {
                match self {
                    $(Material::$Law(_law) => mapped_law!(_law $($axes)?),)*
                    Material::Anisotropic(_) | Material::Custom(_) => None,
                }
            }
        }
    };
}

impl From<Anisotropic> for Material {
    fn from(law: Anisotropic) -> Material {
        Material::Anisotropic(Arc::new(law))
    }
}

macro_rules! element_kind {
    (solid) => {
        None
    };
    (surface) => {
        Some(Kind::Surface)
    };
    (curves) => {
        Some(Kind::Curve)
    };
}
pub(crate) use element_kind;

macro_rules! respond_elements_if {
    (solid, $law:ident, $batch:ident, $n:ident) => {{}};
    ($element:ident, $law:ident, $batch:ident, $n:ident) => {
        respond_elements_to(*$law, $batch, $n)
    };
}

macro_rules! mapped_law {
    ($law:ident) => {
        None
    };
    ($law:ident axes) => {
        Some(Arc::new(*$law))
    };
}

for_each_material!(define_material!);

/// Matches on the law of a material: evaluates one expression for all laws of the table, and separate expressions for anisotropic and
/// custom laws.
macro_rules! with_law {
    ($material:expr, $law:ident => $body:expr, $anisotropic:ident => $other:expr, $custom:ident => $third:expr) => {
        for_each_material!(match_law! $material, $law => $body, $anisotropic => $other, $custom => $third)
    };
}

macro_rules! match_law {
    ([$material:expr, $law:ident => $body:expr, $anisotropic:ident => $other:expr, $custom:ident => $third:expr]
        $($(#[$doc:meta])* $name:literal => $file:ident::{$Law:ident $(, $Params:ident)?}, $form:ident $(with $axes:ident)?;)*) => {
        match $material {
            $(Material::$Law($law) => $body,)*
            Material::Anisotropic($anisotropic) => $other,
            Material::Custom($custom) => $third,
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
    fn piola_of[L: ImplicitLaw; for _V](law: L, batch: &mut ElasticBatch, n: usize) {
        batch.piola(law, n);
    }
}

dispatch! {
    fn piola_change_of[L: ImplicitLaw; for _V](law: L, batch: &mut ElasticBatch, n: usize) {
        batch.piola_change(law, n);
    }
}

impl Material {
    /// Wraps a law of another crate, for explicit steps on the CPU.
    pub fn custom<L: Law + 'static>(law: L) -> Material {
        Material::Custom(CustomLaw::new(law))
    }

    /// Wraps a law of another crate with the derivatives that implicit steps need.
    pub fn custom_implicit<L: ImplicitLaw + 'static>(law: L) -> Material {
        Material::Custom(CustomLaw::with_derivatives(law))
    }

    /// Updates a batch of particles that do not belong to a mesh; see [`Batch::respond`].
    pub fn respond(&self, batch: &mut Batch, n: usize, dt: f32) {
        with_law!(self, law => respond_to(*law, batch, n, dt), wrapped => wrapped.respond(batch, n, dt), own => own.respond(batch, n, dt));
    }

    /// Returns the material with the plastic flow of this one and another elastic model of the same moduli. `None` if this material has no plastic flow
    /// that is separate from its elasticity.
    pub fn with_elasticity(&self, model: ElasticModel) -> Option<Material> {
        self.mapped_law()?.with_elasticity(model).map(Material::from)
    }

    /// Returns whether the material supports implicit steps, which need the derivatives of its elastic energy.
    pub fn has_derivatives(&self) -> bool {
        match self {
            Material::Custom(law) => law.has_derivatives(),
            _ => true,
        }
    }

    /// Returns whether particles store the alignment of their grains.
    pub fn has_grains(&self) -> bool {
        matches!(self, Material::Anisotropic(wrapped) if wrapped.has_grains())
    }

    /// Returns the elongation of the grains [-], which controls how they turn with the flow; see
    /// [`Orientation`](anisotropy::Orientation). 0 for materials without oriented grains.
    pub fn elongation(&self) -> f32 {
        match self {
            Material::Anisotropic(wrapped) => wrapped.elongation(),
            _ => 0.0,
        }
    }

    /// Returns the initial eigenvalues of the grains' orientation tensor [-].
    pub fn initial_alignment(&self) -> [f32; 3] {
        match self {
            Material::Anisotropic(wrapped) => wrapped.initial_alignment(),
            _ => [1.0 / 3.0; 3],
        }
    }

    /// Computes the elastic energy per rest volume [J/m^3]. `alignment` is the alignment of oriented grains.
    pub fn energy(&self, f: &Mat3, memory: f32, alignment: [f32; 3]) -> f32 {
        with_law!(self, law => Law::energy(law, f, memory), wrapped => wrapped.energy(f, memory, alignment), own => own.energy(f, memory))
    }

    /// Computes the elastic energies of a batch of particles or elements; see [`ElasticBatch::energy`]. Does nothing if [`Material::has_derivatives`]
    /// is false; the same holds for [`Material::piola`] and [`Material::piola_change`].
    pub fn energies(&self, batch: &mut ElasticBatch, n: usize) {
        with_law!(self, law => energy_of(*law, batch, n), wrapped => wrapped.energies(batch, n), own => own.energies(batch, n));
    }

    /// Computes the derivatives of the elastic energies of particles or elements; see [`ElasticBatch::piola`].
    pub fn piola(&self, batch: &mut ElasticBatch, n: usize) {
        with_law!(self, law => piola_of(*law, batch, n), wrapped => wrapped.piola(batch, n), own => own.piola(batch, n));
    }

    /// Computes products with the Hessians of the elastic energies of particles or elements; see [`ElasticBatch::piola_change`].
    pub fn piola_change(&self, batch: &mut ElasticBatch, n: usize) {
        with_law!(self, law => piola_change_of(*law, batch, n), wrapped => wrapped.piola_change(batch, n), own => own.piola_change(batch, n));
    }

    /// Returns the initial value of the law's internal variable.
    pub fn initial_memory(&self) -> f32 {
        with_law!(self, law => law.initial_memory(), wrapped => wrapped.initial_memory(), own => own.initial_memory())
    }

    /// Computes current volume over rest volume [-].
    pub fn volume_ratio(&self, f: &Mat3, memory: f32) -> f32 {
        with_law!(self, law => law.volume_ratio(f, memory), wrapped => wrapped.volume_ratio(f, memory), own => own.volume_ratio(f, memory))
    }

    /// Returns the elastic ratio of volume to rest volume: the determinant of the deformation gradient, or for liquids their own measure.
    #[inline]
    pub fn elastic_volume_ratio(&self, f: &Mat3, memory: f32) -> f32 {
        match self {
            Material::Fluid(_) => memory,
            Material::Slime(slime) => slime.volume_ratio(f, memory),
            _ => f.det(),
        }
    }

    /// Returns the viscosity that is not part of the elastic energy and bounds explicit steps [Pa s].
    pub fn explicit_viscosity(&self) -> f32 {
        with_law!(self, law => law.explicit_viscosity(), _wrapped => 0.0, own => own.explicit_viscosity())
    }
}

#[cfg(test)]
mod tests;
