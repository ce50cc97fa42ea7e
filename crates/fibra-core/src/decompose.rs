//! Singular value, polar and QR decompositions of 3x3 matrices, free of branches so that they vectorise.
//!
//! The singular value decomposition follows the plan of [McAdams2011]: Jacobi sweeps on `A^T A` give `V`; sorting the
//! columns of `A V` and a Givens QR give `U` and the singular values with the accuracy of `A` rather than of `A^T A`.
//! It differs in taking exact Jacobi angles with full square roots and divisions: fewer sweeps, errors at rounding
//! instead of 1e-5, and the same bits on every machine.

use crate::mat3::{Diag3, Mat3, Sym3};

/// Sweeps on `A^T A`. Cyclic Jacobi converges quadratically, so that after these and the last sweep on the columns of
/// `A V` `f32` is at rounding for any input (see the tests).
const SWEEPS: usize = 3;

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
    // tan(2 theta) = h / d; the half-angle form below never cancels.
    let d = app - aqq;
    let h = 2.0 * apq;
    let r = f32::sqrt(d * d + h * h);
    let t = pick(d < 0.0, -h, h) / f32::max(d.abs() + r, f32::MIN_POSITIVE);
    let c = 1.0 / f32::sqrt(1.0 + t * t);
    (c, t * c)
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
    for (p, q) in p.into_iter().zip(q) {
        (*p, *q) = (c * *p + s * *q, c * *q - s * *p);
    }
}

/// Rotation `V` whose columns are the eigenvectors of the symmetric `a`.
#[inline(always)]
fn eigenvectors(a: &Sym3) -> Mat3 {
    let mut s = *a;
    let mut v = Mat3::IDENTITY;
    for _ in 0..SWEEPS {
        let xy = jacobi(&mut s.xx, &mut s.xy, &mut s.yy, &mut s.xz, &mut s.yz);
        turn([&mut v.xx, &mut v.yx, &mut v.zx], [&mut v.xy, &mut v.yy, &mut v.zy], xy);
        let yz = jacobi(&mut s.yy, &mut s.yz, &mut s.zz, &mut s.xy, &mut s.xz);
        turn([&mut v.xy, &mut v.yy, &mut v.zy], [&mut v.xz, &mut v.yz, &mut v.zz], yz);
        let zx = jacobi(&mut s.zz, &mut s.xz, &mut s.xx, &mut s.yz, &mut s.xy);
        turn([&mut v.xz, &mut v.yz, &mut v.zz], [&mut v.xx, &mut v.yx, &mut v.zx], zx);
    }
    v
}

/// A column of `B = A V` with its column of `V`.
#[derive(Clone, Copy)]
struct Column {
    b: [f32; 3],
    v: [f32; 3],
}

#[inline(always)]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// One-sided Jacobi: turns two columns until they are orthogonal. Unlike a rotation found from `A^T A` it sees singular
/// values below `sqrt(epsilon)` of the largest.
#[inline(always)]
fn orthogonalise(mut p: Column, mut q: Column) -> (Column, Column) {
    let (c, s) = jacobi_angle(dot(p.b, p.b), dot(p.b, q.b), dot(q.b, q.b));
    for k in 0..3 {
        (p.b[k], q.b[k]) = (c * p.b[k] + s * q.b[k], c * q.b[k] - s * p.b[k]);
        (p.v[k], q.v[k]) = (c * p.v[k] + s * q.v[k], c * q.v[k] - s * p.v[k]);
    }
    (p, q)
}

/// Orders two columns by length; the negation keeps the determinant.
#[inline(always)]
fn order(mut p: Column, mut q: Column) -> (Column, Column) {
    let swap = dot(p.b, p.b) < dot(q.b, q.b);
    for k in 0..3 {
        (p.b[k], q.b[k]) = (pick(swap, q.b[k], p.b[k]), pick(swap, -p.b[k], q.b[k]));
        (p.v[k], q.v[k]) = (pick(swap, q.v[k], p.v[k]), pick(swap, -p.v[k], q.v[k]));
    }
    (p, q)
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

/// Singular value decomposition.
#[inline(always)]
pub fn svd(a: &Mat3) -> Svd {
    let v = eigenvectors(&a.transpose().gram_rows());
    let b = a.mul(&v);
    let c0 = Column { b: [b.xx, b.yx, b.zx], v: [v.xx, v.yx, v.zx] };
    let c1 = Column { b: [b.xy, b.yy, b.zy], v: [v.xy, v.yy, v.zy] };
    let c2 = Column { b: [b.xz, b.yz, b.zz], v: [v.xz, v.yz, v.zz] };
    let (c0, c1) = orthogonalise(c0, c1);
    let (c1, c2) = orthogonalise(c1, c2);
    let (c2, c0) = orthogonalise(c2, c0);
    let (c0, c1) = order(c0, c1);
    let (c0, c2) = order(c0, c2);
    let (c1, c2) = order(c1, c2);
    let columns =
        |a: [f32; 3], b: [f32; 3], c: [f32; 3]| Mat3::from_rows([a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]]);
    let Qr { q, r } = qr(&columns(c0.b, c1.b, c2.b));
    Svd { u: q, sigma: Diag3 { x: r.xx, y: r.yy, z: r.zz }, v: columns(c0.v, c1.v, c2.v) }
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
