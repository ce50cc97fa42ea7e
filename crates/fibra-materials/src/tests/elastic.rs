//! The elastic part of every law: the stress is the derivative of the energy, rotates with the body, and vanishes at rest.
//! The type `Sym3` makes every Kirchhoff stress symmetric. Its agreement with the derivative shows that the exact stress is symmetric too.

use super::oracle::{
    Draw, condition, corotated_linear, fixed_corotated, hencky, lame, largest, narrow, neo_hookean, static_response,
    stress, wide, wide_symmetric,
};
use crate::law::Law;
use crate::{CorotatedLinear, FixedCorotated, Fluid, Goo, Lame, NeoHookean, Sand, Snow};
use fibra_core::mat3::Mat3;
use glam::DMat3;

/// An elastic law and its energy in `f64`.
struct Case<L> {
    name: &'static str,
    law: L,
    memory: f32,
    psi: fn(DMat3, f64, f64) -> f64,
    lame: Lame,
    /// Smallest stretch that the law does not clamp.
    flattest: f64,
}

impl<L: Law> Case<L> {
    fn psi(&self, f: DMat3) -> f64 {
        (self.psi)(f, self.lame.mu.into(), self.lame.lambda.into())
    }

    /// Tolerance of a stress: a few units in the last place of `F`, times the condition number, times the larger of stress and
    /// stiffness.
    fn tolerance(&self, f: DMat3, tau: DMat3) -> f64 {
        2e-6 * condition(f) * largest(tau).max(self.lame.wave_modulus().into())
    }

    fn check(&self, f: &Mat3, draw: &Draw, index: u64) {
        let wide_f = wide(f);
        let response = static_response(&self.law, f, self.memory);
        let tau = wide_symmetric(&response.tau);
        let tolerance = self.tolerance(wide_f, tau);
        assert!(largest(wide(&response.f) - wide_f) < 2e-6 * largest(wide_f), "{}: {f:?} flowed", self.name);

        let exact = stress(|f| self.psi(f), wide_f);
        let error = largest(tau - exact);
        assert!(error < tolerance, "{}: stress off by {error:e} Pa, tolerance {tolerance:e}, at {f:?}", self.name);

        let energy = f64::from(self.law.energy(f, self.memory));
        // Allowed error of the energy: the work of the current stress along a strain error of the tolerance's size.
        let slack = tolerance * (1.0 + largest(tau) / f64::from(self.lame.wave_modulus())) + 1e-6 * self.psi(wide_f);
        let error = (energy - self.psi(wide_f)).abs();
        assert!(error < slack, "{}: energy off by {error:e} J/m^3, tolerance {slack:e}, at {f:?}", self.name);

        // tau(Q F) = Q tau(F) Q^T; for an isotropic law tau(F Q) = tau(F).
        let q = draw.rotation(index, 7);
        let turned = wide_symmetric(&static_response(&self.law, &narrow(q * wide_f), self.memory).tau);
        let error = largest(turned - q * tau * q.transpose());
        assert!(error < 2.0 * tolerance, "{}: not frame indifferent by {error:e} Pa at {f:?}", self.name);
        let turned = wide_symmetric(&static_response(&self.law, &narrow(wide_f * q), self.memory).tau);
        let error = largest(turned - tau);
        assert!(error < 2.0 * tolerance, "{}: not isotropic by {error:e} Pa at {f:?}", self.name);
    }

    fn check_all(&self) {
        let draw = Draw::new(11);
        let ranges = [[0.8, 1.25], [0.99, 1.01], [0.25, 0.9], [1.05, 3.0], [0.4, 2.5]];
        for (r, range) in ranges.into_iter().enumerate() {
            for index in 0..60 {
                let index = 1000 * r as u64 + index;
                self.check(&draw.deformation(range, index), &draw, index);
            }
        }
        for index in 0..60 {
            // Nearly flat, nearly a line, and with two equal stretches.
            let flat = draw.between([1.1 * self.flattest, 3.0 * self.flattest], &[index]);
            for s in [[1.2, 0.9, flat], [1.5, 2.0 * flat, flat], [1.3, 1.3, 0.8], [0.7, 1.1, 1.1]] {
                self.check(&draw.stretched(s, index), &draw, index);
            }
        }
        self.check_rest();
    }

