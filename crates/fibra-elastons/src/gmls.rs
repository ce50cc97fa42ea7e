//! Generalized moving least squares (GMLS): shape functions on scattered samples that carry derivatives, with gradients and Hessians
//! [Martin2010, Sec. 8].
//!
//! A sample carries the displacement and its derivatives. Therefore even coplanar or collinear samples, or a single
//! sample, determine a displacement field in space. The displacement at a point is that of the polynomial that best
//! fits the samples around the point.
//!
//! For good conditioning, polynomials are centered at the evaluation point and scaled. First derivatives are multiplied
//! by [`Sample::scale`] and second derivatives by its square, so that all unknowns are lengths.

use glam::{DMat3, DVec3};

/// Maximum number of shape functions per sample: value, three first and six second derivatives.
pub const MAX_FUNCTIONS: usize = 10;

/// Order of the polynomials, and of the derivatives that samples carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Value and gradient: 12 unknowns per sample. Fast, but too stiff in bending.
    First,
    /// Value, gradient and Hessian: 30 unknowns per sample.
    #[default]
    Second,
}

impl Order {
    /// Number of shape functions per sample, in the order value, derivatives along x, y, z, then along xx, yy, zz, yz, xz, xy.
    pub const fn functions(self) -> usize {
        match self {
            Order::First => 4,
            Order::Second => MAX_FUNCTIONS,
        }
    }
}

/// A GMLS sample, which carries unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Rest position [m].
    pub position: DVec3,
    /// Support radius [m].
    pub radius: f64,
}

/// Scale of derivatives in the fit, in support radii [-].
const SCALE_IN_RADII: f64 = 0.5;

impl Sample {
    /// Length by which first derivatives are multiplied to become unknowns [m].
    pub fn scale(&self) -> f64 {
        SCALE_IN_RADII * self.radius
    }

    /// Weight of the sample at a position [-]; zero outside its support.
    pub fn weight(&self, point: DVec3) -> f64 {
        let falloff = 1.0 - (point - self.position).length_squared() / (self.radius * self.radius);
        falloff.max(0.0).powi(3)
    }

    /// The weight with its gradient [1/m] and Hessian [1/m^2].
    fn weight_derivatives(&self, point: DVec3) -> Derivatives {
        let inverse = 1.0 / (self.radius * self.radius);
        let offset = (point - self.position) * inverse;
        let falloff = (1.0 - (point - self.position).dot(offset)).max(0.0);
        let hessian = |k: usize, l: usize| {
            let diagonal = if k == l { -6.0 * falloff * falloff * inverse } else { 0.0 };
            24.0 * falloff * offset[k] * offset[l] + diagonal
        };
        Derivatives {
            value: falloff.powi(3),
            gradient: -6.0 * falloff * falloff * offset,
            hessian: PAIRS.map(|[k, l]| hessian(k, l)),
        }
    }
}

/// Axes of each of the six second derivatives, in order.
pub const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]];

/// Index in [`PAIRS`] of the second derivative along axes `k` and `l`.
pub const fn pair(k: usize, l: usize) -> usize {
    if k == l { k } else { 6 - k - l }
}

/// Value and derivatives of a function at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Derivatives {
    /// The value.
    pub value: f64,
    /// The gradient [1/m].
    pub gradient: DVec3,
    /// The second derivatives [1/m^2], in the order of [`PAIRS`].
    pub hessian: [f64; 6],
}

impl Derivatives {
    /// Derivatives along other directions, the columns of `axes` (chain rule for `x = axes y`).
    pub fn along(&self, axes: &DMat3) -> Derivatives {
        let [xx, yy, zz, yz, xz, xy] = self.hessian;
        let hessian = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
        let turned = axes.transpose() * hessian * *axes;
        Derivatives {
            value: self.value,
            gradient: axes.transpose() * self.gradient,
            hessian: PAIRS.map(|[k, l]| turned.col(l)[k]),
        }
    }
}

/// Polynomial coefficients. In the Taylor basis 1, x, y, z, xx/2, yy/2, zz/2, yz, xz, xy, the coefficients of a polynomial are its
/// derivatives at the center.
type Coefficients = [f64; MAX_FUNCTIONS];
type Square = [Coefficients; MAX_FUNCTIONS];

