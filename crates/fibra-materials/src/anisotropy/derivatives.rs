//! Derivatives of the energies of anisotropic laws, for implicit steps.
//!
//! The energy is a function of the strain `E = V diag(h(sigma)) V^T` of `F = W diag(sigma) V^T`, and each measure has its own `h`. As a function
//! of `C = F^T F`, with the eigenvalues `c = sigma^2`, the strain is an isotropic tensor function. On the axes `V` its derivatives are divided
//! differences of `h` with respect to `c` [Daleckii1965]:
//!
//! ```text
//! dE_ij   = h[c_i, c_j] dC_ij
//! d2E_ij  = sum_k h[c_i, c_k, c_j] (dC_ik dC'_kj + dC'_ik dC_kj)
//! ```
//!
//! With the derivative `T` of the energy with respect to `E`, the second Piola-Kirchhoff stress is `S_ij = 2 h[c_i, c_j] T_ij`, and `P = F S`.

use super::maps::{Maps, TensorMap};
use super::strain_law::StrainLaw;
use crate::Lame;
use crate::hencky::{SMALLEST_STRETCH, log_stretch};
use fibra_core::decompose::{Svd, eigen, svd};
use fibra_core::mat3::{Diag3, Mat3, Sym3};

type Row = [f32; 3];
type Rows = [Row; 3];

/// A strain measure as a function of a singular value, which is negative if the deformation reflects.
pub trait SpectralMeasure {
    /// Returns the principal strain `h`.
    fn value(s: f32) -> f32;
    /// Returns `dh / ds`.
    fn slope(s: f32) -> f32;
    /// Returns the first divided difference of `h` with respect to `c`, for two singular values.
    fn first(a: f32, b: f32) -> f32;
    /// Returns the second divided difference of `h` with respect to `c`, for three singular values.
    fn second(a: f32, b: f32, c: f32) -> f32;
}

/// Returns a divisor of at least `least` in magnitude, with the sign of `s`.
fn away_from_zero(s: f32, least: f32) -> f32 {
    if s.abs() >= least {
        s
    } else if s < 0.0 {
        -least
    } else {
        least
    }
}

/// Singular values closer to zero than this are moved away from it in divisors [-].
const LEAST: f32 = 1e-3;

/// `h = s - 1 = sqrt(c) - 1`.
impl SpectralMeasure for super::PolarStrain {
    fn value(s: f32) -> f32 {
        s - 1.0
    }

    fn slope(_s: f32) -> f32 {
        1.0
    }

    fn first(a: f32, b: f32) -> f32 {
        1.0 / away_from_zero(a + b, LEAST)
    }

    fn second(a: f32, b: f32, c: f32) -> f32 {
        -Self::first(a, b) * Self::first(b, c) * Self::first(a, c)
    }
}

/// `h = (c - 1 / c) / 4`.
impl SpectralMeasure for super::SquareStrain {
    fn value(s: f32) -> f32 {
        0.25 * (s * s - inverse_square(s))
    }

    fn slope(s: f32) -> f32 {
        0.5 * (s + inverse_square(s) / away_from_zero(s, LEAST))
    }

    fn first(a: f32, b: f32) -> f32 {
        0.25 * (1.0 + inverse_square(a) * inverse_square(b))
    }

    fn second(a: f32, b: f32, c: f32) -> f32 {
        -0.25 * inverse_square(a) * inverse_square(b) * inverse_square(c)
    }
}

fn inverse_square(s: f32) -> f32 {
    1.0 / (s * s).max(LEAST * LEAST)
}

/// Gap of two squared singular values, relative to their sum, below which differences are computed by series [-].
const NEAR: f32 = 3e-3;

/// `h = ln s = ln(c) / 2`, continued by its tangent below the smallest stretch.
impl SpectralMeasure for super::HenckyStrain {
    fn value(s: f32) -> f32 {
        log_stretch(s)
    }

    fn slope(s: f32) -> f32 {
        1.0 / s.max(SMALLEST_STRETCH)
    }

