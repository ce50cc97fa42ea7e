//! 3x3 matrices as plain structs of `f32`, used by all constitutive models.
//!
//! Models are written once on these types: fields, `+ - *`, `sqrt`, no branches that skip work, no allocation. The compiler can then
//! evaluate one model for several particles per instruction, and the GPU runs the same source (feature `gpu`). GPU code has no arrays by
//! value: functions that take or return arrays are CPU-only. Geometry (colliders, cameras) uses `glam`.

use bytemuck::{Pod, Zeroable};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;

/// A general matrix; `xy` is row x, column y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
#[repr(C)]
pub struct Mat3 {
    /// Row x, column x.
    pub xx: f32,
    /// Row x, column y.
    pub xy: f32,
    /// Row x, column z.
    pub xz: f32,
    /// Row y, column x.
    pub yx: f32,
    /// Row y, column y.
    pub yy: f32,
    /// Row y, column z.
    pub yz: f32,
    /// Row z, column x.
    pub zx: f32,
    /// Row z, column y.
    pub zy: f32,
    /// Row z, column z.
    pub zz: f32,
}

/// A symmetric matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
#[repr(C)]
pub struct Sym3 {
    /// Row x, column x.
    pub xx: f32,
    /// Row y, column y.
    pub yy: f32,
    /// Row z, column z.
    pub zz: f32,
    /// Off-diagonal y, z.
    pub yz: f32,
    /// Off-diagonal x, z.
    pub xz: f32,
    /// Off-diagonal x, y.
    pub xy: f32,
}

/// Three values along the principal axes (singular values, principal strains) or along any three axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
#[repr(C)]
pub struct Diag3 {
    /// First value.
    pub x: f32,
    /// Second value.
    pub y: f32,
    /// Third value.
    pub z: f32,
}

impl Mat3 {
    /// The identity.
    pub const IDENTITY: Mat3 = Mat3::diagonal(1.0, 1.0, 1.0);
    /// The zero matrix.
    pub const ZERO: Mat3 = Mat3::diagonal(0.0, 0.0, 0.0);

    /// Builds a matrix from nine numbers in row-major order.
    #[inline(always)]
    pub const fn from_rows(m: [f32; 9]) -> Mat3 {
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = m;
        Mat3 { xx, xy, xz, yx, yy, yz, zx, zy, zz }
    }

    /// Returns the nine entries in row-major order.
    #[inline(always)]
    pub const fn to_rows(&self) -> [f32; 9] {
        [self.xx, self.xy, self.xz, self.yx, self.yy, self.yz, self.zx, self.zy, self.zz]
    }

    /// Returns the product `a b^T`.
    #[inline(always)]
    pub fn outer(a: [f32; 3], b: [f32; 3]) -> Mat3 {
        Mat3 {
            xx: a[0] * b[0],
            xy: a[0] * b[1],
            xz: a[0] * b[2],
            yx: a[1] * b[0],
            yy: a[1] * b[1],
            yz: a[1] * b[2],
            zx: a[2] * b[0],
            zy: a[2] * b[1],
            zz: a[2] * b[2],
        }
    }

    /// Returns the first column.
    #[inline(always)]
    pub fn column_x(&self) -> [f32; 3] {
        [self.xx, self.yx, self.zx]
    }

    /// Returns the second column.
    #[inline(always)]
    pub fn column_y(&self) -> [f32; 3] {
        [self.xy, self.yy, self.zy]
    }

    /// Returns the third column.
    #[inline(always)]
    pub fn column_z(&self) -> [f32; 3] {
        [self.xz, self.yz, self.zz]
    }

