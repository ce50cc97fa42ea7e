//! Derivatives for the implicit integrator, for solids, grains and liquids: energy, its derivative and the Hessian-vector
//! product are consistent, in compression, at equal stretches and through inversion.

use super::oracle::{
    Draw, condition, corotated_linear, fixed_corotated, gradient, gradient_change, hencky, lame, largest, neo_hookean,
    wide,
};
use crate::law::ImplicitLaw;
use crate::{CorotatedLinear, FixedCorotated, Fluid, Goo, NeoHookean, Sand, Snow};
use fibra_core::mat3::Mat3;
use glam::DMat3;

/// Returns deformations: moderate, compressed, stretched, flat, with equal or nearly equal stretches, and inverted.
fn states() -> Vec<Mat3> {
    let draw = Draw::new(61);
    let mut states = vec![Mat3::IDENTITY, Mat3::diagonal(0.8, 0.8, 0.8), Mat3::diagonal(1.2, 0.7, 0.7)];
    for (r, range) in [[0.99, 1.01], [0.7, 1.4], [0.25, 0.9], [1.1, 2.0]].into_iter().enumerate() {
        states.extend((0..30).map(|i| draw.deformation(range, 1000 * r as u64 + i)));
    }
    for i in 0..20 {
        let gap = [1e-7, 1e-4, 2e-3, 5e-3, 1e-2][i as usize % 5];
        for s in [[1.3, 0.8, 0.8 + gap], [0.9, 0.9 + gap, 1.2], [0.7, 0.7 + gap, 0.7]] {
            states.push(draw.stretched(s, 10_000 + i));
        }
        for s in [[1.2, 0.9, 0.08], [1.2, 0.9, 0.03], [1.2, 0.9, -0.03], [1.3, 0.8, -0.3]] {
            states.push(draw.stretched(s, 20_000 + i));
        }
    }
    states
}

/// Tolerance: `units` in the last place of `F`, times the condition number, times the larger of derivative and stiffness.
fn slack(units: f64, f: DMat3, derivative: DMat3, stiffness: f64) -> f64 {
    units * condition(f) * largest(derivative).max(stiffness)
}

/// A law, its internal variable, and its energy in `f64`.
struct Case<L, E> {
    name: &'static str,
    law: L,
    memory: f32,
    psi: E,
    /// Scale of stresses [Pa].
    stiffness: f64,
    /// Step of second differences, relative to the smallest stretch [-].
    step: f64,
}

impl<L: ImplicitLaw, E: Fn(DMat3) -> f64> Case<L, E> {
    fn check(&self, f: &Mat3, index: u64) {
        let Case { name, law, memory, psi, stiffness, step } = self;
        let draw = Draw::new(62);
        let wide_f = wide(f);
        let exact = gradient(psi, wide_f);
        let piola = wide(&law.piola(f, *memory));
        let (error, allowed) = (largest(piola - exact), slack(2e-6, wide_f, exact, *stiffness));
        assert!(error < allowed, "{name}: derivative off by {error:e} Pa, tolerance {allowed:e}, at {f:?}");

        let (energy, exact) = (f64::from(law.energy(f, *memory)), psi(wide_f));
        let (error, allowed) = ((energy - exact).abs(), slack(2e-6, wide_f, exact * DMat3::IDENTITY, *stiffness));
        assert!(error < allowed, "{name}: energy off by {error:e} J/m^3, tolerance {allowed:e}, at {f:?}");

        let (a, b) = (draw.matrix([-1.0, 1.0], 2 * index), draw.matrix([-1.0, 1.0], 2 * index + 1));
        let exact = gradient_change(psi, wide_f, wide(&a), *step);
        let along_a = wide(&law.piola_change(f, *memory, &a));
        let (error, allowed) = (largest(along_a - exact), slack(5e-6, wide_f, exact, *stiffness));
        assert!(error < allowed, "{name}: Hessian off by {error:e} Pa, tolerance {allowed:e}, at {f:?}");

        let along_b = wide(&law.piola_change(f, *memory, &b));
        let inner = |a: DMat3, b: DMat3| (0..3).map(|k| a.col(k).dot(b.col(k))).sum::<f64>();
        let error = (inner(wide(&b), along_a) - inner(wide(&a), along_b)).abs();
        assert!(error < allowed, "{name}: Hessian not symmetric by {error:e} Pa, tolerance {allowed:e}, at {f:?}");
    }
}

