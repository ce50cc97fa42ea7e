//! Singular value, eigenvalue, polar and QR decompositions of 3x3 matrices, free of branches so that they vectorise.
//!
//! The singular value decomposition follows the plan of [McAdams2011]: Jacobi sweeps on `A^T A` give `V`; sorting the
//! columns of `A V` and a Givens QR give `U` and the singular values with the accuracy of `A` rather than of `A^T A`.
//! It differs in taking exact Jacobi angles with full square roots and divisions: fewer sweeps, errors at rounding
//! instead of 1e-5, and the same bits on every machine.

use crate::mat3::{Diag3, Mat3, Sym3};

/// `A = U diag(sigma) V^T` with `U`, `V` proper rotations and `sigma.x >= sigma.y >= |sigma.z|`; a reflection shows as
/// `sigma.z < 0`.
#[derive(Clone, Copy, Debug)]
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
pub struct Polar {
    /// The rotation.
    pub r: Mat3,
    /// The stretch.
    pub s: Sym3,
}

/// `A = Q R` with `Q` a proper rotation and `R` upper triangular, `R.xx, R.yy >= 0`; `R.zz` has the sign of `det A`.
#[derive(Clone, Copy, Debug)]
pub struct Qr {
    /// The rotation.
    pub q: Mat3,
    /// The upper-triangular factor.
    pub r: Mat3,
}

#[inline(always)]
fn pick(condition: bool, yes: f32, no: f32) -> f32 {
    if condition { yes } else { no }
}

/// Cosine and sine of the rotation by at most pi/4 that diagonalises `[app apq; apq aqq]`.
#[inline(always)]
fn jacobi_angle(app: f32, apq: f32, aqq: f32) -> (f32, f32) {
    // tan(2 theta) = h / d, so tan(theta) = h / (|d| + r) with the sign of d: a form that never cancels.
    let d = app - aqq;
    let h = 2.0 * apq;
    let r = f32::sqrt(d * d + h * h);
    let m = f32::max(d.abs() + r, 1e-18);
    let k = 1.0 / f32::sqrt(m * m + h * h);
    (m * k, pick(d < 0.0, -h, h) * k)
}

/// One Jacobi rotation in the plane (p, q) of a symmetric matrix; `r` is the third axis.
#[inline(always)]
fn jacobi(pp: &mut f32, pq: &mut f32, qq: &mut f32, rp: &mut f32, rq: &mut f32) -> (f32, f32) {
    let (c, s) = jacobi_angle(*pp, *pq, *qq);
    let (cc, ss, cs) = (c * c, s * s, c * s);
    let (app, apq, aqq, arp, arq) = (*pp, *pq, *qq, *rp, *rq);
    *pp = cc * app + 2.0 * cs * apq + ss * aqq;
    *qq = ss * app - 2.0 * cs * apq + cc * aqq;
    *pq = (cc - ss) * apq + cs * (aqq - app);
    *rp = c * arp + s * arq;
    *rq = c * arq - s * arp;
    (c, s)
}

/// Columns p and q of `V` turned by the same rotation.
#[inline(always)]
fn turn(p: [&mut f32; 3], q: [&mut f32; 3], (c, s): (f32, f32)) {
    let [p0, p1, p2] = p;
    let [q0, q1, q2] = q;
    (*p0, *q0) = (c * *p0 + s * *q0, c * *q0 - s * *p0);
    (*p1, *q1) = (c * *p1 + s * *q1, c * *q1 - s * *p1);
    (*p2, *q2) = (c * *p2 + s * *q2, c * *q2 - s * *p2);
}

