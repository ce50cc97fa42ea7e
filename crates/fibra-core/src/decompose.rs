//! Singular value, eigenvalue, polar and QR decompositions of 3x3 matrices, free of branches so that they vectorize.
//!
//! The singular value decomposition follows the plan of [McAdams2011]: Jacobi sweeps on `A^T A` give `V`; sorting the
//! columns of `A V` and a Givens QR give `U` and the singular values with the accuracy of `A` rather than of `A^T A`.
//! It differs in taking exact Jacobi angles with full square roots and divisions: fewer sweeps, errors at rounding
//! instead of 1e-5, and the same bits on every machine.

use crate::elementary::pick;
use crate::mat3::{Diag3, Mat3, Sym3};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;

/// `A = U diag(sigma) V^T` with `U`, `V` proper rotations and `sigma.x >= sigma.y >= |sigma.z|`; a reflection shows as
/// `sigma.z < 0`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Svd {
    /// Left rotation.
    pub u: Mat3,
    /// Singular values, largest first; only the last may be negative.
    pub sigma: Diag3,
    /// Right rotation.
    pub v: Mat3,
}

/// `A = R S` with `R` a proper rotation and `S` symmetric (positive semidefinite unless `A` reflects).
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Polar {
    /// The rotation.
    pub r: Mat3,
    /// The stretch.
    pub s: Sym3,
}

/// `A = Q R` with `Q` a proper rotation and `R` upper triangular, `R.xx, R.yy >= 0`; `R.zz` has the sign of `det A`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Qr {
    /// The rotation.
    pub q: Mat3,
    /// The upper-triangular factor.
    pub r: Mat3,
}

/// A rotation in a plane, by its cosine and sine.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct Turn {
    c: f32,
    s: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl Turn {
    /// By at most pi/4, such that it diagonalizes `[app apq; apq aqq]`.
    #[inline(always)]
    fn jacobi(app: f32, apq: f32, aqq: f32) -> Turn {
        // tan(2 theta) = h / d, so tan(theta) = h / (|d| + r) with the sign of d: a form that never cancels.
        let d = app - aqq;
        let h = 2.0 * apq;
        let r = f32::sqrt(d * d + h * h);
        let m = f32::max(f32::abs(d) + r, 1e-18);
        let k = 1.0 / f32::sqrt(m * m + h * h);
        Turn { c: m * k, s: pick(d < 0.0, -h, h) * k }
    }

    /// What turns `(a, b)` into `(sqrt(a^2 + b^2), 0)`; nothing when both vanish.
    #[inline(always)]
    fn givens(a: f32, b: f32) -> Turn {
        let r2 = a * a + b * b;
        let sound = r2 > 1e-36;
        let k = 1.0 / f32::sqrt(pick(sound, r2, 1.0));
        Turn { c: pick(sound, a * k, 1.0), s: pick(sound, b * k, 0.0) }
    }

    /// The first two columns turned, and then columns renamed: the second is the first of what is returned, the third its second,
    /// the first its third. Three calls go through all pairs and leave every column in its place.
    #[inline(always)]
    fn columns(&self, m: &Mat3) -> Mat3 {
        Mat3 {
            xx: self.c * m.xy - self.s * m.xx,
            xy: m.xz,
            xz: self.c * m.xx + self.s * m.xy,
            yx: self.c * m.yy - self.s * m.yx,
            yy: m.yz,
            yz: self.c * m.yx + self.s * m.yy,
            zx: self.c * m.zy - self.s * m.zx,
            zy: m.zz,
            zz: self.c * m.zx + self.s * m.zy,
        }
    }

    /// The Jacobi rotation of a symmetric matrix in the plane of the first two axes, which are then renamed as [`Turn::columns`] does.
    #[inline(always)]
    fn axes(&self, a: &Sym3) -> Sym3 {
        let (cc, ss, cs) = (self.c * self.c, self.s * self.s, self.c * self.s);
        Sym3 {
            xx: ss * a.xx - 2.0 * cs * a.xy + cc * a.yy,
            yy: a.zz,
            zz: cc * a.xx + 2.0 * cs * a.xy + ss * a.yy,
            yz: self.c * a.xz + self.s * a.yz,
            xz: (cc - ss) * a.xy + cs * (a.yy - a.xx),
            xy: self.c * a.yz - self.s * a.xz,
        }
    }
}

/// A symmetric matrix on its way to a diagonal one, `V^T S V`.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct Sweep {
    s: Sym3,
    v: Mat3,
}

