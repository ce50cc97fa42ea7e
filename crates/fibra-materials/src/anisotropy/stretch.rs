//! Conversion between a deformation gradient and Hencky's strain on the material's axes.

use super::measure::Measure;
#[cfg(feature = "gpu")]
use super::measure::MeasureExpand;
use super::strain_law::expm1;
use crate::hencky::{self, SMALLEST_STRETCH};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{eigen, sign_of_least};
use fibra_core::elementary::pick;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// `ln U` with the right stretch `U`, from the decomposition `F = W diag(sigma) V^T`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct HenckyStrain {
    f: Mat3,
    /// Principal axes in material coordinates.
    v: Mat3,
    /// Principal axes in space.
    w: Mat3,
    /// Principal stretches; the smallest is negative if `F` reflects.
    sigma: Diag3,
    /// Logarithms of the clamped stretches.
    log: Diag3,
    /// Squared difference of the logarithms of each pair of stretches, stored at the index of the third stretch.
    gaps: Diag3,
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn reciprocal(s: f32) -> f32 {
    let least = pick(s < 0.0, -1e-6, 1e-6);
    1.0 / pick(f32::abs(s) < 1e-6, least, s)
}

/// `sinh(x) / x` by its series in `x^2`, accurate to one part in a million up to `x = 3`: stretches that differ by a factor of 20.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn sinh_quotient(x2: f32) -> f32 {
    let tail = 1.0 + x2 * (1.0 / 110.0) * (1.0 + x2 * (1.0 / 156.0));
    1.0 + x2 * (1.0 / 6.0) * (1.0 + x2 * (1.0 / 20.0) * (1.0 + x2 * (1.0 / 42.0) * (1.0 + x2 * (1.0 / 72.0) * tail)))
}

/// Clamps the stretch before its logarithm is taken.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn clamped(s: f32) -> f32 {
    f32::max(f32::abs(s), SMALLEST_STRETCH)
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn scale_shear(s: &Sym3, k: &Diag3) -> Sym3 {
    Sym3 { xx: s.xx, yy: s.yy, zz: s.zz, yz: k.x * s.yz, xz: k.y * s.xz, xy: k.z * s.xy }
}

impl HenckyStrain {
    /// Magnitude of a plastic strain increment per step above which the flow counts as large [-].
    const LARGE_FLOW: f32 = 0.1;
}

/// Returns the change that raises a stretch to its clamped value: zero unless the particle is crushed or inverted.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn raise(s: f32) -> f32 {
    pick(s < SMALLEST_STRETCH, clamped(s) - s, 0.0)
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn length(a: f32, b: f32, c: f32) -> f32 {
    f32::sqrt(a * a + b * b + c * c)
}

#[cfg_attr(feature = "gpu", cube)]
impl Measure for HenckyStrain {
    #[inline(always)]
    fn of(f: &Mat3) -> HenckyStrain {
        let v = eigen(&f.transpose().gram_rows()).v;
        let along = f.mul(&v);
        // The stretches are the lengths of the mapped axes. Square roots of the eigenvalues would lose small stretches beside large ones, and the
        // axes in space would then not have unit length.
        let x = length(along.xx, along.yx, along.zx);
        let y = length(along.xy, along.yy, along.zy);
        let z = length(along.xz, along.yz, along.zz);
        let sign = sign_of_least(&Diag3 { x, y, z }, pick(f.det() < 0.0, -1.0, 1.0));
        let sigma = Diag3 { x: sign.x * x, y: sign.y * y, z: sign.z * z };
        let log = hencky::strain(&sigma);
        let (a, b, c) = (log.y - log.z, log.x - log.z, log.x - log.y);
        let inverse = Diag3 { x: reciprocal(sigma.x), y: reciprocal(sigma.y), z: reciprocal(sigma.z) };
        let w = along.mul_diag(&inverse);
        HenckyStrain { f: *f, v, w, sigma, log, gaps: Diag3 { x: a * a, y: b * b, z: c * c } }
    }

    #[inline(always)]
    fn strain(&self) -> Sym3 {
        self.v.conjugate_diag(&self.log)
    }

    #[inline(always)]
    fn rotation(&self) -> Mat3 {
        self.w.mul_transpose(&self.v)
    }

    /// With `C = F^T F`, `tau = F (2 dpsi/dC) F^T`. On the principal axes `d(ln U)_ij / dC_ij` is the difference quotient of
    /// `ln(c)/2`. Hence `tau_ij = t_ij sigma_i sigma_j (ln c_i - ln c_j) / (c_i - c_j) = t_ij x / sinh(x)`, where `x` is the difference
    /// of the logarithms. The factor accounts for the rotation of the principal axes if stress and strain are not coaxial.
    #[inline(always)]
    fn stress(&self, t: &Sym3) -> Sym3 {
        let shrink = Diag3 {
            x: 1.0 / sinh_quotient(self.gaps.x),
            y: 1.0 / sinh_quotient(self.gaps.y),
            z: 1.0 / sinh_quotient(self.gaps.z),
        };
        scale_shear(&t.seen_from(&self.v), &shrink).seen_from(&self.w.transpose())
    }

    /// Crushed or inverted stretches are raised to the clamping value.
    ///
    /// `F' = R U^1/2 e^d U^1/2` with `d_ij = flow_ij sinh(x/2) / (x/2)` on the principal axes. This is exact for flow that is coaxial with
    /// the strain; otherwise the error is of the order of the squared flow times the strain. Without flow `F` is bitwise unchanged.
    /// A flow that is too large for one step uses `F' = R e^(ln U + flow)` instead, which bounds the remaining strain even if its
    /// principal axes are inexact.
    #[inline(always)]
    fn with_flow(&self, flow: &Sym3) -> Mat3 {
        let flow = flow.seen_from(&self.v);
        let large = flow.inner(&flow) > HenckyStrain::LARGE_FLOW * HenckyStrain::LARGE_FLOW;
        let grow = Diag3 {
            x: pick(large, 1.0, sinh_quotient(0.25 * self.gaps.x)),
            y: pick(large, 1.0, sinh_quotient(0.25 * self.gaps.y)),
            z: pick(large, 1.0, sinh_quotient(0.25 * self.gaps.z)),
        };
        let exponent = scale_shear(&flow, &grow);
        let change = expm1(&Sym3 {
            xx: exponent.xx + pick(large, self.log.x, 0.0),
            yy: exponent.yy + pick(large, self.log.y, 0.0),
            zz: exponent.zz + pick(large, self.log.z, 0.0),
            yz: exponent.yz,
            xz: exponent.xz,
            xy: exponent.xy,
        });
        let Diag3 { x: s1, y: s2, z: s3 } = self.sigma;
        let x = pick(large, 1.0, f32::sqrt(clamped(s1)));
        let y = pick(large, 1.0, f32::sqrt(clamped(s2)));
        let z = pick(large, 1.0, f32::sqrt(clamped(s3)));
        let moved = Mat3 {
            xx: x * x * change.xx + pick(large, 1.0 - s1, raise(s1)),
            yy: y * y * change.yy + pick(large, 1.0 - s2, raise(s2)),
            zz: z * z * change.zz + pick(large, 1.0 - s3, raise(s3)),
            xy: x * y * change.xy,
            yx: x * y * change.xy,
            xz: x * z * change.xz,
            zx: x * z * change.xz,
            yz: y * z * change.yz,
            zy: y * z * change.yz,
        };
        self.f.add(&self.w.mul(&moved).mul_transpose(&self.v))
    }
}