/// One cyclic Jacobi sweep: brings `s` nearer to diagonal and turns the columns of `v` along.
#[inline(always)]
fn sweep(s: &mut Sym3, v: &mut Mat3) {
    let xy = jacobi(&mut s.xx, &mut s.xy, &mut s.yy, &mut s.xz, &mut s.yz);
    turn([&mut v.xx, &mut v.yx, &mut v.zx], [&mut v.xy, &mut v.yy, &mut v.zy], xy);
    let yz = jacobi(&mut s.yy, &mut s.yz, &mut s.zz, &mut s.xy, &mut s.xz);
    turn([&mut v.xy, &mut v.yy, &mut v.zy], [&mut v.xz, &mut v.yz, &mut v.zz], yz);
    let zx = jacobi(&mut s.zz, &mut s.xz, &mut s.xx, &mut s.yz, &mut s.xy);
    turn([&mut v.xz, &mut v.yz, &mut v.zz], [&mut v.xx, &mut v.yx, &mut v.zx], zx);
}

/// Swaps columns p and q if asked; the negation keeps the determinant.
#[inline(always)]
fn swap(p: [&mut f32; 3], q: [&mut f32; 3], asked: bool) {
    let [p0, p1, p2] = p;
    let [q0, q1, q2] = q;
    (*p0, *q0) = (pick(asked, *q0, *p0), pick(asked, -*p0, *q0));
    (*p1, *q1) = (pick(asked, *q1, *p1), pick(asked, -*p1, *q1));
    (*p2, *q2) = (pick(asked, *q2, *p2), pick(asked, -*p2, *q2));
}

/// Cosine and sine that turn `(a, b)` into `(sqrt(a^2 + b^2), 0)`; the identity when both vanish.
#[inline(always)]
fn givens(a: f32, b: f32) -> (f32, f32) {
    let r2 = a * a + b * b;
    let sound = r2 > 1e-36;
    let k = 1.0 / f32::sqrt(pick(sound, r2, 1.0));
    (pick(sound, a * k, 1.0), pick(sound, b * k, 0.0))
}

