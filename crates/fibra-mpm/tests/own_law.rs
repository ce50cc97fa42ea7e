//! A law from another crate: its derivatives, and its steps.

#![allow(missing_docs)]

#[path = "../examples/own_material/mooney_rivlin.rs"]
mod mooney_rivlin;

use fibra_core::mat3::Mat3;
use fibra_core::random::CounterRng;
use fibra_mpm::internals::builder::{Builder, StartMotion};
use fibra_mpm::internals::diagnostics::diagnose;
use fibra_mpm::internals::params::{Implicit, Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{StepError, start, step};
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::law::{ImplicitLaw, Law, Response, Trial};
use fibra_mpm::materials::{FixedCorotated, Lame, Material, NeoHookean};
use glam::DVec3;
use mooney_rivlin::MooneyRivlin;

const RUBBER: MooneyRivlin = MooneyRivlin { c1: 1e4, c2: 2e3, k: 1e5 };

fn random(index: u64, size: f32) -> Mat3 {
    let rng = CounterRng::new(3);
    Mat3::from_rows(std::array::from_fn(|k| size * (2.0 * rng.uniform(&[index, k as u64]) as f32 - 1.0)))
}

fn along(a: &Mat3, b: &Mat3) -> f32 {
    a.mul_transpose(b).trace()
}

#[test]
fn derivatives_match_finite_differences() {
    for i in 0..100 {
        let f = Mat3::IDENTITY.add(&random(2 * i, 0.4));
        let (change, h) = (random(2 * i + 1, 1.0), 5e-3f32);
        let [ahead, behind] = [h, -h].map(|h| f.add(&change.scale(h)));
        let slope = (RUBBER.energy(&ahead, 0.0) - RUBBER.energy(&behind, 0.0)) / (2.0 * h);
        let piola = RUBBER.piola(&f, 0.0);
        // The error of a difference quotient is h^2 plus the rounding of the energy over h.
        assert!((slope - along(&piola, &change)).abs() < 300.0, "{slope} {}", along(&piola, &change));
        let bend = RUBBER.piola(&ahead, 0.0).sub(&RUBBER.piola(&behind, 0.0)).scale(0.5 / h);
        let off = bend.sub(&RUBBER.piola_change(&f, 0.0, &change));
        assert!(along(&off, &off).sqrt() < 1e-3 * 1e5, "{off:?}");
        let tau = RUBBER.respond(&Trial { f, grad_v: Mat3::ZERO, memory: 0.0, dt: 1e-3 }).tau.to_mat3();
        let off = tau.sub(&piola.mul_transpose(&f));
        assert!(along(&off, &off).sqrt() < 1e-5 * 1e5, "{off:?}");
    }
}

/// A cube whose opposite ends move apart.
fn cube(material: Material, integrator: Integrator) -> (Params, State) {
    let at = |i: u32| DVec3::new(f64::from(i / 64), f64::from(i / 8 % 8), f64::from(i % 8));
    let points: Vec<DVec3> = (0..512).map(|i| 0.05 * (at(i) - 3.5)).collect();
    let mut builder = Builder::new(DVec3::ZERO);
    builder.add_points(0, &points, 0.05f64.powi(3), 1000.0, &StartMotion::default());
    let (mut state, meshes) = builder.finish();
    let params = Params {
        dx: 0.1,
        kernel: Kernel::Quadratic,
        transfer: Transfer::Apic { damping: 0.0 },
        gravity: [0.0; 3],
        integrator,
        limits: StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 2e-3, min_dt: 1e-9 },
        objects: vec![Object { name: "cube".to_owned(), material: 0 }],
        substances: vec![Substance { material, density: 1000.0 }],
        meshes,
        grains: Vec::new(),
        colliders: Vec::new(),
        origin: DVec3::ZERO,
    };
    let p = &mut state.particles;
    for ((v, c), x) in p.v.iter_mut().zip(&mut p.c).zip(&p.x) {
        v[1] = 4.0 * x[1];
        *c = Mat3::diagonal(0.0, 4.0, 0.0);
    }
    start(&params, &mut state);
    (params, state)
}

fn run(params: &Params, state: &mut State, until: f64) -> Result<(), StepError> {
    let mut work = Workspace::default();
    while state.time < until {
        step(params, state, &mut work, until)?;
    }
    Ok(())
}

const NEWTON: Integrator =
    Integrator::Implicit(Implicit { newton_iterations: 20, linear_iterations: 200, tolerance: 1e-4 });

/// Transfers on a grid of four cells, and backward Euler, dissipate energy with any law. Rubber of the same stiffness from the table
/// gives the reference.
#[test]
fn steps_conserve_momentum_and_as_much_energy_as_built_in_rubber() {
    let like = NeoHookean { lame: Lame { mu: 2.0 * (RUBBER.c1 + RUBBER.c2), lambda: RUBBER.k } };
    for integrator in [Integrator::Explicit, NEWTON] {
        let shares = [Material::custom_implicit(RUBBER), Material::NeoHookean(like)].map(|material| {
            let (params, mut state) = cube(material, integrator);
            let before = diagnose(&params, &state, None);
            run(&params, &mut state, 0.04).unwrap();
            let after = diagnose(&params, &state, None);
            assert!(after.momentum.length() < 1e-5, "{after:?}");
            [after.elastic_energy + after.kinetic_energy, after.elastic_energy].map(|e| e / before.kinetic_energy)
        });
        println!("{integrator:?}: remaining energy, total and elastic: {shares:.3?}");
        assert!(shares[0][0] < 1.01 && shares[0][1] > 0.05, "{integrator:?}: {shares:?}");
        assert!((shares[0][0] - shares[1][0]).abs() < 0.05, "{integrator:?}: {shares:?}");
    }
}

/// The fixed corotated law of the table, as if it came from another crate.
#[derive(Clone, Copy)]
struct Own(FixedCorotated);

impl Law for Own {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        self.0.respond(trial)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, memory: f32) -> f32 {
        self.0.energy(f, memory)
    }
}

#[test]
fn a_custom_law_equals_the_same_built_in_law_bitwise() {
    let jelly = FixedCorotated { lame: Lame::new(1e5, 0.3) };
    let ends = [Material::FixedCorotated(jelly), Material::custom(Own(jelly))].map(|material| {
        let (params, mut state) = cube(material, Integrator::Explicit);
        run(&params, &mut state, 0.02).unwrap();
        (state.steps, state.particles.x)
    });
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn implicit_steps_without_derivatives_are_an_error() {
    let jelly = FixedCorotated { lame: Lame::new(1e5, 0.3) };
    let (params, mut state) = cube(Material::custom(Own(jelly)), NEWTON);
    assert!(matches!(run(&params, &mut state, 0.01), Err(StepError::NotImplicit { substance: 0 })));
}
