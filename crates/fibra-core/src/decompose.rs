//! Singular value, eigenvalue, polar and QR decompositions of 3x3 matrices, branch-free so that they vectorize.
//!
//! The singular value decomposition follows [McAdams2011]. Jacobi sweeps on `A^T A` give `V`. Sorting the columns of `A V` and a Givens QR
//! give `U` and the singular values. Their rounding errors are those of `A`, not the larger ones of `A^T A`. Unlike the paper, this
//! implementation uses exact Jacobi angles with full square roots and divisions. Exact angles need fewer sweeps, reduce the error from 1e-5
//! to rounding, and give the same bits on every machine.

use crate::elementary::pick;
use crate::mat3::{Diag3, Mat3, Sym3};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;

/// `A = U diag(sigma) V^T` with proper rotations `U`, `V` and `sigma.x >= sigma.y >= |sigma.z|`. If `A` contains a reflection, `sigma.z <
/// 0`.
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

/// `A = R S` with a proper rotation `R` and symmetric `S` (positive semidefinite unless `A` contains a reflection).
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Polar {
    /// The rotation.
    pub r: Mat3,
    /// The stretch.
    pub s: Sym3,
}

/// `A = Q R` with a proper rotation `Q` and an upper triangular `R`, `R.xx, R.yy >= 0`; `R.zz` has the sign of `det A`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Qr {
    /// The rotation.
    pub q: Mat3,
    /// The upper-triangular factor.
    pub r: Mat3,
}

/// A plane rotation, stored as its cosine and sine.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct PlaneRotation {
    c: f32,
    s: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl PlaneRotation {
    /// Returns the rotation by at most pi/4 that diagonalizes `[app apq; apq aqq]`.
    #[inline(always)]
    fn jacobi(app: f32, apq: f32, aqq: f32) -> PlaneRotation {
        // tan(2 theta) = h / d, so tan(theta) = h / (|d| + r) with the sign of d: a form without cancellation.
        let d = app - aqq;
        let h = 2.0 * apq;
        let r = f32::sqrt(d * d + h * h);
        let m = f32::max(f32::abs(d) + r, 1e-18);
        let k = 1.0 / f32::sqrt(m * m + h * h);
        PlaneRotation { c: m * k, s: pick(d < 0.0, -h, h) * k }
    }

    /// Returns the rotation that maps `(a, b)` to `(sqrt(a^2 + b^2), 0)`; the identity if both vanish.
    #[inline(always)]
    fn givens(a: f32, b: f32) -> PlaneRotation {
        let r2 = a * a + b * b;
        let nonzero = r2 > 1e-36;
        let k = 1.0 / f32::sqrt(pick(nonzero, r2, 1.0));
        PlaneRotation { c: pick(nonzero, a * k, 1.0), s: pick(nonzero, b * k, 0.0) }
    }

    /// Rotates the first two columns, then permutes the columns cyclically: (1, 2, 3) become (3, 1, 2). Three calls visit all pairs and
    /// restore the column order.
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

    /// Applies the Jacobi rotation in the plane of the first two axes to a symmetric matrix, then permutes the axes as
    /// [`PlaneRotation::columns`] does.
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

/// State of the Jacobi iteration: `V^T S V`, which converges to a diagonal matrix, and `V`.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct Sweep {
    s: Sym3,
    v: Mat3,
}

#[cfg_attr(feature = "gpu", cube)]
impl Sweep {
    /// Applies one rotation in the plane of the first two axes, then permutes the axes cyclically.
    #[inline(always)]
    fn rotate(&self) -> Sweep {
        let turn = PlaneRotation::jacobi(self.s.xx, self.s.xy, self.s.yy);
        Sweep { s: turn.axes(&self.s), v: turn.columns(&self.v) }
    }

    /// Performs one cyclic Jacobi sweep.
    #[inline(always)]
    fn one_sweep(&self) -> Sweep {
        self.rotate().rotate().rotate()
    }

