//! Generalised moving least squares: shape functions on scattered samples that carry derivatives, with gradients and
//! Hessians [Martin2010, Sec. 8].
//!
//! A sample holds the displacement and its derivatives there, so that samples on a plane, on a line, or one alone
//! determine a displacement in space. Near a point, the polynomial that fits the samples around best is the displacement.
//!
//! Derivatives are multiplied by the sample's [`Sample::scale`] (second ones by its square), which makes all unknowns
//! lengths, and polynomials are centred at the point of evaluation and scaled: else the fit is ill-conditioned.

use glam::{DMat3, DVec3};

/// The largest number of shape functions of a sample: value, three first and six second derivatives.
pub const MOST_FUNCTIONS: usize = 10;

/// Degree of the polynomials, and of the derivatives that samples carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Value and gradient: 12 unknowns per sample. Quick, and too stiff in bending.
    First,
    /// Value, gradient and Hessian: 30 unknowns per sample.
    Second,
}

impl Order {
    /// Number of shape functions of a sample: its value, then its derivatives along x, y, z, then along xx, yy, zz, yz, xz, xy.
    pub const fn functions(self) -> usize {
        match self {
            Order::First => 4,
            Order::Second => MOST_FUNCTIONS,
        }
    }
}

/// A place that carries unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Where it is in the rest state [m].
    pub position: DVec3,
    /// Radius of the ball in which it has influence [m].
    pub radius: f64,
}

/// How much derivatives count in the fit, as a length in radii of influence [-].
const SCALE_IN_RADII: f64 = 0.5;

impl Sample {
    /// The length that first derivatives are multiplied with to become unknowns [m].
    pub fn scale(&self) -> f64 {
        SCALE_IN_RADII * self.radius
    }

    /// Weight of the sample at a place [-]; zero outside of its ball.
    pub fn weight(&self, place: DVec3) -> f64 {
        let room = 1.0 - (place - self.position).length_squared() / (self.radius * self.radius);
        room.max(0.0).powi(3)
    }

    /// The weight with its gradient [1/m] and Hessian [1/m^2].
    fn weight_derivatives(&self, place: DVec3) -> Derivatives {
        let inverse = 1.0 / (self.radius * self.radius);
        let offset = (place - self.position) * inverse;
        let room = (1.0 - (place - self.position).dot(offset)).max(0.0);
        let hessian = |k: usize, l: usize| {
            let diagonal = if k == l { -6.0 * room * room * inverse } else { 0.0 };
            24.0 * room * offset[k] * offset[l] + diagonal
        };
        Derivatives {
            value: room.powi(3),
            gradient: -6.0 * room * room * offset,
            hessian: PAIRS.map(|[k, l]| hessian(k, l)),
        }
    }
}

/// The six second derivatives, in their order.
pub const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]];

/// Where the second derivative along axes `k` and `l` is in [`PAIRS`].
pub const fn pair(k: usize, l: usize) -> usize {
    if k == l { k } else { 6 - k - l }
}

/// A function's value and derivatives at a place.
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
    /// Derivatives along other axes, the columns of a rotation.
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

/// A vector of polynomial coefficients. The basis is Taylor's: 1, x, y, z, xx/2, yy/2, zz/2, yz, xz, xy, so that the
/// coefficients of a polynomial are its derivatives at the centre.
type Coefficients = [f64; MOST_FUNCTIONS];
type Square = [Coefficients; MOST_FUNCTIONS];

