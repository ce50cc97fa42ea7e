//! The constitutive law of Mooney-Rivlin rubber.

use fibra_core::mat3::Mat3;
use fibra_mpm::law::{ImplicitLaw, Law, Response, Trial};

/// `psi = c1 (I1 - 3) + c2 (I2 - 3) + k/2 (J - a)^2 - k/2 (1 - a)^2`, with the invariants of `F^T F`. The constant `a` makes the
/// stress at rest zero. Finite in any configuration.
#[derive(Clone, Copy, Debug)]
pub struct MooneyRivlin {
    /// First constant [Pa]: half the shear modulus if the second is 0.
    pub c1: f32,
    /// Second constant [Pa].
    pub c2: f32,
    /// Stiffness against volume changes [Pa].
    pub k: f32,
}

impl MooneyRivlin {
    /// Returns `k (J - a)` with `a = 1 + 2 (c1 + 2 c2) / k`: the derivative of the energy with respect to `J` [Pa].
    #[inline(always)]
    fn slope(&self, j: f32) -> f32 {
        self.k * (j - 1.0) - 2.0 * (self.c1 + 2.0 * self.c2)
    }
}

#[inline(always)]
fn inner(a: &Mat3, b: &Mat3) -> f32 {
    a.mul_transpose(b).trace()
}

impl Law for MooneyRivlin {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        let (b, j) = (trial.f.gram_rows(), trial.f.det());
        // tau = 2 c1 b + 2 c2 (I1 b - b^2) + k (J - a) J I
        let tau = b.combine(2.0 * (self.c1 + self.c2 * b.trace()), &b.square(), -2.0 * self.c2);
        let square = f32::max(1.0, b.eigenvalue_bound());
        Response {
            f: trial.f,
            tau: tau.add_isotropic(self.slope(j) * j),
            memory: trial.memory,
            // A pressure wave along the principal stretch s has the modulus s^2 d^2 psi / ds^2.
            modulus: 2.0 * self.c1 * square + 4.0 * self.c2 * square * square + self.k * f32::max(1.0, j * j),
        }
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        let (b, j) = (f.gram_rows(), f.det());
        let second = 0.5 * (b.trace() * b.trace() - b.square().trace());
        let (now, rest) = (self.slope(j), self.slope(1.0));
        self.c1 * (b.trace() - 3.0) + self.c2 * (second - 3.0) + 0.5 * (now * now - rest * rest) / self.k
    }
}

impl ImplicitLaw for MooneyRivlin {
    /// Returns `2 c1 F + 2 c2 (I1 F - F F^T F) + k (J - a) cof F`.
    #[inline(always)]
    fn piola(&self, f: &Mat3, _memory: f32) -> Mat3 {
        let b = f.gram_rows();
        f.scale(2.0 * (self.c1 + self.c2 * b.trace()))
            .add(&b.to_mat3().mul(f).scale(-2.0 * self.c2))
            .add(&f.cofactor().scale(self.slope(f.det())))
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        let (b, cofactor) = (f.gram_rows(), f.cofactor());
        // F F^T F changes by H F^T F + F H^T F + F F^T H.
        let turned = change.mul_transpose(f).add(&f.mul_transpose(change)).mul(f).add(&b.to_mat3().mul(change));
        // The cofactor is quadratic: cof(F + H) = cof F + change + cof H.
        let opened = f.add(change).cofactor().sub(&cofactor).sub(&change.cofactor());
        change
            .scale(2.0 * (self.c1 + self.c2 * b.trace()))
            .add(&f.scale(4.0 * self.c2 * inner(f, change)))
            .add(&turned.scale(-2.0 * self.c2))
            .add(&cofactor.scale(self.k * inner(&cofactor, change)))
            .add(&opened.scale(self.slope(f.det())))
    }
}
