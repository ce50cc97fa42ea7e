//! Roots, polar decompositions and eigenvalues of 3x3 matrices from their invariants: without eigenvectors, at a fraction of what
//! those cost, free of branches so that they vectorize.

use crate::elementary::pick;
use crate::mat3::{Diag3, Mat3, Sym3};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;

/// The principal invariants of the root `W` of a symmetric matrix: sums of its eigenvalues, of their products in pairs, and their
/// product.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct RootInvariants {
    /// Sum of the eigenvalues.
    pub first: f32,
    /// Sum of the products of pairs.
    pub second: f32,
    /// Product.
    pub third: f32,
    /// `1 / (I II - III)`, held where that vanishes.
    reciprocal: f32,
}

/// What the root's first invariant follows from.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct Known {
    /// Trace of the root's square.
    trace: f32,
    /// Second invariant of the root's square.
    minors: f32,
    /// Third invariant of the root.
    third: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl Known {
    /// A step of Halley's method toward the root's first invariant.
    #[inline(always)]
    fn fall(&self, first: f32) -> f32 {
        let second = 0.5 * (first * first - self.trace);
        let value = f32::max(second * second - self.minors - 2.0 * self.third * first, 0.0);
        // Half the slope, and half of its own slope.
        let (slope, bend) = (second * first - self.third, second + first * first);
        first - value * slope / f32::max(2.0 * slope * slope - 0.5 * value * bend, f32::MIN_POSITIVE)
    }

    // Written out, so that the compiler can vectorize over particles.
    #[inline(always)]
    fn fall_twice(&self, first: f32) -> f32 {
        self.fall(self.fall(first))
    }

    /// Four steps from the upper bound.
    #[inline(always)]
    fn fall_4_times(&self) -> f32 {
        self.fall_twice(self.fall_twice(f32::sqrt(3.0 * self.trace)))
    }
}

/// Factors of `I`, `B` and `B^2` in a matrix with the axes of `B`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Factors {
    /// Of `I`.
    pub constant: f32,
    /// Of `B`.
    pub linear: f32,
    /// Of `B^2`.
    pub quadratic: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl RootInvariants {
    /// Of the root of `b`, whose determinant is `third` squared: the sign of `third` is that of the root's smallest eigenvalue.
    ///
    /// `tr B = I^2 - 2 II` and `II_B = II^2 - 2 I III`: `I` is the largest of the four roots, all real, of
    /// `((I^2 - tr B)/2)^2 - II_B - 2 III I`, so that Halley's method falls to it from the upper bound `sqrt(3 tr B)`, and quickly unless
    /// the other eigenvalues are tiny.
    #[inline(always)]
    pub fn of(b: &Sym3, third: f32) -> RootInvariants {
        let minors = (b.xx * b.yy - b.xy * b.xy) + (b.yy * b.zz - b.yz * b.yz) + (b.zz * b.xx - b.xz * b.xz);
        let known = Known { trace: b.trace(), minors, third };
        RootInvariants::with(known.trace, third, known.fall_twice(known.fall_4_times()))
    }

    /// The same from the first two invariants of `b`, right to rounding for a root whose eigenvalues lie within a factor of 20 of each other, and
    /// within 4 % whatever they are.
    #[inline(always)]
    pub fn near(trace: f32, minors: f32, third: f32) -> RootInvariants {
        let known = Known { trace, minors, third };
        RootInvariants::with(trace, third, known.fall_4_times())
    }

    #[inline(always)]
    fn with(trace: f32, third: f32, first: f32) -> RootInvariants {
        let second = 0.5 * (first * first - trace);
        // (s1 + s2)(s2 + s3)(s3 + s1): vanishes only where a reflection could be laid on either of two equal stretches.
        let divisor = f32::max(first * second - third, 1e-4 * first * first * first);
        RootInvariants { first, second, third, reciprocal: 1.0 / f32::max(divisor, f32::MIN_POSITIVE) }
    }

    /// The factors of `I`, `B` and `B^2` in the root: by Cayley and Hamilton `W (I II - III) = -B^2 + (I^2 - II) B + I III`
    /// [Hoger1984].
    #[inline(always)]
    pub fn factors(&self) -> Factors {
        let RootInvariants { first, second, third, reciprocal: k } = *self;
        Factors { constant: first * third * k, linear: (first * first - second) * k, quadratic: -k }
    }

    /// The root itself.
    #[inline(always)]
    pub fn root(&self, b: &Sym3) -> Sym3 {
        let Factors { constant, linear, quadratic } = self.factors();
        b.combine(linear, &b.square(), quadratic).add_isotropic(constant)
    }

    /// The solution `w` of `W_x U + U W_x = [a]_x`, `U` the root and `W_x` the matrix of the cross product with `w`:
    /// `(tr(U) I - U) w = a`, whose determinant is `I II - III`.
    #[inline(always)]
    pub fn turn(&self, root: &Sym3, a: &Diag3) -> Diag3 {
        let side = root.combine(-1.0, root, 0.0).add_isotropic(self.first);
        let Diag3 { x, y, z } = side.cofactor().to_mat3().apply(a);
        Diag3 { x: self.reciprocal * x, y: self.reciprocal * y, z: self.reciprocal * z }
    }
}