/// Rows of the fit: `rows[a] . coefficients` is the sample's unknown `a`. `t` is the offset of the sample from the center and `scale` the
/// scale of its derivatives, both in units of the basis.
fn rows(order: Order, t: DVec3, scale: f64) -> Square {
    let mut rows = [[0.0; MAX_FUNCTIONS]; MAX_FUNCTIONS];
    rows[0][0] = 1.0;
    for k in 0..3 {
        rows[0][1 + k] = t[k];
        rows[1 + k][1 + k] = scale;
    }
    if order == Order::Second {
        for (at, [k, l]) in PAIRS.into_iter().enumerate() {
            rows[0][4 + at] = if k == l { 0.5 * t[k] * t[k] } else { t[k] * t[l] };
            rows[1 + k][4 + at] += scale * t[l];
            if k != l {
                rows[1 + l][4 + at] += scale * t[k];
            }
            rows[4 + at][4 + at] = scale * scale;
        }
    }
    rows
}

/// Multiplicity of an unknown in the fit. Derivatives along `kl` and `lk` are one unknown, which counts twice
/// [Martin2010, Eq. 17].
fn multiplicity(function: usize) -> f64 {
    if function >= 7 { 2.0 } else { 1.0 }
}

/// Computes values and derivatives of all shape functions of the samples `around` a point, sample after sample.
///
/// There must be at least one sample, and the point must be inside all supports; otherwise the results are NaN.
pub fn shape_functions(order: Order, point: DVec3, around: &[Sample], out: &mut Vec<Derivatives>) {
    let n = order.functions();
    let unit = around.iter().map(|sample| sample.radius).fold(0.0, f64::max);
    // moments[0] is G, the others are its first and second derivatives.
    let mut moments = [[[0.0; MAX_FUNCTIONS]; MAX_FUNCTIONS]; MAX_FUNCTIONS];
    for sample in around {
        let rows = rows(order, (sample.position - point) / unit, sample.scale() / unit);
        let outer = fit(n, &rows);
        let weights = flat(&sample.weight_derivatives(point));
        for (moment, weight) in moments.iter_mut().zip(weights) {
            for i in 0..n {
                for j in 0..=i {
                    moment[i][j] += weight * outer[i][j];
                }
            }
        }
    }
    let solutions = polynomials(n, unit, &mut moments);
    out.clear();
    for sample in around {
        let rows = rows(order, (sample.position - point) / unit, sample.scale() / unit);
        let weight = sample.weight_derivatives(point);
        for (a, row) in rows.iter().enumerate().take(n) {
            // Product rule for N = w gamma . row, with gamma = G^-1 p.
            let g = solutions.map(|solution| multiplicity(a) * dot(n, &solution, row));
            let gradient = DVec3::new(g[1], g[2], g[3]);
            let hessian = PAIRS.map(|[k, l]| {
                let at = pair(k, l);
                g[4 + at] * weight.value
                    + gradient[k] * weight.gradient[l]
                    + gradient[l] * weight.gradient[k]
                    + g[0] * weight.hessian[at]
            });
            out.push(Derivatives {
                value: g[0] * weight.value,
                gradient: gradient * weight.value + g[0] * weight.gradient,
                hessian,
            });
        }
    }
}

/// Computes only the values of the shape functions of the samples `around` a point, sample after sample.
pub fn shape_values(order: Order, point: DVec3, around: &[Sample], out: &mut Vec<f64>) {
    let n = order.functions();
    let unit = around.iter().map(|sample| sample.radius).fold(0.0, f64::max);
    let mut moment = [[0.0; MAX_FUNCTIONS]; MAX_FUNCTIONS];
    for sample in around {
        let outer = fit(n, &rows(order, (sample.position - point) / unit, sample.scale() / unit));
        let weight = sample.weight(point);
        for i in 0..n {
            for j in 0..=i {
                moment[i][j] += weight * outer[i][j];
            }
        }
    }
    factor(n, &mut moment);
    let mut solution = [0.0; MAX_FUNCTIONS];
    solution[0] = 1.0;
    solve(n, &moment, &mut solution);
    out.clear();
    for sample in around {
        let rows = rows(order, (sample.position - point) / unit, sample.scale() / unit);
        let weight = sample.weight(point);
        out.extend((0..n).map(|a| weight * multiplicity(a) * dot(n, &solution, &rows[a])));
    }
}