    /// Returns `self * v`.
    #[inline(always)]
    pub fn mul_vec(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let Diag3 { x, y, z } = self.apply(&Diag3 { x, y, z });
        [x, y, z]
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Mat3 {
    /// Returns a diagonal matrix.
    #[inline(always)]
    pub const fn diagonal(x: f32, y: f32, z: f32) -> Mat3 {
        Mat3 { xx: x, xy: 0.0, xz: 0.0, yx: 0.0, yy: y, yz: 0.0, zx: 0.0, zy: 0.0, zz: z }
    }

    /// Returns the transpose.
    #[inline(always)]
    pub const fn transpose(&self) -> Mat3 {
        Mat3 {
            xx: self.xx,
            xy: self.yx,
            xz: self.zx,
            yx: self.xy,
            yy: self.yy,
            yz: self.zy,
            zx: self.xz,
            zy: self.yz,
            zz: self.zz,
        }
    }

    /// Returns the determinant.
    #[inline(always)]
    pub fn det(&self) -> f32 {
        self.xx * (self.yy * self.zz - self.yz * self.zy) - self.xy * (self.yx * self.zz - self.yz * self.zx)
            + self.xz * (self.yx * self.zy - self.yy * self.zx)
    }

    /// Returns the sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> f32 {
        self.xx + self.yy + self.zz
    }

    /// Returns the product `self * other`.
    #[inline(always)]
    pub fn mul(&self, o: &Mat3) -> Mat3 {
        Mat3 {
            xx: self.xx * o.xx + self.xy * o.yx + self.xz * o.zx,
            xy: self.xx * o.xy + self.xy * o.yy + self.xz * o.zy,
            xz: self.xx * o.xz + self.xy * o.yz + self.xz * o.zz,
            yx: self.yx * o.xx + self.yy * o.yx + self.yz * o.zx,
            yy: self.yx * o.xy + self.yy * o.yy + self.yz * o.zy,
            yz: self.yx * o.xz + self.yy * o.yz + self.yz * o.zz,
            zx: self.zx * o.xx + self.zy * o.yx + self.zz * o.zx,
            zy: self.zx * o.xy + self.zy * o.yy + self.zz * o.zy,
            zz: self.zx * o.xz + self.zy * o.yz + self.zz * o.zz,
        }
    }

    /// Returns the product `self * other^T`.
    #[inline(always)]
    pub fn mul_transpose(&self, o: &Mat3) -> Mat3 {
        self.mul(&o.transpose())
    }

    /// Returns `self - other`.
    #[inline(always)]
    pub fn sub(&self, o: &Mat3) -> Mat3 {
        self.add(&o.scale(-1.0))
    }

    /// Returns `self * diag(d)`: column k scaled by the k-th value.
    #[inline(always)]
    pub fn mul_diag(&self, d: &Diag3) -> Mat3 {
        Mat3 {
            xx: self.xx * d.x,
            xy: self.xy * d.y,
            xz: self.xz * d.z,
            yx: self.yx * d.x,
            yy: self.yy * d.y,
            yz: self.yz * d.z,
            zx: self.zx * d.x,
            zy: self.zy * d.y,
            zz: self.zz * d.z,
        }
    }

    /// Returns every entry times `k`.
    #[inline(always)]
    pub fn scale(&self, k: f32) -> Mat3 {
        Mat3 {
            xx: self.xx * k,
            xy: self.xy * k,
            xz: self.xz * k,
            yx: self.yx * k,
            yy: self.yy * k,
            yz: self.yz * k,
            zx: self.zx * k,
            zy: self.zy * k,
            zz: self.zz * k,
        }
    }

    /// Returns the entrywise sum.
    #[inline(always)]
    pub fn add(&self, o: &Mat3) -> Mat3 {
        Mat3 {
            xx: self.xx + o.xx,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yx: self.yx + o.yx,
            yy: self.yy + o.yy,
            yz: self.yz + o.yz,
            zx: self.zx + o.zx,
            zy: self.zy + o.zy,
            zz: self.zz + o.zz,
        }
    }

    /// Returns the matrix-vector product `self * v`.
    #[inline(always)]
    pub fn apply(&self, v: &Diag3) -> Diag3 {
        Diag3 {
            x: self.xx * v.x + self.xy * v.y + self.xz * v.z,
            y: self.yx * v.x + self.yy * v.y + self.yz * v.z,
            z: self.zx * v.x + self.zy * v.y + self.zz * v.z,
        }
    }

    /// Returns the cofactor matrix `d det A / d A`: the determinant times the transposed inverse.
    #[inline(always)]
    pub fn cofactor(&self) -> Mat3 {
        Mat3 {
            xx: self.yy * self.zz - self.yz * self.zy,
            xy: self.yz * self.zx - self.yx * self.zz,
            xz: self.yx * self.zy - self.yy * self.zx,
            yx: self.zy * self.xz - self.zz * self.xy,
            yy: self.zz * self.xx - self.zx * self.xz,
            yz: self.zx * self.xy - self.zy * self.xx,
            zx: self.xy * self.yz - self.xz * self.yy,
            zy: self.xz * self.yx - self.xx * self.yz,
            zz: self.xx * self.yy - self.xy * self.yx,
        }
    }

    /// Returns the symmetric part `(A + A^T) / 2`.
    #[inline(always)]
    pub fn symmetric_part(&self) -> Sym3 {
        Sym3 {
            xx: self.xx,
            yy: self.yy,
            zz: self.zz,
            yz: 0.5 * (self.yz + self.zy),
            xz: 0.5 * (self.xz + self.zx),
            xy: 0.5 * (self.xy + self.yx),
        }
    }

    /// Returns `A A^T`, e.g. the left Cauchy-Green tensor of a deformation gradient.
    #[inline(always)]
    pub fn gram_rows(&self) -> Sym3 {
        Sym3 {
            xx: self.xx * self.xx + self.xy * self.xy + self.xz * self.xz,
            yy: self.yx * self.yx + self.yy * self.yy + self.yz * self.yz,
            zz: self.zx * self.zx + self.zy * self.zy + self.zz * self.zz,
            yz: self.yx * self.zx + self.yy * self.zy + self.yz * self.zz,
            xz: self.xx * self.zx + self.xy * self.zy + self.xz * self.zz,
            xy: self.xx * self.yx + self.xy * self.yy + self.xz * self.yz,
        }
    }

    /// Returns `A diag(d) A^T`: a symmetric tensor from its principal values and, as columns of `A`, principal axes.
    #[inline(always)]
    pub fn conjugate_diag(&self, d: &Diag3) -> Sym3 {
        let s = self.mul_diag(d);
        Sym3 {
            xx: s.xx * self.xx + s.xy * self.xy + s.xz * self.xz,
            yy: s.yx * self.yx + s.yy * self.yy + s.yz * self.yz,
            zz: s.zx * self.zx + s.zy * self.zy + s.zz * self.zz,
            yz: s.yx * self.zx + s.yy * self.zy + s.yz * self.zz,
            xz: s.xx * self.zx + s.xy * self.zy + s.xz * self.zz,
            xy: s.xx * self.yx + s.xy * self.yy + s.xz * self.yz,
        }
    }
}

impl Sym3 {
    /// The zero matrix.
    pub const ZERO: Sym3 = Sym3::isotropic(0.0);
}

#[cfg_attr(feature = "gpu", cube)]
impl Sym3 {
    /// Returns `k` times the identity.
    #[inline(always)]
    pub const fn isotropic(k: f32) -> Sym3 {
        Sym3 { xx: k, yy: k, zz: k, yz: 0.0, xz: 0.0, xy: 0.0 }
    }

