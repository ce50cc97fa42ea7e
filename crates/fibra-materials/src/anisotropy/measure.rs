//! Measures of strain on the material's axes: between a deformation gradient and what the maps take in.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::mat3::{Mat3, Sym3};

/// A deformation gradient taken apart. Which measure a law is seen through is the law's choice: all agree for small strains, and
/// with identity maps none shows.
#[cfg_attr(feature = "gpu", cube)]
pub trait Measure: Copy {
    /// Takes a deformation gradient apart.
    fn of(f: &Mat3) -> Self;
    /// The strain on the material's axes [-].
    fn strain(&self) -> Sym3;
    /// The polar rotation: the material's axes in space.
    fn rotation(&self) -> Mat3;
    /// The Kirchhoff stress of `t`, the derivative of an energy by the strain [Pa].
    fn stress(&self, t: &Sym3) -> Sym3;
    /// The deformation gradient whose strain has changed by `flow`, with the rotation kept. Measures of laws without flow leave it.
    fn flown(&self, flow: &Sym3) -> Mat3;
}
