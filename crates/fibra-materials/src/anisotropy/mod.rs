//! Anisotropic materials from isotropic laws [Schreck2020]: strain is mapped into a fictitious space where the material is
//! isotropic, any isotropic law answers there, plastic flow included, and what it answers is mapped back.
//!
//! The strain is that of the right stretch `U` of the deformation gradient, on the material's own axes: Hencky's `ln U` for laws with
//! plastic flow, `U - I` for corotated ones, `(U^2 - U^-2) / 4` for neo-Hookean elasticity; all agree while small. The axes are where the
//! deformation gradient starts, as a rotation whose columns they are. Its polar rotation is then the local frame of the paper, turning with
//! the material through elastic strain and plastic flow alike, at no cost and without a state of its own; in flow, where elastic strain
//! is small, it turns as the paper's shape matching on the grid does.
//!
//! | file | holds |
//! |---|---|
//! | [`Orthotropic`] | stiffness from measurable moduli |
//! | [`Matrix6`] | symmetric tensors and maps, 21 numbers |
//! | [`Maps`] | the maps in and out, from the isotropic and the wanted stiffness [Schreck2020, Eq. 5] |
//! | [`StrainLaw`], [`AnswersStrain`] | what a law must answer in the fictitious space |
//! | [`Measure`] | strain, stress and flow between deformation gradient and material axes: [`HenckyStrain`], [`PolarStrain`], [`SquareStrain`] |
//! | [`Orientation`] | grains that turn with the flow [Schreck2020, Sec. 6.4] |
//!
//! The stress is the derivative of an energy for laws that are linear in their strain, whatever the maps; for those without
//! plastic flow, whose maps are made so (the yield surface, which the stress map shapes, they do not have); and for snow up to
//! its own small elastic strain. The paper leaves this open. Differences: it takes any strain measure; its 81 numbers of a
//! map are 36 here, 12 where there are planes of symmetry; and it maps plastic flow out as strain is, which swells, may give energy
//! away and tears no material across its weak axis, where here it is conjugate to the stress in work ([`Maps::flow_outside`]).
//!
//! Limitations: explicit steps only. The volume that diagnostics tell of flowing materials is that of the fictitious space.

mod elasticity;
mod mandel;
mod maps;
mod measure;
#[cfg(feature = "gpu")]
pub mod numbers;
mod orientation;
mod polar_strain;
mod square_strain;
mod strain_law;
mod stretch;
mod wrapper;

pub use elasticity::Orthotropic;
pub use mandel::Matrix6;
pub use maps::{BlockMap, FullMap, Maps, TensorMap};
pub use measure::Measure;
pub use orientation::{AxisParameters, Orientation};
pub use polar_strain::PolarStrain;
pub use square_strain::SquareStrain;
#[cfg(feature = "gpu")]
pub use strain_law::AnswersStrainExpand;
pub(super) use strain_law::stretched;
pub use strain_law::{AnswersStrain, StrainLaw, StrainResponse, StrainTrial};
pub use stretch::HenckyStrain;
pub use wrapper::Anisotropic;
pub(crate) use wrapper::MappedLaw;
#[cfg(feature = "gpu")]
pub use wrapper::{MapKind, respond_with_grains, respond_with_maps};

/// Pairs of axes, from 0, in the order in which moduli and shear components are kept: 23, 13, 12.
pub(crate) const PAIRS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// How a material differs from its isotropic law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anisotropy {
    /// The elasticity wanted.
    pub elasticity: Elasticity,
    /// How stress is mapped before it meets the yield surface; has no effect on laws that do not flow.
    pub stress_map: StressMap,
}

/// An elasticity on the material's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elasticity {
    /// That of the isotropic law itself.
    Same,
    /// With three planes of symmetry.
    Orthotropic(Orthotropic),
    /// Any: a symmetric positive definite stiffness in Mandel's notation, its upper triangle row after row [Pa].
    General([f64; 21]),
}

