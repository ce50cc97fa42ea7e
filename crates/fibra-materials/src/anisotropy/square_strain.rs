//! The strain measure of neo-Hookean elasticity.

use super::measure::Measure;
#[cfg(feature = "gpu")]
use super::measure::MeasureExpand;
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::invariants::right_polar;
use fibra_core::mat3::{Mat3, Sym3};

/// `(C - C^-1) / 4` with `C = F^T F`. In terms of Hencky's strain `e` it is `sinh(2 e) / 2`, so both measures agree for small
/// strains. It grows without bound as a particle flattens, as a law with a barrier at zero volume requires. It needs no roots and no
/// eigenvectors, and is the same for a reflected `F`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct SquareStrain {
    f: Mat3,
    /// `1 / J^2`, clamped where a particle is crushed.
    reciprocal: f32,
}

impl SquareStrain {
    /// Volume ratio below which the inverse is clamped [-]: the ratio where [`crate::NeoHookean`] clamps its logarithm.
    const SMALLEST_J: f32 = crate::NeoHookean::SMALLEST_J;
}

#[cfg_attr(feature = "gpu", cube)]
impl Measure for SquareStrain {
    #[inline(always)]
    fn of(f: &Mat3) -> SquareStrain {
        let j = f.det();
        let least = SquareStrain::SMALLEST_J * SquareStrain::SMALLEST_J;
        SquareStrain { f: *f, reciprocal: 1.0 / f32::max(j * j, least) }
    }

    #[inline(always)]
    fn strain(&self) -> Sym3 {
        let square = self.f.transpose().gram_rows();
        square.combine(0.25, &square.cofactor(), -0.25 * self.reciprocal)
    }

    #[inline(always)]
    fn rotation(&self) -> Mat3 {
        right_polar(&self.f).rotation
    }

    /// `S = 2 d psi / dC = (t + C^-1 t C^-1) / 2`, so that `tau = F S F^T = (F t F^T + F^-T t F^-1) / 2`.
    #[inline(always)]
    fn stress(&self, t: &Sym3) -> Sym3 {
        let ahead = t.seen_from(&self.f.transpose());
        let back = t.seen_from(&self.f.cofactor().transpose());
        ahead.combine(0.5, &back, 0.5 * self.reciprocal)
    }

    #[inline(always)]
    fn with_flow(&self, _flow: &Sym3) -> Mat3 {
        self.f
    }
}