#[cfg_attr(feature = "gpu", cube)]
impl Sweep {
    /// One rotation, in the plane of the first two axes, which are then renamed.
    #[inline(always)]
    fn rotate(&self) -> Sweep {
        let turn = Turn::jacobi(self.s.xx, self.s.xy, self.s.yy);
        Sweep { s: turn.axes(&self.s), v: turn.columns(&self.v) }
    }

    /// One cyclic Jacobi sweep.
    #[inline(always)]
    fn once(&self) -> Sweep {
        self.rotate().rotate().rotate()
    }

    /// Three sweeps. Written out rather than looped: a loop inside would keep the compiler from vectorizing over particles.
    #[inline(always)]
    fn thrice(s: &Sym3) -> Sweep {
        let start = Sweep { s: *s, v: Mat3::diagonal(1.0, 1.0, 1.0) };
        start.once().once().once()
    }
}

/// QR decomposition by three Givens rotations.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn qr(a: &Mat3) -> Qr {
    let Turn { c: c1, s: s1 } = Turn::givens(a.xx, a.yx);
    // Rows x and y turned so that yx = 0.
    let (xx, xy, xz) = (c1 * a.xx + s1 * a.yx, c1 * a.xy + s1 * a.yy, c1 * a.xz + s1 * a.yz);
    let (yy, yz) = (c1 * a.yy - s1 * a.xy, c1 * a.yz - s1 * a.xz);
    // Rows x and z so that zx = 0.
    let Turn { c: c2, s: s2 } = Turn::givens(xx, a.zx);
    let (xx, xy, xz, zy, zz) =
        (c2 * xx + s2 * a.zx, c2 * xy + s2 * a.zy, c2 * xz + s2 * a.zz, c2 * a.zy - s2 * xy, c2 * a.zz - s2 * xz);
    // Rows y and z so that zy = 0.
    let Turn { c: c3, s: s3 } = Turn::givens(yy, zy);
    let (yy, yz, zz) = (c3 * yy + s3 * zy, c3 * yz + s3 * zz, c3 * zz - s3 * yz);
    Qr {
        q: Mat3 {
            xx: c1 * c2,
            xy: -s1 * c3 - c1 * s2 * s3,
            xz: s1 * s3 - c1 * s2 * c3,
            yx: s1 * c2,
            yy: c1 * c3 - s1 * s2 * s3,
            yz: -c1 * s3 - s1 * s2 * c3,
            zx: s2,
            zy: c2 * s3,
            zz: c2 * c3,
        },
        r: Mat3 { xx, xy, xz, yx: 0.0, yy, yz, zx: 0.0, zy: 0.0, zz },
    }
}

/// `B = A V` with orthogonal columns, `V` a rotation.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct Columns {
    b: Mat3,
    v: Mat3,
}

#[cfg_attr(feature = "gpu", cube)]
impl Columns {
    #[inline(always)]
    fn of(a: &Mat3) -> Columns {
        // Cyclic Jacobi converges quadratically: after three sweeps on A^T A, and one more below on the columns of A V, f32
        // is at rounding for any input (see the tests).
        let v = Sweep::thrice(&a.transpose().gram_rows()).v;
        let start = Columns { b: a.mul(&v), v };
        start.rotate().rotate().rotate()
    }

    /// One-sided Jacobi: turns the first two columns of `B` until they are orthogonal, then renames. Unlike rotations found from `A^T A`
    /// these see singular values below sqrt(epsilon) of the largest.
    #[inline(always)]
    fn rotate(&self) -> Columns {
        let g = self.b.transpose().gram_rows();
        let turn = Turn::jacobi(g.xx, g.xy, g.yy);
        Columns { b: turn.columns(&self.b), v: turn.columns(&self.v) }
    }

    /// The first two columns in the order of their length, if asked to swap them; a negation keeps the determinant.
    #[inline(always)]
    fn swap_xy(&self, asked: bool) -> Columns {
        Columns { b: swap_xy(&self.b, asked), v: swap_xy(&self.v, asked) }
    }

    /// The same with the first and the third.
    #[inline(always)]
    fn swap_xz(&self, asked: bool) -> Columns {
        Columns { b: swap_xz(&self.b, asked), v: swap_xz(&self.v, asked) }
    }

