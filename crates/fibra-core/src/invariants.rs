//! Square roots, polar decompositions and eigenvalues of 3x3 matrices from their invariants. These functions compute no eigenvectors and
//! cost a fraction of a full decomposition. They are branch-free so that they vectorize.

use crate::elementary::pick;
use crate::mat3::{Diag3, Mat3, Sym3};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;

/// The principal invariants of the square root `W` of a symmetric matrix.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct RootInvariants {
    /// Sum of the eigenvalues, `I`.
    pub first: f32,
    /// Sum of the pairwise products of the eigenvalues, `II`.
    pub second: f32,
    /// Product of the eigenvalues, `III`.
    pub third: f32,
    /// `1 / (I II - III)`, bounded where the divisor vanishes.
    reciprocal: f32,
}

/// The quantities that determine the first invariant of the root.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct RootConditions {
    /// Trace of the square of the root.
    trace: f32,
    /// Second invariant of the square of the root.
    minors: f32,
    /// Third invariant of the root.
    third: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl RootConditions {
    /// Performs one step of Halley's method toward the root's first invariant.
    #[inline(always)]
    fn halley_step(&self, first: f32) -> f32 {
        let second = 0.5 * (first * first - self.trace);
        let value = f32::max(second * second - self.minors - 2.0 * self.third * first, 0.0);
        // Half the first derivative and half the second derivative.
        let (slope, bend) = (second * first - self.third, second + first * first);
        first - value * slope / f32::max(2.0 * slope * slope - 0.5 * value * bend, f32::MIN_POSITIVE)
    }

    // Unrolled so that the compiler can vectorize over particles.
    #[inline(always)]
    fn halley_2(&self, first: f32) -> f32 {
        self.halley_step(self.halley_step(first))
    }

    /// Performs four steps, starting from the upper bound.
    #[inline(always)]
    fn halley_4_from_bound(&self) -> f32 {
        self.halley_2(self.halley_2(f32::sqrt(3.0 * self.trace)))
    }
}

/// Coefficients of `I`, `B` and `B^2` in a matrix coaxial with `B`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Factors {
    /// Coefficient of `I`.
    pub constant: f32,
    /// Coefficient of `B`.
    pub linear: f32,
    /// Coefficient of `B^2`.
    pub quadratic: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl RootInvariants {
    /// Computes the invariants of the root of `b`, whose determinant is `third` squared. `third` has the sign of the root's smallest
    /// eigenvalue.
    ///
    /// `tr B = I^2 - 2 II` and `II_B = II^2 - 2 I III`: `I` is the largest of the four roots, all real, of `((I^2 - tr B)/2)^2 - II_B - 2
    /// III I`. Halley's method therefore decreases monotonically to it from the upper bound `sqrt(3 tr B)`. Convergence is fast unless the
    /// other eigenvalues are tiny.
    #[inline(always)]
    pub fn of(b: &Sym3, third: f32) -> RootInvariants {
        let minors = (b.xx * b.yy - b.xy * b.xy) + (b.yy * b.zz - b.yz * b.yz) + (b.zz * b.xx - b.xz * b.xz);
        let conditions = RootConditions { trace: b.trace(), minors, third };
        RootInvariants::with(conditions.trace, third, conditions.halley_2(conditions.halley_4_from_bound()))
    }

    /// Computes the invariants of the root from the first two invariants of `b`, with fewer iterations than [`RootInvariants::of`].
    /// The result is accurate to rounding if the root's eigenvalues lie within a factor of 20 of each other, and always within 4 %.
    #[inline(always)]
    pub fn near(trace: f32, minors: f32, third: f32) -> RootInvariants {
        let conditions = RootConditions { trace, minors, third };
        RootInvariants::with(trace, third, conditions.halley_4_from_bound())
    }

    #[inline(always)]
    fn with(trace: f32, third: f32, first: f32) -> RootInvariants {
        let second = 0.5 * (first * first - trace);
        // (s1 + s2)(s2 + s3)(s3 + s1) vanishes only where the reflection could belong to either of two equal stretches.
        let divisor = f32::max(first * second - third, 1e-4 * first * first * first);
        RootInvariants { first, second, third, reciprocal: 1.0 / f32::max(divisor, f32::MIN_POSITIVE) }
    }

    /// Returns the coefficients of `I`, `B` and `B^2` in the root. By the Cayley-Hamilton theorem, `W (I II - III) = -B^2 + (I^2 - II) B +
    /// I III` [Hoger1984].
    #[inline(always)]
    pub fn factors(&self) -> Factors {
        let RootInvariants { first, second, third, reciprocal: k } = *self;
        Factors { constant: first * third * k, linear: (first * first - second) * k, quadratic: -k }
    }

    /// Computes the square root of `b`.
    #[inline(always)]
    pub fn root(&self, b: &Sym3) -> Sym3 {
        let Factors { constant, linear, quadratic } = self.factors();
        b.combine(linear, &b.square(), quadratic).add_isotropic(constant)
    }

    /// Solves `W_x U + U W_x = [a]_x` for `w`, where `U` is the root and `W_x` the matrix of the cross product with `w`. This is `(tr(U) I
    /// - U) w = a`, whose determinant is `I II - III`.
    #[inline(always)]
    pub fn turn(&self, root: &Sym3, a: &Diag3) -> Diag3 {
        let side = root.combine(-1.0, root, 0.0).add_isotropic(self.first);
        let Diag3 { x, y, z } = side.cofactor().to_mat3().apply(a);
        Diag3 { x: self.reciprocal * x, y: self.reciprocal * y, z: self.reciprocal * z }
    }
}