/// QR decomposition by three Givens rotations.
#[inline(always)]
pub fn qr(a: &Mat3) -> Qr {
    let (c1, s1) = givens(a.xx, a.yx);
    // Rows x and y turned so that yx = 0.
    let (xx, xy, xz) = (c1 * a.xx + s1 * a.yx, c1 * a.xy + s1 * a.yy, c1 * a.xz + s1 * a.yz);
    let (yy, yz) = (c1 * a.yy - s1 * a.xy, c1 * a.yz - s1 * a.xz);
    // Rows x and z so that zx = 0.
    let (c2, s2) = givens(xx, a.zx);
    let (xx, xy, xz, zy, zz) =
        (c2 * xx + s2 * a.zx, c2 * xy + s2 * a.zy, c2 * xz + s2 * a.zz, c2 * a.zy - s2 * xy, c2 * a.zz - s2 * xz);
    // Rows y and z so that zy = 0.
    let (c3, s3) = givens(yy, zy);
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

/// A rotation `V` that makes the columns of `B = A V` orthogonal.
#[inline(always)]
fn orthogonal_columns(a: &Mat3) -> (Mat3, Mat3) {
    // Cyclic Jacobi converges quadratically: after three sweeps on A^T A, and one more below on the columns of A V, f32
    // is at rounding for any input (see the tests). Written out rather than looped: a loop inside would keep the
    // compiler from vectorising over particles.
    let mut s = a.transpose().gram_rows();
    let mut v = Mat3::IDENTITY;
    sweep(&mut s, &mut v);
    sweep(&mut s, &mut v);
    sweep(&mut s, &mut v);
    let mut b = a.mul(&v);
    // One-sided Jacobi: turn pairs of columns of B until they are orthogonal. Unlike rotations found from A^T A these
    // see singular values below sqrt(epsilon) of the largest.
    let g = b.transpose().gram_rows();
    let turned = jacobi_angle(g.xx, g.xy, g.yy);
    turn([&mut b.xx, &mut b.yx, &mut b.zx], [&mut b.xy, &mut b.yy, &mut b.zy], turned);
    turn([&mut v.xx, &mut v.yx, &mut v.zx], [&mut v.xy, &mut v.yy, &mut v.zy], turned);
    let g = b.transpose().gram_rows();
    let turned = jacobi_angle(g.yy, g.yz, g.zz);
    turn([&mut b.xy, &mut b.yy, &mut b.zy], [&mut b.xz, &mut b.yz, &mut b.zz], turned);
    turn([&mut v.xy, &mut v.yy, &mut v.zy], [&mut v.xz, &mut v.yz, &mut v.zz], turned);
    let g = b.transpose().gram_rows();
    let turned = jacobi_angle(g.zz, g.xz, g.xx);
    turn([&mut b.xz, &mut b.yz, &mut b.zz], [&mut b.xx, &mut b.yx, &mut b.zx], turned);
    turn([&mut v.xz, &mut v.yz, &mut v.zz], [&mut v.xx, &mut v.yx, &mut v.zx], turned);
    (b, v)
}

/// The left half of the singular value decomposition, `A = U diag(sigma) (...)`: what stress and plastic flow need, at
/// half the cost of [`svd`]. The singular values are in no order; a reflection makes the smallest negative.
#[inline(always)]
pub fn left_svd(a: &Mat3) -> (Mat3, Diag3) {
    let (b, u) = orthogonal_columns(&a.transpose());
    let length2 = b.transpose().gram_rows();
    let (x, y, z) = (f32::sqrt(length2.xx), f32::sqrt(length2.yy), f32::sqrt(length2.zz));
    let sign = pick(a.det() < 0.0, -1.0, 1.0);
    let x_least = (x <= y) & (x <= z);
    let y_least = (y < x) & (y <= z);
    let z_least = (z < x) & (z < y);
    let sigma =
        Diag3 { x: pick(x_least, sign, 1.0) * x, y: pick(y_least, sign, 1.0) * y, z: pick(z_least, sign, 1.0) * z };
    (u, sigma)
}

/// A rotation `V` and the values `d` with `S = V diag(d) V^T`; in no order, but a matrix that is nearly diagonal keeps its
/// own: then `V` is nearly the identity.
///
/// The values are at rounding, and nearly always the axes; at worst some 1e-5 of the deviator is left off the diagonal. A fourth
/// sweep would remove that, for a third more time: strains, which this is for, have small deviators.
#[inline(always)]
pub fn eigen(s: &Sym3) -> (Mat3, Diag3) {
    // Written out rather than looped, as in [`orthogonal_columns`].
    let mut s = *s;
    let mut v = Mat3::IDENTITY;
    sweep(&mut s, &mut v);
    sweep(&mut s, &mut v);
    sweep(&mut s, &mut v);
    (v, Diag3 { x: s.xx, y: s.yy, z: s.zz })
}

/// Singular value decomposition.
#[inline(always)]
pub fn svd(a: &Mat3) -> Svd {
    let (mut b, mut v) = orthogonal_columns(a);
    // Longest column first.
    let g = b.transpose().gram_rows();
    let (x, y) = (f32::max(g.xx, g.yy), f32::min(g.xx, g.yy));
    swap([&mut b.xx, &mut b.yx, &mut b.zx], [&mut b.xy, &mut b.yy, &mut b.zy], g.xx < g.yy);
    swap([&mut v.xx, &mut v.yx, &mut v.zx], [&mut v.xy, &mut v.yy, &mut v.zy], g.xx < g.yy);
    swap([&mut b.xx, &mut b.yx, &mut b.zx], [&mut b.xz, &mut b.yz, &mut b.zz], x < g.zz);
    swap([&mut v.xx, &mut v.yx, &mut v.zx], [&mut v.xz, &mut v.yz, &mut v.zz], x < g.zz);
    let z = f32::min(x, g.zz);
    swap([&mut b.xy, &mut b.yy, &mut b.zy], [&mut b.xz, &mut b.yz, &mut b.zz], y < z);
    swap([&mut v.xy, &mut v.yy, &mut v.zy], [&mut v.xz, &mut v.yz, &mut v.zz], y < z);
    let Qr { q, r } = qr(&b);
    Svd { u: q, sigma: Diag3 { x: r.xx, y: r.yy, z: r.zz }, v }
}

/// Polar decomposition through the singular value decomposition: defined for every matrix.
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
        let (u, left) = left_svd(a);
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
        let (v, d) = eigen(&symmetric);
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