/// `G^-1 p` and its derivatives: the polynomial coefficients of all shape functions at a point.
fn polynomials(n: usize, unit: f64, moments: &mut [Square; MAX_FUNCTIONS]) -> [Coefficients; MAX_FUNCTIONS] {
    let [moment, derivatives @ ..] = moments;
    factor(n, moment);
    let mut solutions = [[0.0; MAX_FUNCTIONS]; MAX_FUNCTIONS];
    solutions[0][0] = 1.0;
    solve(n, moment, &mut solutions[0]);
    let derivative_of_basis = |function: usize, scale: f64| {
        let mut p = [0.0; MAX_FUNCTIONS];
        if function < n {
            p[function] = scale;
        }
        p
    };
    for k in 0..3 {
        let mut right = derivative_of_basis(1 + k, 1.0 / unit);
        subtract_product(n, &derivatives[k], &solutions[0], &mut right);
        solve(n, moment, &mut right);
        solutions[1 + k] = right;
    }
    for (at, [k, l]) in PAIRS.into_iter().enumerate() {
        let mut right = derivative_of_basis(4 + at, 1.0 / (unit * unit));
        subtract_product(n, &derivatives[k], &solutions[1 + l], &mut right);
        subtract_product(n, &derivatives[l], &solutions[1 + k], &mut right);
        subtract_product(n, &derivatives[3 + at], &solutions[0], &mut right);
        solve(n, moment, &mut right);
        solutions[4 + at] = right;
    }
    solutions
}

fn flat(of: &Derivatives) -> [f64; MAX_FUNCTIONS] {
    let Derivatives { value, gradient: g, hessian: h } = of;
    [*value, g.x, g.y, g.z, h[0], h[1], h[2], h[3], h[4], h[5]]
}

/// Lower triangle of the contribution to `G` of a sample with weight one.
fn fit(n: usize, rows: &Square) -> Square {
    let mut outer = [[0.0; MAX_FUNCTIONS]; MAX_FUNCTIONS];
    for (a, row) in rows.iter().enumerate().take(n) {
        for i in 0..n {
            let scaled = multiplicity(a) * row[i];
            if scaled != 0.0 {
                for j in 0..=i {
                    outer[i][j] += scaled * row[j];
                }
            }
        }
    }
    outer
}

fn dot(n: usize, a: &Coefficients, b: &Coefficients) -> f64 {
    (0..n).map(|i| a[i] * b[i]).sum()
}

/// `right -= matrix x` for a symmetric matrix, given by its lower triangle.
fn subtract_product(n: usize, matrix: &Square, x: &Coefficients, right: &mut Coefficients) {
    for i in 0..n {
        for j in 0..i {
            right[i] -= matrix[i][j] * x[j];
            right[j] -= matrix[i][j] * x[i];
        }
        right[i] -= matrix[i][i] * x[i];
    }
}

/// In-place Cholesky factorization of a symmetric matrix, given by its lower triangle.
fn factor(n: usize, matrix: &mut Square) {
    for j in 0..n {
        for k in 0..j {
            let factor = matrix[j][k];
            for i in j..n {
                matrix[i][j] -= matrix[i][k] * factor;
            }
        }
        let root = matrix[j][j].sqrt();
        for i in j..n {
            matrix[i][j] /= root;
        }
    }
}