/// What each unknown of a sample says of a polynomial: `rows[a] . coefficients` is the sample's unknown `a`. `t` is the
/// offset of the sample from the centre and `scale` that of its derivatives, both in units of the basis.
fn rows(order: Order, t: DVec3, scale: f64) -> Square {
    let mut rows = [[0.0; MOST_FUNCTIONS]; MOST_FUNCTIONS];
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

/// How often an unknown counts in the fit: derivatives along `kl` and `lk` are one unknown [Martin2010, Eq. 17].
fn multiplicity(function: usize) -> f64 {
    if function >= 7 { 2.0 } else { 1.0 }
}

/// Values and derivatives of all shape functions of the samples `around` a place, sample after sample.
///
/// All of them must have influence at the place, and there must be at least one; else they are not numbers.
pub fn shape_functions(order: Order, place: DVec3, around: &[Sample], out: &mut Vec<Derivatives>) {
    let n = order.functions();
    let unit = around.iter().map(|sample| sample.radius).fold(0.0, f64::max);
    // moments[0] is G, the rest its first and second derivatives.
    let mut moments = [[[0.0; MOST_FUNCTIONS]; MOST_FUNCTIONS]; MOST_FUNCTIONS];
    for sample in around {
        let rows = rows(order, (sample.position - place) / unit, sample.scale() / unit);
        let outer = fit(n, &rows);
        let weights = flat(&sample.weight_derivatives(place));
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
        let rows = rows(order, (sample.position - place) / unit, sample.scale() / unit);
        let weight = sample.weight_derivatives(place);
        for (a, row) in rows.iter().enumerate().take(n) {
            // N = w gamma . row: the product rule, with gamma = G^-1 p.
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

/// Values alone of the shape functions of the samples `around` a place, sample after sample.
pub fn shape_values(order: Order, place: DVec3, around: &[Sample], out: &mut Vec<f64>) {
    let n = order.functions();
    let unit = around.iter().map(|sample| sample.radius).fold(0.0, f64::max);
    let mut moment = [[0.0; MOST_FUNCTIONS]; MOST_FUNCTIONS];
    for sample in around {
        let outer = fit(n, &rows(order, (sample.position - place) / unit, sample.scale() / unit));
        let weight = sample.weight(place);
        for i in 0..n {
            for j in 0..=i {
                moment[i][j] += weight * outer[i][j];
            }
        }
    }
    factor(n, &mut moment);
    let mut solution = [0.0; MOST_FUNCTIONS];
    solution[0] = 1.0;
    solve(n, &moment, &mut solution);
    out.clear();
    for sample in around {
        let rows = rows(order, (sample.position - place) / unit, sample.scale() / unit);
        let weight = sample.weight(place);
        out.extend((0..n).map(|a| weight * multiplicity(a) * dot(n, &solution, &rows[a])));
    }
}

/// `G^-1 p` and its derivatives, the coefficients behind all shape functions at a place.
fn polynomials(n: usize, unit: f64, moments: &mut [Square; MOST_FUNCTIONS]) -> [Coefficients; MOST_FUNCTIONS] {
    let [moment, derivatives @ ..] = moments;
    factor(n, moment);
    let mut solutions = [[0.0; MOST_FUNCTIONS]; MOST_FUNCTIONS];
    solutions[0][0] = 1.0;
    solve(n, moment, &mut solutions[0]);
    let derivative_of_basis = |function: usize, scale: f64| {
        let mut p = [0.0; MOST_FUNCTIONS];
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

fn flat(of: &Derivatives) -> [f64; MOST_FUNCTIONS] {
    let Derivatives { value, gradient: g, hessian: h } = of;
    [*value, g.x, g.y, g.z, h[0], h[1], h[2], h[3], h[4], h[5]]
}

/// Lower half of what a sample of weight one adds to `G`.
fn fit(n: usize, rows: &Square) -> Square {
    let mut outer = [[0.0; MOST_FUNCTIONS]; MOST_FUNCTIONS];
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

/// `right -= matrix x`, with a symmetric matrix of which the lower half is given.
fn subtract_product(n: usize, matrix: &Square, x: &Coefficients, right: &mut Coefficients) {
    for i in 0..n {
        for j in 0..i {
            right[i] -= matrix[i][j] * x[j];
            right[j] -= matrix[i][j] * x[i];
        }
        right[i] -= matrix[i][i] * x[i];
    }
}

/// Cholesky's factor, in place, of a symmetric matrix of which the lower half is given.
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
