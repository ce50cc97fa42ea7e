//! Whole steps.

use crate::scene::*;
use fibra_core::geometry::Motion;
use fibra_core::mat3::Mat3;
use fibra_mpm::internals::builder::Builder;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::params::{Implicit, Integrator, Params, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::state_file;
use fibra_mpm::internals::step::{StepError, start, step};
use fibra_mpm::internals::timestep::stable_dt;
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::anisotropy::{
    Anisotropy, AxisParameters, Elasticity, FlowRule, Orientation, Orthotropic, StressMap,
};
use fibra_mpm::materials::{
    Anisotropic, Cloth, ElasticModel, FixedCorotated, Lame, Material, NeoHookean, Sand, Tissue,
};
use glam::DVec3;

fn advance(params: &Params, state: &mut State, work: &mut Workspace, steps: usize) -> Result<(), StepError> {
    (0..steps).try_for_each(|_| step(params, state, work, f64::INFINITY).map(drop))
}

fn run_until(params: &Params, state: &mut State, end: f64) -> Workspace {
    let mut work = Workspace::default();
    while state.time < end {
        step(params, state, &mut work, end).unwrap();
    }
    work
}

/// Returns the positions of points and vertices, by id.
fn positions(state: &State) -> Vec<DVec3> {
    let p = &state.particles;
    let mut out = vec![DVec3::ZERO; p.len()];
    for i in (0..p.len()).filter(|&i| !p.kind[i].is_element()) {
        out[p.id[i] as usize] = DVec3::from_array(p.x[i].map(f64::from));
    }
    out
}

fn largest_difference(a: &State, b: &State) -> f64 {
    positions(a).iter().zip(positions(b)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
}

/// Both integrators are of first order, so they converge to each other as the step shrinks.
#[test]
fn short_steps_converge_to_the_explicit_integrator() {
    let (mut params, state) = crowd(f64::INFINITY);
    params.gravity = [0.0, -9.81, 0.0];
    let tight = Implicit { newton_iterations: 20, linear_iterations: 200, tolerance: 1e-5 };
    let end = 4e-3;
    let difference = |dt: f64| {
        let mut both = [Integrator::Explicit, Integrator::Implicit(tight)].map(|integrator| {
            let mut params = Params { integrator, ..params.clone() };
            params.limits.max_dt = dt;
            let mut state = state.clone();
            run_until(&params, &mut state, end);
            state
        });
        let moved = largest_difference(&both[0], &state);
        let [a, b] = &mut both;
        largest_difference(a, b) / moved
    };
    let (coarse, fine) = (difference(2e-4), difference(5e-5));
    assert!(fine < 0.01 && fine < 0.4 * coarse, "differences {coarse} and {fine}, relative to the motion");
}

/// A block with tilted material axes that is sheared and compressed; the first law is elastic, the others flow.
#[test]
fn anisotropic_materials_converge_to_the_explicit_integrator() {
    let lame = Lame::new(1e3, 0.3);
    let sand = Material::Sand(Sand::new(lame, 0.7, 20.0, false));
    let moduli = Orthotropic {
        youngs_moduli: [1e3, 7e2, 3e3],
        poisson_ratios: [0.1, 0.1, 0.3],
        reverse_poisson_ratios: None,
        shear_moduli: None,
    };
    let planes =
        Anisotropy { elasticity: Elasticity::Orthotropic(moduli), stress_map: StressMap::Scales([0.9, 1.0, 1.2]) };
    let axis = |youngs_modulus, scale| AxisParameters { youngs_modulus, poisson_ratio: 0.3, scale };
    let grains = Orientation {
        elongation: 0.8,
        along: axis(2e3, 1.2),
        across: axis(7e2, 0.9),
        mixed: axis(1e3, 1.0),
        start: [0.1, 0.2, 0.7],
    };
    let linear = sand.with_elasticity(ElasticModel::CorotatedLinear).unwrap();
    let tissue = Material::Tissue(Tissue { lame, critical_shear: 0.02, softening: 1.0 });
    let wrap = |law: &Material| Anisotropic::new(law, &planes).unwrap();
    // The laws with maps are linear in their strain or have no plastic flow: then both integrators have the same stress.
    let materials = [
        wrap(&Material::FixedCorotated(FixedCorotated { lame })),
        wrap(&Material::NeoHookean(NeoHookean { lame })),
        wrap(&sand).with_flow_rule(FlowRule::Paper),
        wrap(&tissue),
        Anisotropic::of_grains(&sand, &grains).unwrap(),
    ];
    let materials = materials.map(Material::from).into_iter().chain([linear]);
    let turn = fibra_core::decompose::polar(&Mat3::from_rows([0.8, -0.5, 0.1, 0.6, 0.7, -0.3, 0.2, 0.4, 0.9])).r;
    let tight = Implicit { newton_iterations: 20, linear_iterations: 200, tolerance: 1e-5 };
    for material in materials {
        let mut params = params();
        params.substances[JELLY as usize].material = material.clone();
        let mut b = Builder::new(DVec3::ZERO);
        add_block(&mut b, JELLY, DVec3::splat(-0.1), DVec3::splat(0.1), &moving(DVec3::ZERO, DVec3::ZERO));
        let (mut state, _) = b.finish();
        let rate = Mat3::from_rows([-2.0, 3.0, 0.0, 1.0, -1.0, 0.5, 0.0, -2.0, -1.5]);
        let p = &mut state.particles;
        for i in 0..p.x.len() {
            (p.v[i], p.c[i], p.f[i]) = (rate.mul_vec(p.x[i]), rate, turn);
        }
        start(&params, &mut state);
        let end = 2e-2;
        let difference = |dt: f64| {
            let [a, b] = [Integrator::Explicit, Integrator::Implicit(tight)].map(|integrator| {
                let mut params = Params { integrator, ..params.clone() };
                params.limits.max_dt = dt;
                let mut state = state.clone();
                run_until(&params, &mut state, end);
                state
            });
            largest_difference(&a, &b) / largest_difference(&a, &state)
        };
        let (coarse, fine) = (difference(1e-3), difference(2.5e-4));
        assert!(fine < 0.01 && fine < 0.5 * coarse, "{material:?}: differences {coarse} and {fine} of the motion");
    }
}

/// A strip pinned at its top stretches by `rho g L^2 / 2 E`, at ten times the step of the explicit integrator.
#[test]
fn a_strip_settles_at_ten_times_the_explicit_step() {
    let (length, youngs, density, g) = (0.6, 2e4, 50.0, 9.81);
    let mut params = params();
    let law = Cloth::new(Lame::new(youngs, 0.0), 100.0, 10.0, 0.3, ContactModel::Frictional);
    params.substances[CLOTH as usize].material = Material::Cloth(law);
    params.substances[CLOTH as usize].density = density as f32;
    params.gravity = [0.0, -g as f32, 0.0];
    let mut b = Builder::new(DVec3::ZERO);
    let rest = moving(DVec3::ZERO, DVec3::ZERO);
    let fabric = fibra_mpm::internals::builder::Fabric { density, ..CLOTH_FABRIC };
    let (rows, columns) = (24u32, 8u32);
    let h = length / f64::from(rows);
    let vertices: Vec<DVec3> = (0..=rows)
        .flat_map(|i| (0..=columns).map(move |j| DVec3::new(f64::from(j) * h, -f64::from(i) * h, 0.011)))
        .collect();
    let row = columns + 1;
    let mut triangles = Vec::new();
    for i in 0..rows {
        for j in 0..columns {
            let a = i * row + j;
            triangles.extend([[a, a + row, a + 1], [a + 1, a + row, a + row + 1]]);
        }
    }
    b.add_surface(CLOTH, &vertices, &triangles, &fabric, &rest).unwrap();
    let top: Vec<u32> = (0..=columns).collect();
    b.add_pin(&top, Motion::Still, DVec3::ZERO, f64::INFINITY);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    let explicit = Params { integrator: Integrator::Explicit, ..params.clone() };
    params.limits.max_dt = 10.0 * stable_dt(&explicit, &state).unwrap();
    let work = run_until(&params, &mut state, 1.0);
    assert!(work.implicit.effort.unconverged_steps == 0, "{:?}", work.implicit.effort);
    let lowest = positions(&state)[(rows * row) as usize..].iter().take(row as usize).map(|x| x.y).sum::<f64>();
    let elongation = -lowest / f64::from(row) - length;
    let exact = density * g * length * length / (2.0 * youngs);
    assert!((elongation / exact - 1.0).abs() < 0.02, "stretched by {elongation} m, not {exact} m");
}

/// Even with a loose solver tolerance, free fall is exact and momentum without contact is conserved.
#[test]
fn a_loose_solve_keeps_momentum() {
    let (mut params, _) = crowd(f64::INFINITY);
    params.gravity = [0.3, -9.81, 0.0];
    params.integrator = Integrator::Implicit(Implicit { newton_iterations: 2, linear_iterations: 3, tolerance: 0.3 });
    let mut b = Builder::new(DVec3::ZERO);
    let spinning = moving(DVec3::X, DVec3::new(2.0, 3.0, 1.0));
    add_cloth(&mut b, [12, 12], [0.4, 0.4], &spinning, |x| x + DVec3::Y * (3.0 * x.x).sin() * 0.1);
    add_block(&mut b, JELLY, DVec3::new(0.1, 0.2, 0.1), DVec3::new(0.3, 0.35, 0.3), &spinning);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    let momentum = |state: &State| {
        let p = &state.particles;
        (0..p.len()).map(|i| DVec3::from_array(p.v[i].map(f64::from)) * f64::from(p.mass[i])).sum::<DVec3>()
    };
    let mass: f64 = state.particles.mass.iter().map(|&m| f64::from(m)).sum();
    let before = momentum(&state);
    let mut work = Workspace::default();
    advance(&params, &mut state, &mut work, 40).unwrap();
    let gained = (momentum(&state) - before) / mass;
    let exact = DVec3::new(0.3, -9.81, 0.0) * state.time;
    assert!((gained - exact).length() < 1e-4 * exact.length(), "{gained} m/s, not {exact}");
    assert!(work.implicit.effort.linear_iterations > 40);
}

#[test]
fn results_do_not_depend_on_the_thread_count() {
    let run = |threads: usize| {
        let (params, mut state) = crowd(f64::INFINITY);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| advance(&params, &mut state, &mut Workspace::default(), 30)).unwrap();
        state
    };
    let alone = run(1);
    assert!(run(2) == alone && run(3) == alone);
}

/// The pinned corner is released during the run. The solver keeps no data between steps, so the results are the same.
#[test]
fn a_loaded_state_continues_bit_exactly() {
    let (params, mut state) = crowd(0.05);
    let mut work = Workspace::default();
    for _ in 0..4 {
        advance(&params, &mut state, &mut work, 7).unwrap();
        let file = state_file::save(&state);
        let mut again = state_file::load(&file, &params, state.particles.len()).unwrap();
        advance(&params, &mut again, &mut Workspace::default(), 7).unwrap();
        advance(&params, &mut state, &mut work, 7).unwrap();
        assert!(again == state);
    }
    assert!(state.time > 0.05, "the pin must be released: {} s", state.time);
}

/// Every transfer gets the velocities it needs: a steady motion is unchanged.
#[test]
fn every_transfer_preserves_a_steady_motion() {
    let transfers = [
        Transfer::Pic,
        Transfer::Apic { damping: 200.0 },
        Transfer::Flip { ratio: 0.95 },
        Transfer::Sflip { ratio: 0.9, trap_breaking: [0.2, 0.8] },
    ];
    for transfer in transfers {
        let mut params = Params { transfer, gravity: [0.0, -2.0, 0.0], ..params() };
        let mut b = Builder::new(DVec3::ZERO);
        let motion = moving(DVec3::new(1.0, 0.5, -0.25), DVec3::ZERO);
        add_cloth(&mut b, [8, 8], [0.3, 0.3], &motion, |x| x);
        add_block(&mut b, JELLY, DVec3::new(0.0, 0.1, 0.0), DVec3::new(0.1, 0.2, 0.1), &motion);
        let (mut state, meshes) = b.finish();
        params.meshes = meshes;
        start(&params, &mut state);
        advance(&params, &mut state, &mut Workspace::default(), 10).unwrap();
        let p = &state.particles;
        let exact = DVec3::new(1.0, 0.5 - 2.0 * state.time, -0.25);
        for i in (0..p.len()).filter(|&i| p.kind[i] != Kind::Held) {
            let v = DVec3::from_array(p.v[i].map(f64::from));
            assert!((v - exact).length() < 1e-4, "{transfer:?}: {v} m/s, not {exact}");
        }
    }
}

/// Steps a state without particles, and a state with a single particle.
#[test]
fn empty_states_and_single_particles_can_be_stepped() {
    let mut params = params();
    params.gravity = [0.0, -1.0, 0.0];
    let mut state = State::default();
    start(&params, &mut state);
    advance(&params, &mut state, &mut Workspace::default(), 2).unwrap();
    let mut b = Builder::new(DVec3::ZERO);
    b.add_points(JELLY, &[DVec3::ZERO], 1e-3, 100.0, &moving(DVec3::ZERO, DVec3::ZERO));
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    advance(&params, &mut state, &mut Workspace::default(), 3).unwrap();
    assert!((f64::from(state.particles.v[0][1]) + state.time).abs() < 1e-6);
}