    fn first(a: f32, b: f32) -> f32 {
        let (gap, sum) = ((a - b) * (a + b), a * a + b * b);
        if gap.abs() > 0.1 * sum {
            (log_stretch(a) - log_stretch(b)) / gap
        } else if a.min(b) >= SMALLEST_STRETCH {
            // ln(a^2) - ln(b^2) = 2 (x + x^3/3 + x^5/5 + ...) with x = (a^2 - b^2) / (a^2 + b^2).
            let x2 = (gap / sum) * (gap / sum);
            (1.0 + x2 * (1.0 / 3.0 + x2 * (0.2 + x2 * (1.0 / 7.0)))) / sum
        } else {
            Self::slope(0.5 * (a + b)) / away_from_zero(a + b, LEAST)
        }
    }

    fn second(a: f32, b: f32, c: f32) -> f32 {
        // The first and the last value are those farthest apart.
        let mut s = [a, b, c];
        s.sort_by(|a, b| (a * a).total_cmp(&(b * b)));
        let [low, middle, high] = s;
        let (gap, sum) = ((high - low) * (high + low), high * high + low * low);
        if gap > NEAR * sum {
            (Self::first(high, middle) - Self::first(middle, low)) / gap
        } else {
            // Half of the second derivative at the mean: `(h'' - h' / s) / (8 s^2)`.
            let mean = (a * a + b * b + c * c) / 3.0;
            let below = low < SMALLEST_STRETCH;
            let factor = if below { 0.125 * mean.sqrt() / SMALLEST_STRETCH } else { 0.25 };
            -factor / (mean * mean).max(LEAST * LEAST * LEAST * LEAST)
        }
    }
}

/// Stress of a law for a principal strain, and its derivatives with respect to the principal strains [Pa].
#[derive(Clone, Copy, Debug)]
pub struct PrincipalStress {
    /// Derivatives of the energy.
    pub stress: [f32; 3],
    /// Second derivatives of the energy.
    pub slope: [[f32; 3]; 3],
    /// Difference of two stresses over the difference of the strains, stored at the index of the third axis; finite for equal strains.
    pub quotient: [f32; 3],
}

impl PrincipalStress {
    /// Builds the stress of a law. The second derivatives are those of `own` on the diagonal, plus those of `mixed`.
    pub(crate) fn new(
        stress: impl Fn(usize) -> f32,
        own: impl Fn(usize) -> f32,
        mixed: impl Fn(usize, usize) -> f32,
        quotient: impl Fn(usize, usize) -> f32,
    ) -> PrincipalStress {
        let slope = |i: usize, j: usize| mixed(i, j) + if i == j { own(i) } else { 0.0 };
        PrincipalStress {
            stress: std::array::from_fn(stress),
            slope: std::array::from_fn(|i| std::array::from_fn(|j| slope(i, j))),
            quotient: [quotient(1, 2), quotient(0, 2), quotient(0, 1)],
        }
    }

    /// Returns the stress of a linear law.
    pub(crate) fn linear(strain: &[f32; 3], lame: &Lame) -> PrincipalStress {
        let Lame { mu, lambda } = *lame;
        let trace: f32 = strain.iter().sum();
        PrincipalStress::new(|i| 2.0 * mu * strain[i] + lambda * trace, |_| 2.0 * mu, |_, _| lambda, |_, _| 2.0 * mu)
    }
}

/// The stress of a law at a strain in the fictitious space, with its derivative.
struct FictitiousStress {
    axes: Mat3,
    principal: PrincipalStress,
}

impl FictitiousStress {
    fn of<L: StrainLaw>(law: &L, strain: &Sym3, memory: f32) -> FictitiousStress {
        let found = eigen(strain);
        let strain = [found.d.x, found.d.y, found.d.z];
        FictitiousStress { axes: found.v, principal: law.principal_stress(&strain, memory) }
    }

    fn stress(&self) -> Sym3 {
        let [x, y, z] = self.principal.stress;
        self.axes.conjugate_diag(&Diag3 { x, y, z })
    }

