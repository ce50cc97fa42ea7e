//! Anisotropic materials from isotropic laws [Schreck2020]. Strain is mapped into a fictitious space where the material is
//! isotropic. An isotropic law computes stress and plastic flow there, and the result is mapped back.
//!
//! The strain is computed from the right stretch tensor `U` of the deformation gradient, in the material axes. The strain
//! measure depends on the law:
//! - laws with plastic flow: Hencky strain `ln U`;
//! - corotated laws: `U - I`;
//! - neo-Hookean elasticity: `(U^2 - U^-2) / 4`.
//!
//! All measures agree for small strains. The initial deformation gradient is the rotation whose columns are the material's
//! axes. The polar rotation of the current deformation gradient is the local frame of the paper. This frame turns with the
//! material, in elastic deformation and plastic flow alike, at no cost and without additional state. In flow, where the
//! elastic strain is small, it turns like the frame that the paper finds by shape matching on the grid.
//!
//! | item | purpose |
//! |---|---|
//! | [`Orthotropic`] | stiffness from measurable moduli |
//! | [`Matrix6`] | linear maps between symmetric tensors; a symmetric map has 21 independent entries |
//! | [`Maps`] | the maps into the fictitious space and back, from the isotropic and the wanted stiffness [Schreck2020, Eq. 5] |
//! | [`StrainLaw`], [`RespondToStrain`] | interface of laws in the fictitious space |
//! | [`Exchanged`] | a law with plastic flow and the elasticity of another law |
//! | [`Measure`] | strain, stress and flow between deformation gradient and material axes: [`HenckyStrain`], [`PolarStrain`], [`SquareStrain`] |
//! | [`Orientation`] | grains that turn with the flow [Schreck2020, Sec. 6.4] |
//!
//! The stress is the derivative of an energy in three cases:
//! - for laws that are linear in their strain, with any maps;
//! - for laws without plastic flow: they have no yield surface, so the stress map is free and chosen accordingly;
//! - for snow, up to an error of the order of its elastic strain, which is small.
//!
//! The paper leaves open whether such an energy exists.
//!
//! Differences from the paper: the paper allows any strain measure. It stores a map in 81 numbers; we use 36, or 12 with planes of symmetry. The
//! paper maps plastic flow like strain. That swells the material, can create energy, and extends a material least along its weak axis. Our flow is
//! work-conjugate to the stress ([`Maps::flow_outside`]). [`FlowRule`] selects either.
//!
//! Implicit steps minimize that energy. For snow and laws with exchanged elasticity its derivative differs from the stress of explicit steps by the order of the
//! elastic strain ([`PrincipalStress`]).
//!
//! Limitations: the volume that diagnostics report for flowing materials is measured in the fictitious space.

mod derivatives;
mod elasticity;
mod exchanged;
mod mandel;
mod maps;
mod measure;
mod orientation;
#[cfg(feature = "gpu")]
pub mod packing;
mod polar_strain;
mod square_strain;
mod strain_law;
mod stretch;
mod wrapper;

pub use derivatives::{PrincipalStress, SpectralMeasure};
pub use elasticity::Orthotropic;
pub use exchanged::Exchanged;
pub use mandel::Matrix6;
pub use maps::{BlockMap, FullMap, Maps, TensorMap};
pub use measure::Measure;
pub use orientation::{AxisParameters, Orientation};
pub use polar_strain::PolarStrain;
pub use square_strain::SquareStrain;
#[cfg(feature = "gpu")]
pub use strain_law::RespondToStrainExpand;
pub(super) use strain_law::{LARGEST_STRAIN, stretched};
pub use strain_law::{RespondToStrain, StrainLaw, StrainResponse, StrainTrial};
pub use stretch::HenckyStrain;
pub use wrapper::Anisotropic;
pub(crate) use wrapper::MappedLaw;
#[cfg(feature = "gpu")]
pub use wrapper::{MapKind, respond_with_grains, respond_with_maps};

/// Pairs of axes, from 0, in the storage order of moduli and shear components: 23, 13, 12.
pub(crate) const PAIRS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// Properties of an anisotropic material that differ from those of its isotropic law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anisotropy {
    /// Elasticity of the anisotropic material.
    pub elasticity: Elasticity,
    /// Map of the stress before it is compared with the yield surface; has no effect on laws without plastic flow.
    pub stress_map: StressMap,
}

/// Elasticity on the material's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elasticity {
    /// The elasticity of the isotropic law.
    Same,
    /// Elasticity with three planes of symmetry.
    Orthotropic(Orthotropic),
    /// A general symmetric positive definite stiffness in Mandel's notation: the upper triangle, row by row [Pa].
    General([f64; 21]),
}