    /// Returns the full matrix.
    #[inline(always)]
    pub const fn to_mat3(&self) -> Mat3 {
        Mat3 {
            xx: self.xx,
            xy: self.xy,
            xz: self.xz,
            yx: self.xy,
            yy: self.yy,
            yz: self.yz,
            zx: self.xz,
            zy: self.yz,
            zz: self.zz,
        }
    }

    /// Returns the sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> f32 {
        self.xx + self.yy + self.zz
    }

    /// Returns `self * a + other * b`.
    #[inline(always)]
    pub fn combine(&self, a: f32, o: &Sym3, b: f32) -> Sym3 {
        Sym3 {
            xx: self.xx * a + o.xx * b,
            yy: self.yy * a + o.yy * b,
            zz: self.zz * a + o.zz * b,
            yz: self.yz * a + o.yz * b,
            xz: self.xz * a + o.xz * b,
            xy: self.xy * a + o.xy * b,
        }
    }

    /// Returns `A^T self A`: the components of the tensor in the basis given by the columns of `A`.
    #[inline(always)]
    pub fn seen_from(&self, a: &Mat3) -> Sym3 {
        let s = self.to_mat3().mul(a);
        Sym3 {
            xx: a.xx * s.xx + a.yx * s.yx + a.zx * s.zx,
            yy: a.xy * s.xy + a.yy * s.yy + a.zy * s.zy,
            zz: a.xz * s.xz + a.yz * s.yz + a.zz * s.zz,
            yz: a.xy * s.xz + a.yy * s.yz + a.zy * s.zz,
            xz: a.xx * s.xz + a.yx * s.yz + a.zx * s.zz,
            xy: a.xx * s.xy + a.yx * s.yy + a.zx * s.zy,
        }
    }

    /// Returns the cofactor matrix: the determinant times the inverse.
    #[inline(always)]
    pub fn cofactor(&self) -> Sym3 {
        Sym3 {
            xx: self.yy * self.zz - self.yz * self.yz,
            yy: self.xx * self.zz - self.xz * self.xz,
            zz: self.xx * self.yy - self.xy * self.xy,
            yz: self.xz * self.xy - self.xx * self.yz,
            xz: self.xy * self.yz - self.xz * self.yy,
            xy: self.xz * self.yz - self.xy * self.zz,
        }
    }

    /// Returns the determinant, given the cofactor matrix.
    #[inline(always)]
    pub fn det_from(&self, cofactor: &Sym3) -> f32 {
        self.xx * cofactor.xx + self.xy * cofactor.xy + self.xz * cofactor.xz
    }

