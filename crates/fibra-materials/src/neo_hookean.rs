//! Compressible neo-Hookean elasticity.

#[cfg(feature = "gpu")]
use super::anisotropy::RespondToStrainExpand;
use super::anisotropy::{PrincipalStress, RespondToStrain, SquareStrain, StrainLaw, StrainResponse, StrainTrial};
use super::cofactor::{cofactor_change, inner};
use super::elastic_params::ElasticParams;
use super::model::{Look, MaterialModel};
use super::{Lame, Material};
use crate::law::{ImplicitLaw, Law, Response, Trial};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::elementary::{ln, pick};
use fibra_core::invariants::{Factors, RootInvariants};
use fibra_core::mat3::{Mat3, Sym3};

/// `psi = mu/2 (tr(F F^T) - 3) - mu ln J + lambda/2 (ln J)^2`. The energy grows without bound as a particle flattens. At and
/// below [`NeoHookean::SMALLEST_J`] the logarithm in the stress is clamped, so that an inverted particle still pushes outward.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct NeoHookean {
    /// Elastic constants.
    pub lame: Lame,
}

impl NeoHookean {
    /// Volume ratio at which the logarithm is clamped [-].
    pub const SMALLEST_J: f32 = 1e-3;

    /// Returns `ln J` and its slope. Below [`NeoHookean::SMALLEST_J`] the logarithm is continued by its tangent, so that inverted
    /// states are pushed back too.
    #[inline(always)]
    fn log(j: f32) -> (f32, f32) {
        let clamped = if j < NeoHookean::SMALLEST_J { NeoHookean::SMALLEST_J } else { j };
        let slope = 1.0 / clamped;
        (ln(clamped) + (j - clamped) * slope, slope)
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl NeoHookean {
    /// Computes [`Law::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, trial: &Trial) -> Response {
        let Lame { mu, lambda } = self.lame;
        let log_j = ln(f32::max(trial.f.det(), NeoHookean::SMALLEST_J));
        let b = trial.f.gram_rows();
        // tau = mu (b - I) + lambda ln(J) I
        let tau = b.combine(mu, &b, 0.0).add_isotropic(lambda * log_j - mu);
        // A pressure wave along the principal stretch s has the modulus s^2 d^2 psi / ds^2 = mu (1 + s^2) + lambda (1 - ln J).
        let stretch2 = b.eigenvalue_bound();
        Response {
            f: trial.f,
            tau,
            memory: trial.memory,
            modulus: lambda * (1.0 + f32::max(0.0, -log_j)) + mu * (1.0 + f32::max(1.0, stretch2)),
        }
    }
}

impl Law for NeoHookean {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.evaluate(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        let Lame { mu, lambda } = self.lame;
        let (log_j, _) = NeoHookean::log(f.det());
        0.5 * mu * (f.gram_rows().trace() - 3.0) - mu * log_j + 0.5 * lambda * log_j * log_j
    }
}

impl ImplicitLaw for NeoHookean {
    /// `mu F + (lambda ln J - mu) (ln J)' cof F`.
    #[inline(always)]
    fn piola(&self, f: &Mat3, _memory: f32) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let (log_j, slope) = NeoHookean::log(f.det());
        f.scale(mu).add(&f.cofactor().scale((lambda * log_j - mu) * slope))
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let j = f.det();
        let (log_j, slope) = NeoHookean::log(j);
        let pull = (lambda * log_j - mu) * slope;
        // Second derivative of the logarithm; zero on its tangent.
        let bend = if j < NeoHookean::SMALLEST_J { 0.0 } else { -pull * slope };
        let volume = f.cofactor();
        let growth = (lambda * slope * slope + bend) * inner(&volume, change);
        change.scale(mu).add(&volume.scale(growth)).add(&cofactor_change(f, change).scale(pull))
    }
}

