//! The strain measure of corotated laws.

use super::measure::Measure;
#[cfg(feature = "gpu")]
use super::measure::MeasureExpand;
use crate::law::kirchhoff;
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::invariants::{RightPolar, right_polar};
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// `U - I` with the right stretch `U`, which has one negative eigenvalue if `F` reflects. Corotated laws are polynomials in this
/// strain, so nothing needs clamping and no eigenvectors are needed.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct PolarStrain {
    f: Mat3,
    polar: RightPolar,
}

#[cfg_attr(feature = "gpu", cube)]
impl Measure for PolarStrain {
    #[inline(always)]
    fn of(f: &Mat3) -> PolarStrain {
        PolarStrain { f: *f, polar: right_polar(f) }
    }

    #[inline(always)]
    fn strain(&self) -> Sym3 {
        self.polar.stretch.add_isotropic(-1.0)
    }

    #[inline(always)]
    fn rotation(&self) -> Mat3 {
        self.polar.rotation
    }

    /// With the second Piola-Kirchhoff stress `S` the energy changes by `S : dC / 2 = S : (U dU + dU U) / 2`. Hence
    /// `t = (U S + S U) / 2`, and `U S = t + w` with an antisymmetric `w`. Symmetry of `S` requires
    /// `w U + U w = U t - t U`; then `tau = F S F^T = R (t + w) F^T`.
    #[inline(always)]
    fn stress(&self, t: &Sym3) -> Sym3 {
        let u = &self.polar.stretch;
        // The axial vector of U t - t U.
        let apart = Diag3 {
            x: (u.xz * t.xy + u.yz * t.yy + u.zz * t.yz) - (t.xz * u.xy + t.yz * u.yy + t.zz * u.yz),
            y: (u.xx * t.xz + u.xy * t.yz + u.xz * t.zz) - (t.xx * u.xz + t.xy * u.yz + t.xz * u.zz),
            z: (u.xy * t.xx + u.yy * t.xy + u.yz * t.xz) - (t.xy * u.xx + t.yy * u.xy + t.yz * u.xz),
        };
        let Diag3 { x, y, z } = self.polar.invariants.turn(u, &apart);
        let cross = Mat3 { xx: 0.0, xy: -z, xz: y, yx: z, yy: 0.0, yz: -x, zx: -y, zy: x, zz: 0.0 };
        kirchhoff(&self.polar.rotation.mul(&t.to_mat3().add(&cross)), &self.f)
    }

    #[inline(always)]
    fn with_flow(&self, _flow: &Sym3) -> Mat3 {
        self.f
    }
}