    /// Also checks inverted states, except where the smallest stretch is close to the negative of the next and the rotation is undefined.
    fn check_inverted(&self) {
        let draw = Draw::new(13);
        for index in 0..60 {
            let inverted = -draw.between([0.05, 0.6], &[index]);
            self.check(&draw.stretched([1.3, 0.9, inverted], index), &draw, index);
        }
    }

    /// Checks that the stress at rest is zero, also after a rotation.
    fn check_rest(&self) {
        let draw = Draw::new(12);
        let modulus = f64::from(self.lame.wave_modulus());
        for index in 0..60 {
            let q = narrow(draw.rotation(index, 0));
            let tau = largest(wide_symmetric(&static_response(&self.law, &q, self.memory).tau));
            assert!(tau < 2e-6 * modulus, "{}: {tau:e} Pa after a rigid rotation", self.name);
        }
        let tau = largest(wide_symmetric(&static_response(&self.law, &Mat3::IDENTITY, self.memory).tau));
        assert!(tau <= 1e-7 * modulus, "{}: {tau:e} Pa at rest", self.name);
    }
}

#[test]
fn fixed_corotated_stress_is_the_derivative_of_its_energy() {
    let law = FixedCorotated { lame: lame() };
    let case = Case { name: "fixed corotated", law, memory: 0.0, psi: fixed_corotated, lame: law.lame, flattest: 0.01 };
    case.check_all();
    case.check_inverted();
}

#[test]
fn corotated_linear_stress_is_the_derivative_of_its_energy() {
    let law = CorotatedLinear { lame: lame() };
    let (psi, lame) = (corotated_linear, law.lame);
    let case = Case { name: "corotated linear", law, memory: 0.0, psi, lame, flattest: 0.01 };
    case.check_all();
    case.check_inverted();
}

#[test]
fn neo_hookean_stress_is_the_derivative_of_its_energy() {
    let law = NeoHookean { lame: lame() };
    Case { name: "neo-Hookean", law, memory: 0.0, psi: neo_hookean, lame: law.lame, flattest: 0.02 }.check_all();
}

/// Snow that does not flow: fixed corotated elasticity with the constants of its packing,
/// `mu_0 e^(xi (1 - J_P))` [Stomakhin2013, Eq. 2].
#[test]
fn snow_stress_is_the_derivative_of_its_energy() {
    let law = Snow { lame: lame(), critical_compression: 2.0, critical_stretch: 100.0, hardening: 10.0 };
    for packing in [1.0f32, 0.93, 1.08] {
        let harder = (10.0 * (1.0 - f64::from(packing))).exp() as f32;
        let lame = Lame { mu: law.lame.mu * harder, lambda: law.lame.lambda * harder };
        Case { name: "snow", law, memory: packing, psi: fixed_corotated, lame, flattest: 0.05 }.check_all();
    }
}

#[test]
fn sand_stress_is_the_derivative_of_its_energy() {
    // Cohesion so large that no state in this test yields.
    let law = Sand { lame: lame(), alpha: 0.3, cohesion_strain: 1e3, volume_correction: 1.0 };
    Case { name: "sand", law, memory: 0.0, psi: hencky, lame: law.lame, flattest: 0.051 }.check_all();
}

#[test]
fn goo_stress_is_the_derivative_of_its_energy() {
    let law = Goo { lame: lame(), yield_stress: 1e9, viscosity: 1.0 };
    Case { name: "goo", law, memory: 0.0, psi: hencky, lame: law.lame, flattest: 0.051 }.check_all();
}