/// Functions of the fictitious strain `x = (C - C^-1) / 4 = sinh(2 e) / 2`. By the Cayley-Hamilton theorem every function of `x` is a
/// combination of `I`, `x` and `x^2`, so only three scalar factors are computed.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct StrainFunctions {
    /// The strain.
    x: Sym3,
    /// Square of the strain.
    y: Sym3,
    /// Sum of the eigenvalues of the strain.
    i1: f32,
    /// Sum of the pairwise products of the eigenvalues.
    i2: f32,
    /// Product of the eigenvalues.
    i3: f32,
    /// The inverse of `Q = sqrt(I + 4 x^2) = cosh(2 e)`.
    inverse: Factors,
    /// `C = 2 x + Q`.
    square: Sym3,
    /// `ln J`, half the logarithm of the determinant of `C`.
    log_j: f32,
}

impl StrainFunctions {
    /// Larger strains are scaled down to this size, because their powers would overflow `f32` [-].
    const LARGEST: f32 = 1e5;
}

#[cfg_attr(feature = "gpu", cube)]
impl StrainFunctions {
    #[inline(always)]
    fn of(x: &Sym3) -> StrainFunctions {
        let size = f32::abs(x.xx) + f32::abs(x.yy) + f32::abs(x.zz) + f32::abs(x.yz) + f32::abs(x.xz) + f32::abs(x.xy);
        let x = x.combine(
            StrainFunctions::LARGEST / pick(size > StrainFunctions::LARGEST, size, StrainFunctions::LARGEST),
            x,
            0.0,
        );
        let (y, cofactor) = (x.square(), x.cofactor());
        let (i1, i2, i3) = (x.trace(), cofactor.trace(), x.det_from(&cofactor));
        // Invariants of y = x^2, then of M = I + 4 y.
        let (y1, y2, y3) = (y.trace(), i2 * i2 - 2.0 * i1 * i3, i3 * i3);
        let third = f32::sqrt(1.0 + 4.0 * y1 + 16.0 * y2 + 64.0 * y3);
        let root = RootInvariants::near(3.0 + 4.0 * y1, 3.0 + 8.0 * y1 + 16.0 * y2, third);
        let Factors { constant: r0, linear: r1, quadratic: r2 } = root.factors();
        // Q = r0 + r1 M + r2 M^2 with M^2 = 1 + 8 y + 16 y^2, and y^2 = i1 i3 + (i3 - i1 i2) x + (i1^2 - i2) y.
        let (linear, quadratic) = (4.0 * r1 + 8.0 * r2, 16.0 * r2);
        let q0 = r0 + r1 + r2 + quadratic * i1 * i3;
        let q1 = quadratic * (i3 - i1 * i2);
        let q2 = linear + quadratic * (i1 * i1 - i2);
        // Cayley-Hamilton for Q with the invariants I, II, III: III / Q = M - I Q + II.
        let k = 1.0 / third;
        let inverse = Factors {
            constant: k * (1.0 + root.second - root.first * q0),
            linear: -k * root.first * q1,
            quadratic: k * (4.0 - root.first * q2),
        };
        let square = x.combine(2.0 + q1, &y, q2).add_isotropic(q0);
        let log_j = 0.5 * ln(square.det_from(&square.cofactor()));
        StrainFunctions { x, y, i1, i2, i3, inverse, square, log_j }
    }