/// The map `A^s` of stresses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StressMap {
    /// `S -> D S D` with `D = diag(a_1, a_2, a_3)` [-]: an axis with a large factor is weak [Schreck2020, Eq. 6].
    Scales([f64; 3]),
    /// Any: symmetric positive definite, in Mandel's notation, its upper triangle row after row [-].
    General([f64; 21]),
}

/// What cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BadAnisotropy {
    /// A Young's modulus.
    #[error("E_{axis} is {value}; it must be positive and finite, in Pa")]
    YoungsModulus {
        /// Axis, from 1.
        axis: usize,
        /// What was given [Pa].
        value: f64,
    },
    /// A shear modulus.
    #[error("mu_{}{} is {value}; it must be positive and finite, in Pa", .pair[0], .pair[1])]
    ShearModulus {
        /// Axes, from 1.
        pair: [usize; 2],
        /// What was given [Pa].
        value: f64,
    },
    /// Poisson's ratio of a pair with which the material would give energy away.
    #[error("nu_{i}{j} is {value}; nu_{i}{j} nu_{j}{i} would be {product:.3}, and must be below 1 for a stiffness that is positive definite", i = .pair[0], j = .pair[1])]
    Poisson {
        /// Axes, from 1.
        pair: [usize; 2],
        /// What was given [-].
        value: f64,
        /// Its product with the reverse ratio [-].
        product: f64,
    },
    /// Ratios of which each would do, but not all together.
    #[error("the stiffness is not positive definite with a nu_{}{} of {value} beside the other ratios", .pair[0], .pair[1])]
    PoissonTogether {
        /// The pair that couples most, axes from 1.
        pair: [usize; 2],
        /// What was given [-].
        value: f64,
    },
    /// Ratios of one pair that contradict each other.
    #[error("nu_{j}{i} is {given}, but nu_{i}{j} / E_{i} = nu_{j}{i} / E_{j} asks for {expected:.6}", i = .pair[0], j = .pair[1])]
    NotReciprocal {
        /// Axes, from 1.
        pair: [usize; 2],
        /// The reverse ratio given [-].
        given: f64,
        /// The one that would be consistent [-].
        expected: f64,
    },
    /// A scale factor of the stress map.
    #[error("the scale factor a_{axis} is {value}; it must be positive and finite")]
    Scale {
        /// Axis, from 1.
        axis: usize,
        /// What was given [-].
        value: f64,
    },
    /// A map that is not positive definite.
    #[error("the {map} is not positive definite: elimination fails in row {row}")]
    NotPositive {
        /// `stiffness` or `stress map`.
        map: &'static str,
        /// Row, from 1.
        row: usize,
    },
    /// A law that the maps cannot wrap.
    #[error("{law} cannot be made anisotropic: only laws of solids and grains can")]
    Law {
        /// Which.
        law: &'static str,
    },
    /// Poisson's ratio of grains that turn.
    #[error("the Poisson ratio of {of} is {value}; it must lie between -0.5 and 0.5")]
    AxisPoisson {
        /// Which state of the grains.
        of: &'static str,
        /// What was given [-].
        value: f64,
    },
    /// A Young's modulus or scale factor of grains that turn.
    #[error("the {quantity} of {of} is {value}; it must be positive and finite")]
    Axis {
        /// Which state of the grains.
        of: &'static str,
        /// Which parameter.
        quantity: &'static str,
        /// What was given.
        value: f64,
    },
    /// Eigenvalues of the orientation tensor at the start.
    #[error("the alignment at the start is {given:?}; it must be three numbers from 0 to 1 with the sum 1")]
    Alignment {
        /// What was given [-].
        given: [f64; 3],
    },
    /// The elongation of grains.
    #[error("the elongation of the grains is {value}; it must lie between -1 (flat) and 1 (long)")]
    Elongation {
        /// What was given [-].
        value: f64,
    },
}