/// Computes the left stretch `W` of `A = W R`, `W^2 = A A^T`. Its eigenvalues are the singular values, the smallest negative if `A`
/// contains a reflection.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn left_stretch(a: &Mat3) -> Sym3 {
    let b = a.gram_rows();
    RootInvariants::of(&b, a.det()).root(&b)
}

/// `A = R U` with the right stretch `U`, its invariants and the rotation `R`. The rotation is undefined where the reflection could belong
/// to either of two equal stretches.
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

/// Computes the right polar decomposition.
///
/// With `C = A^T A`, each of `cof A = III R U^-1`, `A = R U` and `A C = R U^3` is `R` times an odd function of `U`. All three eigenvalues
/// `s` of `U` satisfy `I III / s + (I^2 - II) s - s^3 = I II - III`.
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

/// Computes the eigenvalues of a symmetric matrix, largest first. Their rounding error is relative to the largest entry of the matrix. The
/// rounding error of the eigenvalues of the deviator is relative to the norm of the deviator.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn eigenvalues(s: &Sym3) -> Diag3 {
    let mean = s.trace() / 3.0;
    let deviator = s.add_isotropic(-mean);
    let size = f32::sqrt(deviator.inner(&deviator));
    let unit = deviator.combine(1.0 / f32::max(size, f32::MIN_POSITIVE), &deviator, 0.0);
    // The eigenvalues of the unit deviator are -m/2 + q y, m and -m/2 - q y, with q = sqrt(1/2), y = cos(phi), m = -2 q sin(phi) /
    // sqrt(3) and |phi| <= pi/6. Here sin(3 phi) = 3 sqrt(6) det(unit) = sqrt(6) tr(unit^3) is the cosine of the angle between the unit
    // deviator and the deviator of its square, and cos(3 phi) is the sine of that angle. The sine is computed from the component of the
    // square orthogonal to the unit deviator, because this form is also accurate near zero.
    let square = unit.square().add_isotropic(-1.0 / 3.0);
    let along = unit.inner(&square);
    let rest = square.combine(1.0, &unit, -along);
    const ROOT_6: f32 = 2.449_489_7;
    let cosine = f32::min(ROOT_6 * f32::sqrt(rest.inner(&rest)), 1.0);
    // 4 y^3 - 3 y = cos(3 phi): a polynomial accurate to 4e-5, then one Newton step.
    let y = 0.866_066_34 + cosine * (0.165_330_35 + cosine * (-0.040_691_197 + cosine * 0.009_319_684));
    let y = y - (y * (4.0 * y * y - 3.0) - cosine) / (12.0 * y * y - 3.0);
    // sin(phi) = sin(3 phi) / (4 y^2 - 1).
    let middle = -(0.816_496_6 * ROOT_6) * along / (4.0 * y * y - 1.0);
    let (half, wide) = (-0.5 * middle, std::f32::consts::FRAC_1_SQRT_2 * y);
    Diag3 { x: mean + size * (half + wide), y: mean + size * middle, z: mean + size * (half - wide) }
}