    /// The same with the last two.
    #[inline(always)]
    fn swap_yz(&self, asked: bool) -> Columns {
        Columns { b: swap_yz(&self.b, asked), v: swap_yz(&self.v, asked) }
    }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn swap_xy(m: &Mat3, asked: bool) -> Mat3 {
    Mat3 {
        xx: pick(asked, m.xy, m.xx),
        xy: pick(asked, -m.xx, m.xy),
        xz: m.xz,
        yx: pick(asked, m.yy, m.yx),
        yy: pick(asked, -m.yx, m.yy),
        yz: m.yz,
        zx: pick(asked, m.zy, m.zx),
        zy: pick(asked, -m.zx, m.zy),
        zz: m.zz,
    }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn swap_xz(m: &Mat3, asked: bool) -> Mat3 {
    Mat3 {
        xx: pick(asked, m.xz, m.xx),
        xy: m.xy,
        xz: pick(asked, -m.xx, m.xz),
        yx: pick(asked, m.yz, m.yx),
        yy: m.yy,
        yz: pick(asked, -m.yx, m.yz),
        zx: pick(asked, m.zz, m.zx),
        zy: m.zy,
        zz: pick(asked, -m.zx, m.zz),
    }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn swap_yz(m: &Mat3, asked: bool) -> Mat3 {
    Mat3 {
        xx: m.xx,
        xy: pick(asked, m.xz, m.xy),
        xz: pick(asked, -m.xy, m.xz),
        yx: m.yx,
        yy: pick(asked, m.yz, m.yy),
        yz: pick(asked, -m.yy, m.yz),
        zx: m.zx,
        zy: pick(asked, m.zz, m.zy),
        zz: pick(asked, -m.zy, m.zz),
    }
}

/// `sign` for the one of three lengths that is the smallest, 1 for the others: where a reflection is laid.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn sign_of_least(lengths: &Diag3, sign: f32) -> Diag3 {
    let Diag3 { x, y, z } = *lengths;
    Diag3 {
        x: pick((x <= y) && (x <= z), sign, 1.0),
        y: pick((y < x) && (y <= z), sign, 1.0),
        z: pick((z < x) && (z < y), sign, 1.0),
    }
}

/// `A A^T = U diag(sigma^2) U^T`: the left half of a singular value decomposition.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct LeftSvd {
    /// Left rotation.
    pub u: Mat3,
    /// Singular values in no order; a reflection makes the smallest negative.
    pub sigma: Diag3,
}

/// The left half of the singular value decomposition, `A = U diag(sigma) (...)`: what stress and plastic flow need, at
/// half the cost of [`svd`](fn@svd).
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn left_svd(a: &Mat3) -> LeftSvd {
    let Columns { b, v: u } = Columns::of(&a.transpose());
    let length2 = b.transpose().gram_rows();
    let (x, y, z) = (f32::sqrt(length2.xx), f32::sqrt(length2.yy), f32::sqrt(length2.zz));
    let sign = sign_of_least(&Diag3 { x, y, z }, pick(a.det() < 0.0, -1.0, 1.0));
    LeftSvd { u, sigma: Diag3 { x: sign.x * x, y: sign.y * y, z: sign.z * z } }
}

/// `S = V diag(d) V^T` with `V` a rotation.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Eigen {
    /// The axes, as columns.
    pub v: Mat3,
    /// The eigenvalues, in no order.
    pub d: Diag3,
}

/// Axes and eigenvalues of a symmetric matrix. These are in no order, but a matrix that is nearly diagonal keeps its own: then `V` is
/// nearly the identity.
///
/// The values are at rounding, and nearly always the axes; at worst some 1e-5 of the deviator is left off the diagonal. A fourth
/// sweep would remove that, for a third more time: strains, which this is for, have small deviators.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn eigen(s: &Sym3) -> Eigen {
    let Sweep { s, v } = Sweep::thrice(s);
    Eigen { v, d: Diag3 { x: s.xx, y: s.yy, z: s.zz } }
}

/// Singular value decomposition.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn svd(a: &Mat3) -> Svd {
    let found = Columns::of(a);
    // Longest column first.
    let g = found.b.transpose().gram_rows();
    let (x, y) = (f32::max(g.xx, g.yy), f32::min(g.xx, g.yy));
    let z = f32::min(x, g.zz);
    let Columns { b, v } = found.swap_xy(g.xx < g.yy).swap_xz(x < g.zz).swap_yz(y < z);
    let Qr { q, r } = qr(&b);
    Svd { u: q, sigma: Diag3 { x: r.xx, y: r.yy, z: r.zz }, v }
}