    /// Returns the square of the matrix.
    #[inline(always)]
    pub fn square(&self) -> Sym3 {
        self.to_mat3().gram_rows()
    }

    /// Returns `self * other` for two coaxial matrices, whose product is symmetric.
    #[inline(always)]
    pub fn mul_coaxial(&self, o: &Sym3) -> Sym3 {
        Sym3 {
            xx: self.xx * o.xx + self.xy * o.xy + self.xz * o.xz,
            yy: self.xy * o.xy + self.yy * o.yy + self.yz * o.yz,
            zz: self.xz * o.xz + self.yz * o.yz + self.zz * o.zz,
            yz: self.xy * o.xz + self.yy * o.yz + self.yz * o.zz,
            xz: self.xx * o.xz + self.xy * o.yz + self.xz * o.zz,
            xy: self.xx * o.xy + self.xy * o.yy + self.xz * o.yz,
        }
    }

    /// Returns the Frobenius inner product, the sum over all nine entries.
    #[inline(always)]
    pub fn inner(&self, o: &Sym3) -> f32 {
        self.xx * o.xx + self.yy * o.yy + self.zz * o.zz + 2.0 * (self.yz * o.yz + self.xz * o.xz + self.xy * o.xy)
    }

    /// Returns an upper bound of the eigenvalues: the largest Gershgorin bound, diagonal entry plus absolute off-diagonal row sum.
    #[inline(always)]
    pub fn eigenvalue_bound(&self) -> f32 {
        let (yz, xz, xy) = (f32::abs(self.yz), f32::abs(self.xz), f32::abs(self.xy));
        f32::max(self.xx + xy + xz, f32::max(self.yy + xy + yz, self.zz + xz + yz))
    }

    /// Returns `self + k I`.
    #[inline(always)]
    pub fn add_isotropic(&self, k: f32) -> Sym3 {
        Sym3 { xx: self.xx + k, yy: self.yy + k, zz: self.zz + k, yz: self.yz, xz: self.xz, xy: self.xy }
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Diag3 {
    /// Returns the sum of the values.
    #[inline(always)]
    pub fn sum(&self) -> f32 {
        self.x + self.y + self.z
    }

    /// Returns the product of the values.
    #[inline(always)]
    pub fn product(&self) -> f32 {
        self.x * self.y * self.z
    }

    /// Returns the Euclidean norm.
    #[inline(always)]
    pub fn norm(&self) -> f32 {
        f32::sqrt(self.x * self.x + self.y * self.y + self.z * self.z)
    }

    /// Returns `self * k + c` for each value.
    #[inline(always)]
    pub fn scale_shift(&self, k: f32, c: f32) -> Diag3 {
        Diag3 { x: self.x * k + c, y: self.y * k + c, z: self.z * k + c }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_hand_values() {
        let a = Mat3::from_rows([1., 2., 3., 4., 5., 6., 7., 8., 10.]);
        let b = Mat3::from_rows([2., 0., 1., 1., 3., 0., 0., 1., 4.]);
        assert_eq!(a.mul(&b).to_rows(), [4., 9., 13., 13., 21., 28., 22., 34., 47.]);
        assert_eq!(a.det(), -3.0);
        assert_eq!(a.mul_transpose(&b), a.mul(&b.transpose()));
        assert_eq!(a.gram_rows().to_mat3(), a.mul_transpose(&a));
        let d = Diag3 { x: 2.0, y: -1.0, z: 0.5 };
        assert_eq!(a.conjugate_diag(&d).to_mat3(), a.mul(&Mat3::diagonal(d.x, d.y, d.z)).mul_transpose(&a));
        let s = Sym3 { xx: 1.0, yy: -2.0, zz: 3.0, yz: 4.0, xz: 5.0, xy: -6.0 };
        assert_eq!(s.seen_from(&a).to_mat3(), a.transpose().mul(&s.to_mat3()).mul(&a));
        assert_eq!(s.square().to_mat3(), s.to_mat3().mul(&s.to_mat3()));
        assert_eq!(s.mul_coaxial(&s.square()).to_mat3(), s.to_mat3().mul(&s.square().to_mat3()));
        assert_eq!(s.inner(&s), s.square().trace());
        assert_eq!(a.cofactor().mul_transpose(&a), Mat3::IDENTITY.scale(a.det()));
        assert_eq!(s.cofactor().to_mat3(), s.to_mat3().cofactor());
        assert_eq!(s.det_from(&s.cofactor()), s.to_mat3().det());
    }
}
