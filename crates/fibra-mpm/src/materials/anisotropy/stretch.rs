//! Between a deformation gradient and Hencky's strain on the material's axes, and back.

use super::measure::Measure;
use super::strain_law::expm1;
use crate::materials::hencky::{self, SMALLEST_STRETCH};
use fibra_core::decompose::eigen;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// `ln U`, `U` the right stretch: the deformation gradient `F = W diag(sigma) V^T` taken apart.
#[derive(Clone, Copy, Debug)]
pub struct HenckyStrain {
    f: Mat3,
    /// Principal axes on the material's axes.
    v: Mat3,
    /// Principal axes in space.
    w: Mat3,
    /// Principal stretches; the smallest is negative where `F` reflects.
    sigma: Diag3,
    /// Their logarithms, of what is not too small for one.
    log: Diag3,
    /// Squared differences of the logarithms, each named after the third.
    gaps: Diag3,
}

#[inline(always)]
fn reciprocal(s: f32) -> f32 {
    let least = if s < 0.0 { -1e-6 } else { 1e-6 };
    1.0 / if s.abs() < 1e-6 { least } else { s }
}

/// `sinh(x) / x` by its series in `x^2`, right to a part in a million up to `x = 3`: stretches that differ by a factor of 20.
#[inline(always)]
fn sinh_quotient(x2: f32) -> f32 {
    let tail = 1.0 + x2 * (1.0 / 110.0) * (1.0 + x2 * (1.0 / 156.0));
    1.0 + x2 * (1.0 / 6.0) * (1.0 + x2 * (1.0 / 20.0) * (1.0 + x2 * (1.0 / 42.0) * (1.0 + x2 * (1.0 / 72.0) * tail)))
}

/// The stretch of which the logarithm is taken.
#[inline(always)]
fn held(s: f32) -> f32 {
    f32::max(s.abs(), SMALLEST_STRETCH)
}

#[inline(always)]
fn scale_shear(s: &Sym3, k: &Diag3) -> Sym3 {
    Sym3 { yz: k.x * s.yz, xz: k.y * s.xz, xy: k.z * s.xy, ..*s }
}

impl HenckyStrain {
    /// Size of a flow within one step from which on it is large [-].
    const LARGE_FLOW: f32 = 0.1;

    /// What lifts each stretch to where its logarithm was taken; nothing but for what is crushed or inverted.
    #[inline(always)]
    fn raise(&self) -> Diag3 {
        let raise = |s: f32| if s < SMALLEST_STRETCH { held(s) - s } else { 0.0 };
        Diag3 { x: raise(self.sigma.x), y: raise(self.sigma.y), z: raise(self.sigma.z) }
    }
}

impl Measure for HenckyStrain {
    #[inline(always)]
    fn of(f: &Mat3) -> HenckyStrain {
        let v = eigen(&f.transpose().gram_rows()).v;
        let along = f.mul(&v);
        // The lengths of what the axes become, not the roots of the eigenvalues: those lose small stretches beside large ones, and then
        // the axes in space would not be of unit length.
        let length = |[a, b, c]: [f32; 3]| f32::sqrt(a * a + b * b + c * c);
        let (x, y, z) = (length(along.column_x()), length(along.column_y()), length(along.column_z()));
        let sign = if f.det() < 0.0 { -1.0 } else { 1.0 };
        let x_least = (x <= y) & (x <= z);
        let y_least = (y < x) & (y <= z);
        let z_least = (z < x) & (z < y);
        let turn = |least: bool| if least { sign } else { 1.0 };
        let sigma = Diag3 { x: turn(x_least) * x, y: turn(y_least) * y, z: turn(z_least) * z };
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
    /// `ln(c)/2`, so that `tau_ij = t_ij sigma_i sigma_j (ln c_i - ln c_j) / (c_i - c_j) = t_ij x / sinh(x)`, `x` the difference of
    /// the logarithms: a stress that has other axes than the strain feels that these turn.
    #[inline(always)]
    fn stress(&self, t: &Sym3) -> Sym3 {
        let k = |gap: f32| 1.0 / sinh_quotient(gap);
        let (x, y, z) = (k(self.gaps.x), k(self.gaps.y), k(self.gaps.z));
        scale_shear(&t.seen_from(&self.v), &Diag3 { x, y, z }).seen_from(&self.w.transpose())
    }

    /// What is crushed or inverted is raised to the smallest stretch that has a logarithm.
    ///
    /// `F' = R U^1/2 e^d U^1/2`, on the principal axes `d_ij = flow_ij sinh(x/2) / (x/2)`. That is exact where the flow has the axes of
    /// the strain, and up to the flow's square times the strain where it has not; what does not flow keeps its bits. Of a flow as large
    /// as no step should see, `F' = R e^(ln U + flow)`: however wrong its axes, what is left is no larger than it should be.
    #[inline(always)]
    fn flown(&self, flow: &Sym3) -> Mat3 {
        let flow = flow.seen_from(&self.v);
        let large = flow.inner(&flow) > HenckyStrain::LARGE_FLOW * HenckyStrain::LARGE_FLOW;
        let pick = |when_large: f32, otherwise: f32| if large { when_large } else { otherwise };
        let k = |gap: f32| pick(1.0, sinh_quotient(0.25 * gap));
        let (x, y, z) = (k(self.gaps.x), k(self.gaps.y), k(self.gaps.z));
        let before = Diag3 { x: pick(self.log.x, 0.0), y: pick(self.log.y, 0.0), z: pick(self.log.z, 0.0) };
        let exponent = scale_shear(&flow, &Diag3 { x, y, z });
        let change = expm1(&Sym3 {
            xx: exponent.xx + before.x,
            yy: exponent.yy + before.y,
            zz: exponent.zz + before.z,
            ..exponent
        });
        let root = |s: f32| pick(1.0, f32::sqrt(held(s)));
        let (x, y, z) = (root(self.sigma.x), root(self.sigma.y), root(self.sigma.z));
        let raise = self.raise();
        let shift = |s: f32, raise: f32| pick(1.0 - s, raise);
        let moved = Mat3 {
            xx: x * x * change.xx + shift(self.sigma.x, raise.x),
            yy: y * y * change.yy + shift(self.sigma.y, raise.y),
            zz: z * z * change.zz + shift(self.sigma.z, raise.z),
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