#[test]
fn energies_derivatives_and_hessians_are_consistent() {
    let lame = lame();
    let (mu, lambda) = (f64::from(lame.mu), f64::from(lame.lambda));
    let (stiffness, step, memory) = (f64::from(lame.wave_modulus()), 5e-4, 0.0);
    let law = CorotatedLinear { lame };
    let linear =
        Case { name: "corotated linear", law, memory, psi: |f| corotated_linear(f, mu, lambda), stiffness, step };
    let jelly = FixedCorotated { lame };
    let jelly = Case { name: "jelly", law: jelly, memory, psi: |f| fixed_corotated(f, mu, lambda), stiffness, step };
    let harder = (10.0 * (1.0 - f64::from(0.95f32))).exp();
    let snow = Case {
        name: "snow",
        law: Snow { lame, critical_compression: 0.025, critical_stretch: 0.0075, hardening: 10.0 },
        memory: 0.95,
        psi: |f| fixed_corotated(f, mu * harder, lambda * harder),
        stiffness: stiffness * harder,
        step,
    };
    let grains = Sand::new(lame, 0.6, 0.0, true);
    let sand = Case { name: "sand", law: grains, memory: 0.1, psi: |f| hencky(f, mu, lambda), stiffness, step };
    let cream = Goo { lame, yield_stress: 100.0, viscosity: 5.0 };
    let goo = Case { name: "goo", law: cream, memory, psi: |f| hencky(f, mu, lambda), stiffness, step };
    for (i, f) in states().iter().enumerate() {
        let i = i as u64;
        linear.check(f, i);
        jelly.check(f, i);
        snow.check(f, i);
        sand.check(f, i);
        goo.check(f, i);
        // Below J = 1e-3 the logarithm's tangent makes an inverted particle a million times as stiff as an undeformed one.
        let stiffness = if f.det() < 1e-3 { 1e6 * stiffness } else { stiffness };
        let law = NeoHookean { lame };
        Case { name: "rubber", law, memory, psi: |f| neo_hookean(f, mu, lambda), stiffness, step }.check(f, i);
    }
}

/// `f` is the change since the last step; the internal variable is the volume ratio at the last step.
#[test]
fn a_liquids_energy_derivative_and_hessian_are_consistent() {
    let draw = Draw::new(63);
    for gamma in [1.0f32, 2.0, 7.0] {
        let (k, g) = (2e5, f64::from(gamma));
        let law = Fluid { bulk_modulus: 2e5, gamma, viscosity: 0.1 };
        let stored = |j: f64| {
            let work = if gamma == 1.0 { -j.ln() } else { (j.powf(1.0 - g) - 1.0) / (g - 1.0) };
            k / g * (work + j - 1.0)
        };
        let low = f64::from(Fluid::VOLUME[0]);
        let psi = |j: f64| match j {
            j if j >= 1.0 => 0.0,
            j if j < low => stored(low) - k / g * (low.powf(-g) - 1.0) * (j - low),
            j => stored(j),
        };
        for i in 0..150u64 {
            let range = [[0.97, 1.0], [0.8, 1.05], [1.01, 1.2], [0.5, 0.9], [0.9, 1.1]][i as usize % 5];
            let mut f = draw.deformation(range, i);
            if i % 15 == 14 {
                f = f.mul(&Mat3::diagonal(1.0, 1.0, -1.0));
            }
            let memory = draw.between([0.6, 1.0], &[i, 0]) as f32;
            let j = f64::from(memory) * wide(&f).determinant();
            let stiffness = k * j.clamp(low, 1.0).powf(-g - 1.0);
            // The second derivative jumps where the energy becomes constant or linear.
            if (j - 1.0).abs() > 1e-2 && (j - low).abs() > 1e-2 {
                let psi = |f: DMat3| psi(f64::from(memory) * f.determinant());
                Case { name: "water", law, memory, psi, stiffness, step: 1e-4 }.check(&f, i);
            }
        }
    }
}