    /// Returns the derivative of the energy with respect to the strain. `tau = mu (C - I) + lambda ln(J) I` is the derivative with respect
    /// to Hencky's `e`, and `dx = cosh(2 e) de`. With `C / Q = I + 2 x / Q` the result is `mu (I + 2 x / Q) + (lambda ln(J) - mu) / Q`.
    #[inline(always)]
    fn stress(&self, lame: &Lame, log_j: f32) -> Sym3 {
        let Factors { constant: a, linear: b, quadratic: c } = self.inverse;
        let (twice, rest) = (2.0 * lame.mu, lame.lambda * log_j - lame.mu);
        // x^3 = i1 x^2 - i2 x + i3.
        let constant = lame.mu + twice * c * self.i3 + rest * a;
        let linear = twice * (a - c * self.i2) + rest * b;
        let quadratic = twice * (b + c * self.i1) + rest * c;
        self.x.combine(linear, &self.y, quadratic).add_isotropic(constant)
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl RespondToStrain for NeoHookean {
    #[inline(always)]
    fn constants(&self, _memory: f32) -> Lame {
        self.lame
    }

    #[inline(always)]
    fn respond_to_strain(&self, trial: &StrainTrial) -> StrainResponse {
        let Lame { mu, lambda } = self.lame;
        let inside = StrainFunctions::of(&trial.strain);
        // An inverted particle is pushed outward as hard as a crushed one.
        let log_j = pick(trial.volume < NeoHookean::SMALLEST_J, ln(NeoHookean::SMALLEST_J), inside.log_j);
        let stretch2 = f32::max(trial.square, inside.square.eigenvalue_bound());
        StrainResponse {
            flow: Sym3::isotropic(0.0),
            keeps_volume: false,
            stress: inside.stress(&self.lame, log_j),
            memory: trial.memory,
            modulus: lambda * (1.0 + f32::max(0.0, -log_j)) + mu * (1.0 + f32::max(1.0, stretch2)),
        }
    }
}

impl StrainLaw for NeoHookean {
    type Measure = SquareStrain;
    const FLOWS: bool = false;

    fn isotropic(&self) -> Material {
        (*self).into()
    }

    /// With `x = (c - 1/c) / 4` and `b = c / (c^2 + 1)`, so that `dc/dx = 4 c b` and `d ln(J)/dx = 2 b`:
    /// `t = 2 b (mu (c - 1) + lambda ln(J))`.
    fn principal_stress(&self, strain: &[f32; 3], _memory: f32) -> PrincipalStress {
        let Lame { mu, lambda } = self.lame;
        let c = strain.map(|x| {
            // 2 x + sqrt(1 + 4 x^2), without cancellation.
            let root = (1.0 + 4.0 * x * x).sqrt();
            if x < 0.0 { 1.0 / (root - 2.0 * x) } else { root + 2.0 * x }
        });
        let b = c.map(|c| c / (c * c + 1.0));
        let log_j = 0.5 * (ln(c[0]) + ln(c[1]) + ln(c[2]));
        PrincipalStress::new(
            |i| 2.0 * b[i] * (mu * (c[i] - 1.0) + lambda * log_j),
            |i| {
                let divisor = c[i] * c[i] + 1.0;
                // db/dc = (1 - c^2) / (c^2 + 1)^2.
                let bend = (1.0 - c[i] * c[i]) / (divisor * divisor);
                8.0 * c[i] * b[i] * (bend * (mu * (c[i] - 1.0) + lambda * log_j) + b[i] * mu)
            },
            |i, j| 4.0 * lambda * b[i] * b[j],
            |i, j| {
                // Differences of b and of b c, over those of c: (1 - c_i c_j) / q and (c_i + c_j) / q.
                let (product, q) = (c[i] * c[j], (c[i] * c[i] + 1.0) * (c[j] * c[j] + 1.0));
                let rise = mu * (c[i] + c[j]) + (lambda * log_j - mu) * (1.0 - product);
                8.0 * rise / q * (product / (product + 1.0))
            },
        )
    }

    fn strain_energy(&self, strain: &Sym3, _memory: f32) -> f32 {
        let Lame { mu, lambda } = self.lame;
        let StrainFunctions { square, log_j, .. } = StrainFunctions::of(strain);
        0.5 * mu * (square.trace() - 3.0) - mu * log_j + 0.5 * lambda * log_j * log_j
    }
}

impl MaterialModel for NeoHookean {
    type Params = ElasticParams;
    const LOOK: Look = ElasticParams::LOOK;

    fn from_params(params: &ElasticParams) -> NeoHookean {
        NeoHookean { lame: params.lame() }
    }
}

#[cfg(feature = "gpu")]
impl NeoHookean {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 2;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; NeoHookean::PACKED_LEN] {
        [self.lame.mu, self.lame.lambda]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl NeoHookean {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize) -> NeoHookean {
        NeoHookean { lame: Lame { mu: table[first], lambda: table[first + 1] } }
    }
}