/// Builds matrices coaxial with a given matrix from their eigenvalues, without eigenvectors. Newton interpolation keeps rounding errors of
/// the matrices at the level of the rounding errors of the eigenvalues, even if the eigenvalues are close together.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Coaxial {
    /// Factor of the first divided difference: `S - s_1`.
    linear: Sym3,
    /// Factor of the second divided difference: `(S - s_1)(S - s_2)`.
    quadratic: Sym3,
    /// Reciprocal gaps: between the first two eigenvalues, the last two, and the outer two.
    first: f32,
    second: f32,
    both: f32,
}

/// Returns the reciprocal of a gap, which is clamped to at least `least`.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn reciprocal_gap(gap: f32, least: f32) -> f32 {
    1.0 / pick(gap < least, least, gap)
}

#[cfg_attr(feature = "gpu", cube)]
impl Coaxial {
    /// Prepares matrices coaxial with `s`, whose eigenvalues are `of`, largest first.
    #[inline(always)]
    pub fn new(s: &Sym3, of: &Diag3) -> Coaxial {
        let linear = s.add_isotropic(-of.x);
        let whole = of.x - of.z;
        // A gap within the rounding of the eigenvalues counts as zero.
        let largest = f32::max(f32::abs(of.x), f32::abs(of.z));
        let least = f32::max(3e-7 * whole + 1e-7 * largest, f32::MIN_POSITIVE);
        Coaxial {
            linear,
            quadratic: linear.mul_coaxial(&s.add_isotropic(-of.y)),
            first: reciprocal_gap(of.x - of.y, least),
            second: reciprocal_gap(of.y - of.z, least),
            both: reciprocal_gap(whole, least),
        }
    }

    /// Returns the coaxial matrix with these eigenvalues, in the order of the eigenvalues of `s`.
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
    fn repeated_eigenvalues_are_accurate() {
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

    /// Applies a function with a kink, as in plasticity, to eigenvalues that are far apart, close together or equal.
    #[test]
    fn matrix_functions_act_on_the_eigenvalues() {
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

    /// Returns the largest absolute difference of two entries.
    fn off(found: &Mat3, exact: DMat3) -> f64 {
        (double(found) - exact).to_cols_array().into_iter().fold(0.0, |most, entry| most.max(entry.abs()))
    }

    /// Computes rotation and stretch in f64: the f32 result, whose rounding would dominate the comparison, refined by Newton's method. A
    /// rotation `w` makes the stretch `s` symmetric if `(tr(s) - s) w` is its skew part.
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
            // Skip matrices close to those whose rotation is undefined: they amplify errors by this factor.
            let sigma = crate::decompose::svd(&a).sigma;
            let magnified = sigma.x * sigma.x / ((sigma.y + sigma.z) * (sigma.x + sigma.z));
            if magnified < 50.0 {
                let found = right_polar(&a);
                let (rotation, stretch) = exact_polar(&a);
                let slack = 3e-6 * magnified;
                prop_assert!(off(&found.rotation, rotation) < f64::from(slack), "{a:?}");
                prop_assert!(off(&found.stretch.to_mat3(), stretch) < f64::from(slack * sigma.x), "{a:?}");
                // Substitute the solution into the equation.
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