    /// Returns the change of the stress for a change of the strain.
    fn change(&self, strain_change: &Sym3) -> Sym3 {
        let PrincipalStress { slope, quotient, .. } = &self.principal;
        let h = rows(&strain_change.seen_from(&self.axes).to_mat3());
        let diagonal = |i: usize| (0..3).map(|k| slope[i][k] * h[k][k]).sum();
        let turned = Sym3 {
            xx: diagonal(0),
            yy: diagonal(1),
            zz: diagonal(2),
            yz: quotient[0] * h[1][2],
            xz: quotient[1] * h[0][2],
            xy: quotient[2] * h[0][1],
        };
        turned.seen_from(&self.axes.transpose())
    }
}

/// A deformation with the derivatives of its strain measure `D`.
struct Deformation {
    svd: Svd,
    sigma: Row,
    first: Rows,
}

fn rows(m: &Mat3) -> Rows {
    let r = m.to_rows();
    [[r[0], r[1], r[2]], [r[3], r[4], r[5]], [r[6], r[7], r[8]]]
}

fn matrix(of: impl Fn(usize, usize) -> f32) -> Mat3 {
    Mat3::from_rows(std::array::from_fn(|e| of(e / 3, e % 3)))
}

impl Deformation {
    fn of<D: SpectralMeasure>(f: &Mat3) -> Deformation {
        let svd = svd(f);
        let sigma = [svd.sigma.x, svd.sigma.y, svd.sigma.z];
        let first = std::array::from_fn(|i| {
            std::array::from_fn(|j| match i == j {
                true => 0.5 * D::slope(sigma[i]) / away_from_zero(sigma[i], LEAST),
                false => D::first(sigma[i], sigma[j]),
            })
        });
        Deformation { svd, sigma, first }
    }

    fn strain<D: SpectralMeasure>(&self) -> Sym3 {
        let [x, y, z] = self.sigma.map(D::value);
        self.svd.v.conjugate_diag(&Diag3 { x, y, z })
    }

    /// Returns the second Piola-Kirchhoff stress on the axes `V`.
    fn second_piola(&self, t: &Sym3) -> Rows {
        let t = rows(&t.seen_from(&self.svd.v).to_mat3());
        std::array::from_fn(|i| std::array::from_fn(|j| 2.0 * self.first[i][j] * t[i][j]))
    }

    /// Returns `P` for the derivative `t` of the energy with respect to the strain.
    fn piola(&self, t: &Sym3) -> Mat3 {
        let s = self.second_piola(t);
        self.turn_back(&matrix(|i, j| self.sigma[i] * s[i][j]))
    }

    fn turn_back(&self, m: &Mat3) -> Mat3 {
        self.svd.u.mul(m).mul_transpose(&self.svd.v)
    }

    /// Returns `W^T dF V`.
    fn turned(&self, change: &Mat3) -> Rows {
        rows(&self.svd.u.transpose().mul(change).mul(&self.svd.v))
    }

    /// Returns the change of `C` on the axes `V`.
    fn square_change(&self, x: &Rows) -> Rows {
        std::array::from_fn(|i| std::array::from_fn(|j| x[j][i] * self.sigma[j] + self.sigma[i] * x[i][j]))
    }

    /// Returns the change of the strain for a change of `F`.
    fn strain_change(&self, change: &Mat3) -> Sym3 {
        let dc = self.square_change(&self.turned(change));
        let change = matrix(|i, j| self.first[i][j] * dc[i][j]).symmetric_part();
        change.seen_from(&self.svd.v.transpose())
    }

    /// Returns the change of `P` for a change of `F` that changes the derivative `t` of the energy by `dt`.
    fn piola_change<D: SpectralMeasure>(&self, change: &Mat3, t: &Sym3, dt: &Sym3) -> Mat3 {
        let x = self.turned(change);
        let dc = self.square_change(&x);
        let (s, ds) = (self.second_piola(t), self.second_piola(dt));
        let t = rows(&t.seen_from(&self.svd.v).to_mat3());
        let y: Rows = std::array::from_fn(|k| {
            std::array::from_fn(|j| {
                let term = |i: usize| D::second(self.sigma[i], self.sigma[k], self.sigma[j]) * dc[k][i] * t[i][j];
                2.0 * (term(0) + term(1) + term(2))
            })
        });
        let turned = matrix(|i, j| {
            let along: f32 = (0..3).map(|k| x[i][k] * s[k][j]).sum();
            along + self.sigma[i] * (ds[i][j] + y[i][j] + y[j][i])
        });
        self.turn_back(&turned)
    }
}