/// Polar decomposition through the singular value decomposition: defined for every matrix.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn polar(a: &Mat3) -> Polar {
    let Svd { u, sigma, v } = svd(a);
    Polar { r: u.mul_transpose(&v), s: v.conjugate_diag(&sigma) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invariants::left_stretch;
    use proptest::prelude::*;

    fn close(a: &Mat3, b: &Mat3, tolerance: f32) {
        let scale = b.to_rows().iter().fold(1.0f32, |m, x| m.max(x.abs()));
        for (x, y) in a.to_rows().iter().zip(b.to_rows()) {
            assert!((x - y).abs() <= tolerance * scale, "{a:?} is not {b:?}");
        }
    }

    fn is_rotation(q: &Mat3) {
        close(&q.mul_transpose(q), &Mat3::IDENTITY, 3e-6);
        assert!((q.det() - 1.0).abs() < 3e-6, "det {}", q.det());
    }

    fn square(d: &Diag3) -> Diag3 {
        Diag3 { x: d.x * d.x, y: d.y * d.y, z: d.z * d.z }
    }

    fn check_all(a: &Mat3) {
        let Svd { u, sigma, v } = svd(a);
        is_rotation(&u);
        is_rotation(&v);
        close(&u.mul_diag(&sigma).mul_transpose(&v), a, 5e-6);
        let tiny = 2e-6 * sigma.x;
        assert!(sigma.x + tiny >= sigma.y && sigma.y + tiny >= sigma.z.abs(), "{sigma:?}");
        let Polar { r, s } = polar(a);
        is_rotation(&r);
        close(&r.mul(&s.to_mat3()), a, 5e-6);
        let LeftSvd { u, sigma: left } = left_svd(a);
        is_rotation(&u);
        // A A^T does not know the other rotation, nor does it tell which of equal stretches is reflected.
        close(&u.conjugate_diag(&square(&left)).to_mat3(), &a.mul_transpose(a), 8e-6);
        assert!((left.product() - a.det()).abs() <= 2e-6 * sigma.x.powi(3), "{left:?}");
        if sigma.z > 1e-3 * sigma.x {
            let scale = u.conjugate_diag(&left).to_mat3();
            close(&left_stretch(a).to_mat3(), &scale, 3e-5);
        } else {
            assert!(left_stretch(a).to_mat3().to_rows().iter().all(|w| w.abs() <= 1.1 * sigma.x + 1e-30));
        }
        let symmetric = a.symmetric_part();
        let Eigen { v, d } = eigen(&symmetric);
        is_rotation(&v);
        let left = v.conjugate_diag(&d).combine(1.0, &symmetric, -1.0);
        let deviator = symmetric.add_isotropic(-symmetric.trace() / 3.0);
        let size = |s: &Sym3| s.inner(s).sqrt();
        assert!(size(&left) <= 3e-6 * size(&symmetric) + 3e-5 * size(&deviator), "{left:?} is left of {symmetric:?}");
        let Qr { q, r } = qr(a);
        is_rotation(&q);
        close(&q.mul(&r), a, 2e-6);
        assert!(r.xx >= 0.0 && r.yy >= 0.0);
    }

    #[test]
    fn hand_picked() {
        let rotation = Mat3::from_rows([0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6]);
        for d in [
            [1.0, 1.0, 1.0],
            [2.0, 2.0, 1.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [1.0, 1.0, -1.0],
            [-1.0, -1.0, -1.0],
            [1.0, 1e-4, 1e-7],
            [1.0, 1.0 + 1e-6, 1.0 - 1e-6],
            [-0.5, 3.0, 3.0],
            [100.0, 1.0, 0.01],
        ] {
            let d = Mat3::diagonal(d[0], d[1], d[2]);
            check_all(&d);
            check_all(&rotation.mul(&d));
            check_all(&d.mul(&rotation));
            check_all(&rotation.mul(&d).mul_transpose(&rotation));
            check_all(&rotation.mul(&d).mul(&rotation));
        }
        let rank_one = Mat3::from_rows([1., 2., 3., 2., 4., 6., 3., 6., 9.]);
        check_all(&rank_one);
        assert!((svd(&rank_one).sigma.x - 14.0).abs() < 1e-4);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn random(m in prop::array::uniform9(-2.0f32..2.0)) {
            check_all(&Mat3::from_rows(m));
        }
        #[test]
        fn near_identity(m in prop::array::uniform9(-0.05f32..0.05)) {
            check_all(&Mat3::IDENTITY.add(&Mat3::from_rows(m)));
        }
        #[test]
        fn near_singular(m in prop::array::uniform9(-1.0f32..1.0), small in 0.0f32..1e-5) {
            let Svd { u, sigma, v } = svd(&Mat3::from_rows(m));
            check_all(&u.mul_diag(&Diag3 { z: small, ..sigma }).mul_transpose(&v));
        }
        #[test]
        fn repeated(m in prop::array::uniform9(-1.0f32..1.0), s in 0.1f32..3.0, t in 0.1f32..3.0) {
            let Svd { u, v, .. } = svd(&Mat3::from_rows(m));
            for d in [Diag3 { x: s, y: s, z: t }, Diag3 { x: t, y: s, z: s }, Diag3 { x: s, y: s, z: -s }] {
                check_all(&u.mul_diag(&d).mul_transpose(&v));
            }
        }
    }
}