/// The left stretch `W` of `A = W R`, `W^2 = A A^T`. Its eigenvalues are the singular values, the smallest negative where `A`
/// reflects.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn left_stretch(a: &Mat3) -> Sym3 {
    let b = a.gram_rows();
    RootInvariants::of(&b, a.det()).root(&b)
}

/// `A = R U` with `R` a rotation where there is one (not where a reflection could be laid on either of two equal stretches), and
/// `U` the right stretch with its invariants.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct RightPolar {
    /// `A^T A`.
    pub square: Sym3,
    /// The rotation.
    pub rotation: Mat3,
    /// The stretch.
    pub stretch: Sym3,
    /// Invariants of the stretch.
    pub invariants: RootInvariants,
}

/// The right polar decomposition.
///
/// With `C = A^T A`, each of `cof A = III R U^-1`, `A = R U` and `A C = R U^3` is `R` times an odd function of `U`, and
/// `I III / s + (I^2 - II) s - s^3 = I II - III` at all three eigenvalues `s` of `U`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn right_polar(a: &Mat3) -> RightPolar {
    let square = a.transpose().gram_rows();
    let invariants = RootInvariants::of(&square, a.det());
    let (first, second, k) = (invariants.first, invariants.second, invariants.reciprocal);
    let cubic = a.mul(&square.add_isotropic(second - first * first).to_mat3());
    let rotation = a.cofactor().scale(k * first).sub(&cubic.scale(k));
    RightPolar { square, rotation, stretch: invariants.root(&square), invariants }
}

/// The eigenvalues of a symmetric matrix, largest first, to the rounding of its largest entry: its deviator's to the rounding of the
/// deviator's own size.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn eigenvalues(s: &Sym3) -> Diag3 {
    let mean = s.trace() / 3.0;
    let deviator = s.add_isotropic(-mean);
    let size = f32::sqrt(deviator.inner(&deviator));
    let unit = deviator.combine(1.0 / f32::max(size, f32::MIN_POSITIVE), &deviator, 0.0);
    // The eigenvalues are -m/2 + q y, m, -m/2 - q y with q = sqrt(1/2), y = cos(phi), m = -2 q sin(phi) / sqrt(3), phi within pi/6,
    // and sin(3 phi) = 3 sqrt(6) det(unit) = sqrt(6) tr(unit^3), the cosine of the angle between the unit and its square's deviator.
    // The cosine of 3 phi is the sine of that angle: taken from what is left of the square without the unit, it is exact also near zero.
    let square = unit.square().add_isotropic(-1.0 / 3.0);
    let along = unit.inner(&square);
    let rest = square.combine(1.0, &unit, -along);
    const ROOT_6: f32 = 2.449_489_7;
    let cosine = f32::min(ROOT_6 * f32::sqrt(rest.inner(&rest)), 1.0);
    // 4 y^3 - 3 y = cos(3 phi): a polynomial within 4e-5, and one step of Newton's method.
    let y = 0.866_066_34 + cosine * (0.165_330_35 + cosine * (-0.040_691_197 + cosine * 0.009_319_684));
    let y = y - (y * (4.0 * y * y - 3.0) - cosine) / (12.0 * y * y - 3.0);
    // sin(phi) = sin(3 phi) / (4 y^2 - 1).
    let middle = -(0.816_496_6 * ROOT_6) * along / (4.0 * y * y - 1.0);
    let (half, wide) = (-0.5 * middle, std::f32::consts::FRAC_1_SQRT_2 * y);
    Diag3 { x: mean + size * (half + wide), y: mean + size * middle, z: mean + size * (half - wide) }
}