impl<M: TensorMap> Maps<M> {
    /// Maps the derivative of the energy with respect to the fictitious strain `inside` (or a change of this derivative, and of the strain) to the
    /// derivative with respect to the strain outside.
    ///
    /// With a yield surface, the energy is `psi(A^E E) + 1/2 E : C E - 1/2 A^E E : Cbar A^E E`: the law's own energy, corrected such that linear laws get
    /// the wanted stiffness `C`. Its derivative is `C E + (A^E)^T y` with `y = dpsi - Cbar A^E E`, where `(A^E)^T = C A^s Cbar^-1` and
    /// `C = (A^s)^-1 Cbar A^E`. Without a yield surface, `A^E` and the stress map are the same symmetric map.
    fn gradient_outside<L: StrainLaw>(&self, law: &L, memory: f32, inside: &Sym3, stress: &Sym3) -> Sym3 {
        if !L::FLOWS {
            return self.stress.apply(stress);
        }
        let lame = law.constants(memory);
        let linear = lame.stress(inside);
        let rest = stress.combine(1.0, &linear, -1.0);
        // Cbar^-1 s = (s - lambda / (3 lambda + 2 mu) tr(s) I) / (2 mu).
        let share = lame.lambda / (3.0 * lame.lambda + 2.0 * lame.mu);
        let strain = rest.add_isotropic(-share * rest.trace());
        let strain = strain.combine(0.5 / lame.mu, &strain, 0.0);
        let turned = self.inward.apply(&self.flow.apply(&strain));
        self.stress.apply(&linear.combine(1.0, &lame.stress(&turned), 1.0))
    }
}

/// Computes the derivative of the energy with respect to `f` [Pa].
pub(super) fn piola<L: StrainLaw>(law: &L, maps: &Maps<impl TensorMap>, f: &Mat3, memory: f32) -> Mat3 {
    let deformation = Deformation::of::<L::Measure>(f);
    let inside = maps.inward.apply(&deformation.strain::<L::Measure>());
    let stress = FictitiousStress::of(law, &inside, memory).stress();
    deformation.piola(&maps.gradient_outside(law, memory, &inside, &stress))
}

/// Computes the derivative of [`piola`] in the direction `change` [Pa].
pub(super) fn piola_change<L: StrainLaw>(
    law: &L,
    maps: &Maps<impl TensorMap>,
    f: &Mat3,
    memory: f32,
    change: &Mat3,
) -> Mat3 {
    let deformation = Deformation::of::<L::Measure>(f);
    let inside = maps.inward.apply(&deformation.strain::<L::Measure>());
    let at = FictitiousStress::of(law, &inside, memory);
    let t = maps.gradient_outside(law, memory, &inside, &at.stress());
    let inside_change = maps.inward.apply(&deformation.strain_change(change));
    let dt = maps.gradient_outside(law, memory, &inside_change, &at.change(&inside_change));
    deformation.piola_change::<L::Measure>(change, &t, &dt)
}

/// Computes the energy per rest volume [J/m^3]: the law's own energy at the fictitious strain, plus the correction explained at
/// [`Maps::gradient_outside`], which is zero without a yield surface.
pub(super) fn energy<L: StrainLaw>(law: &L, maps: &Maps<impl TensorMap>, f: &Mat3, memory: f32) -> f32 {
    let outside = Deformation::of::<L::Measure>(f).strain::<L::Measure>();
    let inside = maps.inward.apply(&outside);
    let linear = law.constants(memory).stress(&inside);
    let more = outside.inner(&maps.stress.apply(&linear)) - inside.inner(&linear);
    law.strain_energy(&inside, memory) + 0.5 * more
}