/// The map `A^s` of stresses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StressMap {
    /// `S -> D S D` with `D = diag(a_1, a_2, a_3)` [-]. An axis with a large factor is weak [Schreck2020, Eq. 6].
    Scales([f64; 3]),
    /// A general symmetric positive definite map in Mandel's notation: the upper triangle, row by row [-].
    General([f64; 21]),
}

/// How plastic flow in the fictitious space becomes plastic flow of the material; has no effect on laws without plastic flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowRule {
    /// Work-conjugate to the stress: never creates energy, keeps the volume where the isotropic law does, and opens cracks across the weak axis. The stress
    /// returns to the yield surface over a few steps.
    #[default]
    Conjugate,
    /// The strain after the flow is mapped back with the inverse of the strain map [Schreck2020, Algorithm 1]. The stress returns to the yield surface
    /// within the step; the flow can create volume and energy.
    Paper,
}

/// Error: the anisotropy cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BadAnisotropy {
    /// A Young's modulus is not positive and finite.
    #[error("E_{axis} is {value}; it must be positive and finite, in Pa")]
    YoungsModulus {
        /// Axis, from 1.
        axis: usize,
        /// The given value [Pa].
        value: f64,
    },
    /// A shear modulus is not positive and finite.
    #[error("mu_{}{} is {value}; it must be positive and finite, in Pa", .pair[0], .pair[1])]
    ShearModulus {
        /// Axes, from 1.
        pair: [usize; 2],
        /// The given value [Pa].
        value: f64,
    },
    /// Poisson's ratio of a pair makes the stiffness indefinite.
    #[error("nu_{i}{j} is {value}; nu_{i}{j} nu_{j}{i} is {product:.3}, but must be below 1 for a positive definite stiffness", i = .pair[0], j = .pair[1])]
    Poisson {
        /// Axes, from 1.
        pair: [usize; 2],
        /// The given value [-].
        value: f64,
        /// Product with the reverse ratio [-].
        product: f64,
    },
    /// Each ratio is admissible alone, but not all of them together.
    #[error("the stiffness is not positive definite: nu_{}{} of {value} is incompatible with the other ratios", .pair[0], .pair[1])]
    PoissonTogether {
        /// The most strongly coupled pair; axes from 1.
        pair: [usize; 2],
        /// The given value [-].
        value: f64,
    },
    /// The two ratios of a pair contradict each other.
    #[error("nu_{j}{i} is {given}, but nu_{i}{j} / E_{i} = nu_{j}{i} / E_{j} requires {expected:.6}", i = .pair[0], j = .pair[1])]
    NotReciprocal {
        /// Axes, from 1.
        pair: [usize; 2],
        /// The given reverse ratio [-].
        given: f64,
        /// The consistent reverse ratio [-].
        expected: f64,
    },
    /// A scale factor of the stress map is not positive and finite.
    #[error("the scale factor a_{axis} is {value}; it must be positive and finite")]
    Scale {
        /// Axis, from 1.
        axis: usize,
        /// The given value [-].
        value: f64,
    },
    /// A map is not positive definite.
    #[error("the {map} is not positive definite: elimination fails in row {row}")]
    NotPositive {
        /// `stiffness` or `stress map`.
        map: &'static str,
        /// Row, from 1.
        row: usize,
    },
    /// The law cannot be made anisotropic.
    #[error("{law} cannot be made anisotropic: only laws of solids and grains can")]
    Law {
        /// Name of the law.
        law: &'static str,
    },
    /// Poisson's ratio of oriented grains is out of range.
    #[error("the Poisson ratio of {of} is {value}; it must lie between -0.5 and 0.5")]
    AxisPoisson {
        /// Name of the state of the grains.
        of: &'static str,
        /// The given value [-].
        value: f64,
    },
    /// A Young's modulus or scale factor of oriented grains is not positive and finite.
    #[error("the {quantity} of {of} is {value}; it must be positive and finite")]
    Axis {
        /// Name of the state of the grains.
        of: &'static str,
        /// Name of the parameter.
        quantity: &'static str,
        /// The given value.
        value: f64,
    },
    /// The initial eigenvalues of the orientation tensor are not three numbers from 0 to 1 with the sum 1.
    #[error("the initial alignment is {given:?}; it must be three numbers from 0 to 1 with the sum 1")]
    Alignment {
        /// The given values [-].
        given: [f64; 3],
    },
    /// The elongation of the grains is out of range.
    #[error("the elongation of the grains is {value}; it must lie between -1 (flat) and 1 (long)")]
    Elongation {
        /// The given value [-].
        value: f64,
    },
}