/// Matrices with the axes of another, from their eigenvalues alone: Newton's interpolation, in which a rounding error counts no more than in
/// the eigenvalues, however near these are.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Coaxial {
    /// What a first difference multiplies: `S - s_1`.
    linear: Sym3,
    /// What a second difference multiplies: `(S - s_1)(S - s_2)`.
    quadratic: Sym3,
    /// One over the gap between the first two eigenvalues, the last two, and the outer two.
    first: f32,
    second: f32,
    both: f32,
}

/// One over a gap, which counts as no smaller than the least.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn over(gap: f32, least: f32) -> f32 {
    1.0 / pick(gap < least, least, gap)
}

#[cfg_attr(feature = "gpu", cube)]
impl Coaxial {
    /// To `s` with the eigenvalues `of`, largest first.
    #[inline(always)]
    pub fn new(s: &Sym3, of: &Diag3) -> Coaxial {
        let linear = s.add_isotropic(-of.x);
        let whole = of.x - of.z;
        // A gap within the rounding of the eigenvalues is none.
        let largest = f32::max(f32::abs(of.x), f32::abs(of.z));
        let least = f32::max(3e-7 * whole + 1e-7 * largest, f32::MIN_POSITIVE);
        Coaxial {
            linear,
            quadratic: linear.mul_coaxial(&s.add_isotropic(-of.y)),
            first: over(of.x - of.y, least),
            second: over(of.y - of.z, least),
            both: over(whole, least),
        }
    }