fn solve(n: usize, factor: &Square, x: &mut Coefficients) {
    for i in 0..n {
        for j in 0..i {
            x[i] -= factor[i][j] * x[j];
        }
        x[i] /= factor[i][i];
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            x[i] -= factor[j][i] * x[j];
        }
        x[i] /= factor[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    /// Volumetric, coplanar, collinear and single samples, each with an evaluation point.
    fn samplings() -> Vec<(Vec<Sample>, DVec3)> {
        let random = CounterRng::new(7);
        let mut drawn = 0;
        let mut number = || {
            drawn += 1;
            random.uniform(&[drawn]) - 0.5
        };
        let tilt = glam::DQuat::from_scaled_axis(DVec3::new(0.4, -0.9, 0.3));
        let mut samplings = Vec::new();
        for kept in [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X, DVec3::ZERO] {
            let count = if kept == DVec3::ZERO { 1 } else { 9 };
            let shift = DVec3::new(30.0, -20.0, 10.0);
            let samples = (0..count).map(|_| Sample {
                position: shift + tilt * (kept * DVec3::new(number(), number(), number())),
                radius: 1.9 + 0.3 * number(),
            });
            let samples: Vec<Sample> = samples.collect();
            let point = shift + tilt * (DVec3::new(0.11, -0.07, 0.05) * (kept + 0.3));
            samplings.push((samples, point));
        }
        samplings
    }

    /// A polynomial about a point near the samples: value, gradient and Hessian.
    fn polynomial(order: Order, x: DVec3) -> Derivatives {
        let t = x - DVec3::new(30.1, -19.8, 9.7);
        let slope = DVec3::new(0.3, -0.8, 0.5);
        let hessian = if order == Order::Second { [0.9, -0.4, 0.2, 0.7, -0.6, 1.1] } else { [0.0; 6] };
        let second = |k: usize| DVec3::new(hessian[pair(k, 0)], hessian[pair(k, 1)], hessian[pair(k, 2)]);
        let turned = DVec3::new(second(0).dot(t), second(1).dot(t), second(2).dot(t));
        Derivatives { value: 1.7 + slope.dot(t) + 0.5 * turned.dot(t), gradient: slope + turned, hessian }
    }

    fn unknowns(order: Order, sample: &Sample) -> Vec<f64> {
        let scale = sample.scale();
        let Derivatives { value, gradient, hessian } = polynomial(order, sample.position);
        let mut unknowns = vec![value];
        unknowns.extend(gradient.to_array().map(|slope| scale * slope));
        unknowns.extend(hessian.map(|bend| scale * scale * bend));
        unknowns.truncate(order.functions());
        unknowns
    }

    #[test]
    fn polynomials_are_reproduced_for_volumetric_coplanar_collinear_and_single_samples() {
        for order in [Order::First, Order::Second] {
            for (samples, point) in samplings() {
                let mut shapes = Vec::new();
                shape_functions(order, point, &samples, &mut shapes);
                let unknowns: Vec<f64> = samples.iter().flat_map(|sample| unknowns(order, sample)).collect();
                let mut sums = [0.0; MAX_FUNCTIONS];
                for (shape, unknown) in shapes.iter().zip(&unknowns) {
                    sums.iter_mut().zip(flat(shape)).for_each(|(sum, part)| *sum += part * unknown);
                }
                for (sum, exact) in sums.iter().zip(flat(&polynomial(order, point))) {
                    assert!((sum - exact).abs() < 1e-10, "{order:?}, {} samples: {sum} is not {exact}", samples.len());
                }
                let mut values = Vec::new();
                shape_values(order, point, &samples, &mut values);
                assert!(values.iter().zip(&shapes).all(|(value, shape)| (value - shape.value).abs() < 1e-14));
            }
        }
    }

    #[test]
    fn gradients_and_hessians_match_finite_differences() {
        let step = 1e-5;
        for order in [Order::First, Order::Second] {
            for (samples, point) in samplings() {
                let at = |point: DVec3| {
                    let mut shapes = Vec::new();
                    shape_functions(order, point, &samples, &mut shapes);
                    shapes
                };
                let exact = at(point);
                for axis in 0..3 {
                    let aside = DVec3::AXES[axis] * step;
                    let (plus, minus) = (at(point + aside), at(point - aside));
                    for ((exact, plus), minus) in exact.iter().zip(&plus).zip(&minus) {
                        let slope = (plus.value - minus.value) / (2.0 * step);
                        assert!((exact.gradient[axis] - slope).abs() < 1e-7, "{order:?}: {exact:?} against {slope}");
                        for other in 0..3 {
                            let bend = (plus.gradient[other] - minus.gradient[other]) / (2.0 * step);
                            assert!((exact.hessian[pair(axis, other)] - bend).abs() < 1e-6, "{order:?}: {exact:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn derivatives_along_other_axes_match_the_rotated_function() {
        let (samples, point) = samplings().swap_remove(0);
        let turn = DMat3::from_quat(glam::DQuat::from_scaled_axis(DVec3::new(0.3, 1.1, -0.5)));
        let turned: Vec<Sample> =
            samples.iter().map(|sample| Sample { position: turn.transpose() * sample.position, ..*sample }).collect();
        let (mut here, mut there) = (Vec::new(), Vec::new());
        shape_functions(Order::Second, point, &samples, &mut here);
        shape_functions(Order::Second, turn.transpose() * point, &turned, &mut there);
        // The shape function of the displacement value does not depend on the axes.
        let (here, there) = (here[0].along(&turn), there[0]);
        assert!(flat(&here).iter().zip(flat(&there)).all(|(a, b)| (a - b).abs() < 1e-9), "{here:?} {there:?}");
    }
}
