//! Strain measures: conversion between deformation gradients and strains on the material's axes.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::mat3::{Mat3, Sym3};

/// A strain measure, evaluated for one deformation gradient. Each law chooses its own measure. All measures agree for small
/// strains, and with identity maps the choice has no effect.
#[cfg_attr(feature = "gpu", cube)]
pub trait Measure: Copy {
    /// Evaluates the measure for a deformation gradient.
    fn of(f: &Mat3) -> Self;
    /// Returns the strain on the material's axes [-].
    fn strain(&self) -> Sym3;
    /// Returns the polar rotation, whose columns are the material's axes in space.
    fn rotation(&self) -> Mat3;
    /// Returns the Kirchhoff stress for `t`, the derivative of the energy with respect to the strain [Pa].
    fn stress(&self, t: &Sym3) -> Sym3;
    /// Returns the deformation gradient after the strain has changed by `flow`, with the same rotation. Measures of laws without
    /// plastic flow return it unchanged.
    fn with_flow(&self, flow: &Sym3) -> Mat3;
}
