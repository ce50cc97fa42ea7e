//! The directional derivative of the cofactor matrix.

use fibra_core::mat3::Mat3;

/// Returns the change of `d det A / d A` for a change `B` of `A`; symmetric in both arguments.
#[inline(always)]
pub(super) fn cofactor_change(a: &Mat3, b: &Mat3) -> Mat3 {
    Mat3 {
        xx: a.yy * b.zz + b.yy * a.zz - a.yz * b.zy - b.yz * a.zy,
        xy: a.yz * b.zx + b.yz * a.zx - a.yx * b.zz - b.yx * a.zz,
        xz: a.yx * b.zy + b.yx * a.zy - a.yy * b.zx - b.yy * a.zx,
        yx: a.zy * b.xz + b.zy * a.xz - a.zz * b.xy - b.zz * a.xy,
        yy: a.zz * b.xx + b.zz * a.xx - a.zx * b.xz - b.zx * a.xz,
        yz: a.zx * b.xy + b.zx * a.xy - a.zy * b.xx - b.zy * a.xx,
        zx: a.xy * b.yz + b.xy * a.yz - a.xz * b.yy - b.xz * a.yy,
        zy: a.xz * b.yx + b.xz * a.yx - a.xx * b.yz - b.xx * a.yz,
        zz: a.xx * b.yy + b.xx * a.yy - a.xy * b.yx - b.xy * a.yx,
    }
}

/// Returns the sum of the products of the entries. If `a` is the cofactor of `F`, this is the change of `det F` for a change `b` of `F`.
#[inline(always)]
pub(super) fn inner(a: &Mat3, b: &Mat3) -> f32 {
    (a.xx * b.xx + a.xy * b.xy + a.xz * b.xz)
        + (a.yx * b.yx + a.yy * b.yy + a.yz * b.yz)
        + (a.zx * b.zx + a.zy * b.zy + a.zz * b.zz)
}