    /// The matrix with the same axes and these eigenvalues, in the order of the others.
    #[inline(always)]
    pub fn with(&self, values: &Diag3) -> Sym3 {
        let (a, b) = ((values.x - values.y) * self.first, (values.y - values.z) * self.second);
        self.linear.combine(a, &self.quadratic, (a - b) * self.both).add_isotropic(values.x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::{eigen, polar};
    use glam::{DMat3, DQuat, DVec3};
    use proptest::prelude::*;

    fn sorted(d: &Diag3) -> [f32; 3] {
        let mut values = [d.x, d.y, d.z];
        values.sort_by(|a, b| b.total_cmp(a));
        values
    }

    fn size(m: &Mat3) -> f32 {
        m.to_rows().iter().fold(0.0, |a, b| a.max(b.abs()))
    }

    fn check_values(s: &Sym3) {
        let deviator = s.add_isotropic(-s.trace() / 3.0);
        let allowed = 1e-6 * size(&deviator.to_mat3()) + 4e-7 * size(&s.to_mat3());
        let found = eigenvalues(s);
        for (a, b) in [found.x, found.y, found.z].into_iter().zip(sorted(&eigen(s).d)) {
            assert!((a - b).abs() <= 2.0 * allowed, "{found:?} of {s:?}, not {:?}", eigen(s).d);
        }
    }

    #[test]
    fn eigenvalues_that_meet_are_found_too() {
        let axes = Mat3::from_rows([0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6]);
        for d in [[0.0; 3], [1.0; 3], [2.0, -1.0, -1.0], [1.0, 1.0, -2.0], [1.0, 0.0, -1.0], [1e-3, 1e-3, 1.0]] {
            for gap in [0.0, 1e-7, 1e-5, 1e-3] {
                let d = Diag3 { x: d[0], y: d[1] + gap, z: d[2] };
                check_values(&axes.conjugate_diag(&d));
                check_values(&Mat3::IDENTITY.conjugate_diag(&d));
            }
        }
        assert!(eigenvalues(&Sym3 { xy: f32::NAN, ..Sym3::ZERO }).x.is_nan());
    }

    /// A function with a kink, as plasticity has it, of eigenvalues far apart, near, and the same.
    #[test]
    fn functions_of_matrices_are_those_of_their_eigenvalues() {
        let axes = Mat3::from_rows([0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6]);
        let of = |e: f32| if e < -0.01 { -0.0099 } else { e * (1.0 + e) };
        let all = |d: &Diag3| Diag3 { x: of(d.x), y: of(d.y), z: of(d.z) };
        for mean in [0.0, -0.02, -0.5] {
            for (spread, gap) in [(0.0, 0.0), (0.03, 0.01), (0.03, 0.0), (0.03, 1e-6), (1e-5, 1e-9), (1.0, 0.3)] {
                for flip in [1.0, -1.0] {
                    let d = Diag3 { x: mean + flip * spread, y: mean + flip * gap, z: mean };
                    let s = axes.conjugate_diag(&d);
                    let values = eigenvalues(&s);
                    let off = Coaxial::new(&s, &values).with(&all(&values)).combine(
                        1.0,
                        &axes.conjugate_diag(&all(&d)),
                        -1.0,
                    );
                    let allowed = 2e-6 * size(&s.to_mat3());
                    assert!(size(&off.to_mat3()) <= allowed, "{off:?} of {allowed} at {d:?}");
                }
            }
        }
    }

    fn double(m: &Mat3) -> DMat3 {
        DMat3::from_cols_array(&m.to_rows().map(f64::from)).transpose()
    }

    /// The largest difference of two entries.
    fn off(found: &Mat3, exact: DMat3) -> f64 {
        (double(found) - exact).to_cols_array().into_iter().fold(0.0, |most, entry| most.max(entry.abs()))
    }

    /// Rotation and stretch in 64 bits: those in 32 bits, whose own rounding would blur a comparison, improved by Newton's method.
    /// A turn `w` makes the stretch `s` symmetric where `(tr(s) - s) w` is its skew part.
    fn exact_polar(a: &Mat3) -> (DMat3, DMat3) {
        let mut rotation = double(&polar(a).r);
        for _ in 0..4 {
            rotation *= 1.5 * DMat3::IDENTITY - 0.5 * rotation.transpose() * rotation;
            let s = rotation.transpose() * double(a);
            let skew = DVec3::new(s.y_axis.z - s.z_axis.y, s.z_axis.x - s.x_axis.z, s.x_axis.y - s.y_axis.x);
            let trace = DMat3::from_diagonal(DVec3::splat(s.x_axis.x + s.y_axis.y + s.z_axis.z));
            let turn = (trace - 0.5 * (s + s.transpose())).inverse() * skew;
            rotation *= DMat3::from_quat(DQuat::from_scaled_axis(turn));
        }
        (rotation, rotation.transpose() * double(a))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn random(m in prop::array::uniform9(-2.0f32..2.0)) {
            let a = Mat3::from_rows(m);
            check_values(&a.symmetric_part());
            // Away from where the rotation is not defined, which magnifies errors like this.
            let sigma = crate::decompose::svd(&a).sigma;
            let magnified = sigma.x * sigma.x / ((sigma.y + sigma.z) * (sigma.x + sigma.z));
            if magnified < 50.0 {
                let found = right_polar(&a);
                let (rotation, stretch) = exact_polar(&a);
                let slack = 3e-6 * magnified;
                prop_assert!(off(&found.rotation, rotation) < f64::from(slack), "{a:?}");
                prop_assert!(off(&found.stretch.to_mat3(), stretch) < f64::from(slack * sigma.x), "{a:?}");
                // The solution of the equation, put back in.
                let Diag3 { x, y, z } = found.invariants.turn(&found.stretch, &Diag3 { x: 0.3, y: -0.5, z: 0.8 });
                let skew = Mat3::from_rows([0.0, -z, y, z, 0.0, -x, -y, x, 0.0]);
                let u = found.stretch.to_mat3();
                let back = skew.mul(&u).add(&u.mul(&skew));
                for (a, b) in [back.zy, back.xz, back.yx].into_iter().zip([0.3, -0.5, 0.8]) {
                    prop_assert!((a - b).abs() < slack * magnified, "{a} is not {b}");
                }
            }
        }
    }
}