    /// Performs three sweeps. They are unrolled because a loop would prevent the compiler from vectorizing over particles.
    #[inline(always)]
    fn three_sweeps(s: &Sym3) -> Sweep {
        let start = Sweep { s: *s, v: Mat3::diagonal(1.0, 1.0, 1.0) };
        start.one_sweep().one_sweep().one_sweep()
    }
}

/// Computes the QR decomposition by three Givens rotations.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn qr(a: &Mat3) -> Qr {
    let PlaneRotation { c: c1, s: s1 } = PlaneRotation::givens(a.xx, a.yx);
    // Rotate rows x and y so that yx = 0.
    let (xx, xy, xz) = (c1 * a.xx + s1 * a.yx, c1 * a.xy + s1 * a.yy, c1 * a.xz + s1 * a.yz);
    let (yy, yz) = (c1 * a.yy - s1 * a.xy, c1 * a.yz - s1 * a.xz);
    // Rotate rows x and z so that zx = 0.
    let PlaneRotation { c: c2, s: s2 } = PlaneRotation::givens(xx, a.zx);
    let (xx, xy, xz, zy, zz) =
        (c2 * xx + s2 * a.zx, c2 * xy + s2 * a.zy, c2 * xz + s2 * a.zz, c2 * a.zy - s2 * xy, c2 * a.zz - s2 * xz);
    // Rotate rows y and z so that zy = 0.
    let PlaneRotation { c: c3, s: s3 } = PlaneRotation::givens(yy, zy);
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

/// `B = A V` with orthogonal columns and a rotation `V`.
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
        // Cyclic Jacobi converges quadratically. Three sweeps on A^T A and one more below on the columns of A V reach f32 rounding for any
        // input (see the tests).
        let v = Sweep::three_sweeps(&a.transpose().gram_rows()).v;
        let start = Columns { b: a.mul(&v), v };
        start.rotate().rotate().rotate()
    }

    /// One-sided Jacobi: rotates the first two columns of `B` to make them orthogonal, then permutes the columns. Unlike rotations computed
    /// from `A^T A`, these resolve singular values below sqrt(epsilon) times the largest.
    #[inline(always)]
    fn rotate(&self) -> Columns {
        let g = self.b.transpose().gram_rows();
        let turn = PlaneRotation::jacobi(g.xx, g.xy, g.yy);
        Columns { b: turn.columns(&self.b), v: turn.columns(&self.v) }
    }

    /// Swaps the first two columns if `swap`, and negates one of the two to preserve the determinant.
    #[inline(always)]
    fn swap_xy(&self, swap: bool) -> Columns {
        Columns { b: swap_xy(&self.b, swap), v: swap_xy(&self.v, swap) }
    }

    /// Swaps the first and third columns if `swap`, preserving the determinant.
    #[inline(always)]
    fn swap_xz(&self, swap: bool) -> Columns {
        Columns { b: swap_xz(&self.b, swap), v: swap_xz(&self.v, swap) }
    }

    /// Swaps the last two columns if `swap`, preserving the determinant.
    #[inline(always)]
    fn swap_yz(&self, swap: bool) -> Columns {
        Columns { b: swap_yz(&self.b, swap), v: swap_yz(&self.v, swap) }
    }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn swap_xy(m: &Mat3, swap: bool) -> Mat3 {
    Mat3 {
        xx: pick(swap, m.xy, m.xx),
        xy: pick(swap, -m.xx, m.xy),
        xz: m.xz,
        yx: pick(swap, m.yy, m.yx),
        yy: pick(swap, -m.yx, m.yy),
        yz: m.yz,
        zx: pick(swap, m.zy, m.zx),
        zy: pick(swap, -m.zx, m.zy),
        zz: m.zz,
    }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn swap_xz(m: &Mat3, swap: bool) -> Mat3 {
    Mat3 {
        xx: pick(swap, m.xz, m.xx),
        xy: m.xy,
        xz: pick(swap, -m.xx, m.xz),
        yx: pick(swap, m.yz, m.yx),
        yy: m.yy,
        yz: pick(swap, -m.yx, m.yz),
        zx: pick(swap, m.zz, m.zx),
        zy: m.zy,
        zz: pick(swap, -m.zx, m.zz),
    }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn swap_yz(m: &Mat3, swap: bool) -> Mat3 {
    Mat3 {
        xx: m.xx,
        xy: pick(swap, m.xz, m.xy),
        xz: pick(swap, -m.xy, m.xz),
        yx: m.yx,
        yy: pick(swap, m.yz, m.yy),
        yz: pick(swap, -m.yy, m.yz),
        zx: m.zx,
        zy: pick(swap, m.zz, m.zy),
        zz: pick(swap, -m.zy, m.zz),
    }
}

/// Returns `sign` for the smallest of three lengths and 1 for the others. This assigns a reflection to the smallest stretch.
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
    /// Singular values, unordered; a reflection makes the smallest negative.
    pub sigma: Diag3,
}

/// Computes the left half of the singular value decomposition, `A = U diag(sigma) (...)`, at half the cost of [`svd`](fn@svd). Stress and
/// plastic flow need only this half.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn left_svd(a: &Mat3) -> LeftSvd {
    let Columns { b, v: u } = Columns::of(&a.transpose());
    let length2 = b.transpose().gram_rows();
    let (x, y, z) = (f32::sqrt(length2.xx), f32::sqrt(length2.yy), f32::sqrt(length2.zz));
    let sign = sign_of_least(&Diag3 { x, y, z }, pick(a.det() < 0.0, -1.0, 1.0));
    LeftSvd { u, sigma: Diag3 { x: sign.x * x, y: sign.y * y, z: sign.z * z } }
}