/// A liquid's energy depends on `J` alone: `tau = J psi'(J) I`.
#[test]
fn fluid_stress_is_the_derivative_of_its_energy() {
    for gamma in [1.0f32, 2.0, 7.0] {
        let law = Fluid { bulk_modulus: 2e5, gamma, viscosity: 0.0 };
        let (k, g) = (2e5, f64::from(gamma));
        let psi = |j: f64| {
            let work = if gamma == 1.0 { -j.ln() } else { (j.powf(1.0 - g) - 1.0) / (g - 1.0) };
            k / g * (work + j - 1.0)
        };
        for step in 0..=130 {
            let j = (0.35 + 0.005 * f64::from(step)) as f32;
            let exact = f64::from(j);
            let tau = wide_symmetric(&static_response(&law, &Mat3::IDENTITY, j).tau);
            let h = 1e-6;
            // No tension beyond the rest volume: the energy is constant there.
            let slope = if exact >= 1.0 { 0.0 } else { (psi(exact + h) - psi(exact - h)) / (2.0 * h) };
            let expected = DMat3::from_diagonal(glam::DVec3::splat(exact * slope));
            let scale = k * exact.powf(-g);
            let error = largest(tau - expected);
            assert!(error < 2e-6 * scale, "gamma {gamma}, J {j}: stress off by {error:e} Pa");
            let expected = if exact >= 1.0 { 0.0 } else { psi(exact) };
            let error = (f64::from(law.energy(&Mat3::IDENTITY, j)) - expected).abs();
            // The bracket cancels to second order in 1 - J, but the rounding of its terms does not.
            assert!(error < 1e-6 * scale, "gamma {gamma}, J {j}: energy off by {error:e} J/m^3");
        }
        assert_eq!(static_response(&law, &Mat3::IDENTITY, 1.0).tau, fibra_core::mat3::Sym3::default());
    }
}

/// Returns the largest wave modulus: the second derivative of the energy along `(I + s a n^T) F`, maximized over polarizations `a`
/// and normals `n`. The law must report at least this modulus for the step to be stable.
fn stiffest_wave(psi: impl Fn(DMat3) -> f64, f: DMat3, draw: &Draw) -> f64 {
    let h = 1e-4;
    let directions: Vec<_> = (0..40).map(|k| draw.direction(k, 50)).collect();
    let along = |a: glam::DVec3, n: glam::DVec3| {
        let wave = DMat3::from_cols(a * n.x, a * n.y, a * n.z) * f;
        (psi(f + wave * h) - 2.0 * psi(f) + psi(f - wave * h)) / (h * h)
    };
    // Pressure waves, with a = n, are the fastest in every law here.
    directions.iter().map(|&n| along(n, n)).fold(0.0, f64::max)
}

fn reports_its_stiffest_wave<L: Law>(case: &Case<L>) {
    let draw = Draw::new(14);
    for (r, range) in [[0.95, 1.05], [0.5, 1.0], [1.0, 2.0], [0.6, 1.7]].into_iter().enumerate() {
        for index in 0..20 {
            let f = draw.deformation(range, 1000 * r as u64 + index);
            let modulus = f64::from(static_response(&case.law, &f, case.memory).modulus);
            let exact = stiffest_wave(|f| case.psi(f), wide(&f), &draw);
            // An error of 5 % in a modulus is 2.5 % in the time step, well within the safety factor.
            assert!(modulus > 0.95 * exact, "{}: {modulus:e} Pa reported, {exact:e} Pa needed at {f:?}", case.name);
        }
    }
}

#[test]
fn hyperelastic_laws_report_their_stiffest_wave() {
    let lame = lame();
    let case = Case {
        name: "fixed corotated",
        law: FixedCorotated { lame },
        memory: 0.0,
        psi: fixed_corotated,
        lame,
        flattest: 0.01,
    };
    reports_its_stiffest_wave(&case);
    let case =
        Case { name: "neo-Hookean", law: NeoHookean { lame }, memory: 0.0, psi: neo_hookean, lame, flattest: 0.02 };
    reports_its_stiffest_wave(&case);
    let law = Sand { lame, alpha: 0.3, cohesion_strain: 1e3, volume_correction: 1.0 };
    reports_its_stiffest_wave(&Case { name: "sand", law, memory: 0.0, psi: hencky, lame, flattest: 0.051 });
    let law = Goo { lame, yield_stress: 1e9, viscosity: 1.0 };
    reports_its_stiffest_wave(&Case { name: "goo", law, memory: 0.0, psi: hencky, lame, flattest: 0.051 });
}
