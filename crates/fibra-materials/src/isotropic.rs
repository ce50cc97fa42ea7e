//! Derivatives of an isotropic energy with respect to the deformation gradient, from those with respect to its singular values.

use super::hencky::clamped_stretch;
use fibra_core::decompose::Svd;
use fibra_core::mat3::{Diag3, Mat3};

/// Second derivatives of an energy `psi(sigma)` that is symmetric in the singular values [Pa]. The value of a pair of singular values is stored at
/// the index of the third.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curvature {
    /// `d^2 psi / d sigma_i^2`.
    pub(super) own: Diag3,
    /// `d^2 psi / d sigma_i d sigma_j`.
    pub(super) mixed: Diag3,
    /// `(psi_i - psi_j) / (sigma_i - sigma_j)`, `psi_i` the first derivatives.
    pub(super) over_gap: Diag3,
    /// `(psi_i + psi_j) / (sigma_i + sigma_j)`.
    pub(super) over_sum: Diag3,
}

/// `d psi / d F = U diag(psi_i) V^T`.
#[inline(always)]
pub(super) fn piola(svd: &Svd, first: &Diag3) -> Mat3 {
    svd.u.mul_diag(first).mul_transpose(&svd.v)
}

/// Returns the change of `d psi / d F` for a change of `F`. With `X = U^T dF V`, the diagonal of `X` changes the singular values.
/// Its symmetric off-diagonal part rotates `U` and `V` equally, by `X_ij / (sigma_i - sigma_j)`. Its antisymmetric part rotates
/// them oppositely, by `X_ij / (sigma_i + sigma_j)`.
#[inline(always)]
pub(super) fn piola_change(svd: &Svd, curvature: &Curvature, change: &Mat3) -> Mat3 {
    let Curvature { own, mixed, over_gap, over_sum } = curvature;
    let x = svd.u.transpose().mul(change).mul(&svd.v);
    let pair = |a: f32, b: f32, gap: f32, sum: f32| {
        let (alike, apart) = (0.5 * gap * (a + b), 0.5 * sum * (a - b));
        (alike + apart, alike - apart)
    };
    let (yz, zy) = pair(x.yz, x.zy, over_gap.x, over_sum.x);
    let (xz, zx) = pair(x.xz, x.zx, over_gap.y, over_sum.y);
    let (xy, yx) = pair(x.xy, x.yx, over_gap.z, over_sum.z);
    let turned = Mat3 {
        xx: own.x * x.xx + mixed.z * x.yy + mixed.y * x.zz,
        yy: mixed.z * x.xx + own.y * x.yy + mixed.x * x.zz,
        zz: mixed.y * x.xx + mixed.x * x.yy + own.z * x.zz,
        yz,
        zy,
        xz,
        zx,
        xy,
        yx,
    };
    svd.u.mul(&turned).mul_transpose(&svd.v)
}

/// Returns `(a + b) / (s + t)`, finite even if `s = -t`. In that case one stretch is inverted and as large as the other, and the
/// rotation is undefined.
#[inline(always)]
pub(super) fn over_sum([a, b]: [f32; 2], [s, t]: [f32; 2]) -> f32 {
    (a + b) / clamped_stretch(s + t)
}