/// `S = V diag(d) V^T` with a rotation `V`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Eigen {
    /// The eigenvectors, as columns.
    pub v: Mat3,
    /// The eigenvalues, unordered.
    pub d: Diag3,
}

/// Computes the eigenvectors and eigenvalues of a symmetric matrix. They are unordered, but for a nearly diagonal matrix `V` is close to
/// the identity.
///
/// The eigenvalues are accurate to rounding, and so are the eigenvectors of nearly all matrices. In the worst case about 1e-5 of the
/// deviator remains off the diagonal. A fourth sweep would remove it but take a third more time. Strains, the intended use, have small
/// deviators.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn eigen(s: &Sym3) -> Eigen {
    let Sweep { s, v } = Sweep::three_sweeps(s);
    Eigen { v, d: Diag3 { x: s.xx, y: s.yy, z: s.zz } }
}

/// Computes the singular value decomposition.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn svd(a: &Mat3) -> Svd {
    let found = Columns::of(a);
    // Sort the columns by decreasing length.
    let g = found.b.transpose().gram_rows();
    let (x, y) = (f32::max(g.xx, g.yy), f32::min(g.xx, g.yy));
    let z = f32::min(x, g.zz);
    let Columns { b, v } = found.swap_xy(g.xx < g.yy).swap_xz(x < g.zz).swap_yz(y < z);
    let Qr { q, r } = qr(&b);
    Svd { u: q, sigma: Diag3 { x: r.xx, y: r.yy, z: r.zz }, v }
}

/// Computes the polar decomposition from the singular value decomposition, so it is defined for every matrix.
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
        // A A^T determines neither the right rotation nor which of two equal stretches is reflected.
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
        assert!(
            size(&left) <= 3e-6 * size(&symmetric) + 3e-5 * size(&deviator),
            "off-diagonal {left:?} remains of {symmetric:?}"
        );
        let Qr { q, r } = qr(a);
        is_rotation(&q);
        close(&q.mul(&r), a, 2e-6);
        assert!(r.xx >= 0.0 && r.yy >= 0.0);
    }

    #[test]
    fn hand_picked_matrices() {
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
