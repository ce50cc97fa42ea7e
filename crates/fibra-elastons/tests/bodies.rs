//! Invariants of the whole method for rods, plates and cubes.

mod api;
mod common;

use common::{BODIES, body, params};
use faer::{Mat, Side};
use fibra_core::geometry::Motion;
use fibra_core::random::CounterRng;
use fibra_elastons::internals::equations::{EquationCoefficients, Equations, Scratch, frames};
use fibra_elastons::internals::forces::{StepInputs, right_hand_side};
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::law::{self, strains};
use fibra_elastons::internals::linear::{BlockMatrix, BlockPattern};
use fibra_elastons::internals::measures::Totals;
use fibra_elastons::internals::state_file;
use fibra_elastons::internals::step::step;
use fibra_elastons::internals::table::linear_field;
use fibra_elastons::internals::workspace::Workspace;
use fibra_elastons::internals::world::{Hold, Params, State};
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;

fn rigid(state: &State, order: Order, turn: DQuat, shift: DVec3) -> Vec<f64> {
    linear_field(order, &state.matter.samples, shift, DMat3::from_quat(turn) - DMat3::IDENTITY)
}

#[test]
fn rigid_motions_have_no_energy_and_no_force() {
    for order in [Order::First, Order::Second] {
        let params = Params { order, gravity: DVec3::ZERO, ..params() };
        for which in 0..BODIES.len() {
            let mut state = body(which, &params);
            let work = Workspace::new(&params, &state).unwrap();
            let scale = params.objects[0].elasticity.young * BODIES[which].0.element_product();
            for (axis, angle) in [(DVec3::X, 0.3), (DVec3::Y, 1.6), (DVec3::ONE.normalize(), 3.1)] {
                let turn = DQuat::from_axis_angle(axis, angle);
                state.displacements = rigid(&state, order, turn, DVec3::new(3.0, -2.0, 1.0));
                let table = &work.discretization.elastons;
                let frames = frames(&state.matter, table, &state.displacements);
                let inputs = StepInputs { dt: 1.0, end: 0.0, holding: &[], frames: &frames };
                let forces = right_hand_side(&params, &state, &work.discretization, &inputs);
                let largest = forces.iter().fold(0.0_f64, |largest, force| largest.max(force.abs()));
                assert!(largest < 1e-9 * scale, "{order:?}, body {which}: a force of {largest}");
                let energy = Totals::new(&params, &state, &work.discretization, |_| true).elastic;
                assert!(energy < 1e-18 * scale, "{order:?}, body {which}: {energy} J");
            }
        }
    }
}

fn dense(matrix: &BlockMatrix) -> Mat<f64> {
    let (n, b) = (matrix.unknowns(), matrix.block_size());
    let mut dense = Mat::zeros(n, n);
    let mut unit = vec![0.0; n];
    let mut product = vec![0.0; n];
    for column in 0..n {
        unit.fill(0.0);
        unit[column] = 1.0;
        matrix.multiply(&unit, &mut product);
        (0..n).for_each(|row| dense[(row, column)] = product[row]);
    }
    assert_eq!(n % b, 0);
    dense
}

/// Stiffness matrix of a body in the corotated frames of its displacement. Also checks that the matrix-free product
/// agrees with this matrix.
fn stiffness(params: &Params, state: &State, work: &Workspace) -> Mat<f64> {
    let discretization = &work.discretization;
    let frames = frames(&state.matter, &discretization.elastons, &state.displacements);
    let coefficients = EquationCoefficients { mass: 0.0, stiffness: 1.0, hold: 0.0 };
    let equations =
        Equations { params, matter: &state.matter, discretization, frames: &frames, holding: &[], coefficients };
    let pattern = BlockPattern::from_cliques(state.matter.samples.len(), discretization.cliques());
    let mut matrix = BlockMatrix::zeros(Arc::new(pattern), discretization.unknowns_per_sample());
    equations.assemble(&mut matrix);
    let random = CounterRng::new(3);
    let x: Vec<f64> = (0..matrix.unknowns()).map(|at| random.uniform(&[at as u64]) - 0.5).collect();
    let (mut by_matrix, mut by_sums) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    matrix.multiply(&x, &mut by_matrix);
    equations.multiply(&x, &mut by_sums, &mut Scratch::default());
    let largest = by_sums.iter().fold(0.0_f64, |largest, y| largest.max(y.abs()));
    assert!(by_matrix.iter().zip(&by_sums).all(|(a, b)| (a - b).abs() < 1e-12 * largest));
    dense(&matrix)
}

#[test]
fn stiffness_is_symmetric_and_has_six_zero_modes_and_no_negative_ones() {
    for order in [Order::First, Order::Second] {
        let params = Params { order, ..params() };
        for which in 0..BODIES.len() {
            let mut state = body(which, &params);
            let work = Workspace::new(&params, &state).unwrap();
            for angle in [0.0, 2.0] {
                let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
                state.displacements = rigid(&state, order, turn, DVec3::ZERO);
                let matrix = stiffness(&params, &state, &work);
                let n = matrix.nrows();
                let asymmetry = (0..n * n)
                    .map(|at| (matrix[(at / n, at % n)] - matrix[(at % n, at / n)]).abs())
                    .fold(0.0, f64::max);
                let mut values = matrix.self_adjoint_eigenvalues(Side::Lower).unwrap();
                values.sort_by(f64::total_cmp);
                let largest = values[n - 1];
                assert!(asymmetry < 1e-12 * largest, "{order:?}, body {which}: {asymmetry}");
                assert!(values[0] > -1e-12 * largest, "{order:?}, body {which}: {}", values[0] / largest);
                let zeros = values.iter().filter(|&&value| value < 1e-11 * largest).count();
                let around: Vec<f64> = values[..9].iter().map(|value| value / largest).collect();
                assert_eq!(zeros, 6, "{order:?}, body {which}: {around:?}");
            }
        }
    }
}

#[test]
fn forces_are_the_derivative_of_the_energy() {
    let params = Params { gravity: DVec3::ZERO, ..params() };
    for which in 0..BODIES.len() {
        let mut state = body(which, &params);
        let work = Workspace::new(&params, &state).unwrap();
        let table = &work.discretization.elastons;
        let random = CounterRng::new(11);
        let turned = rigid(&state, params.order, DQuat::from_rotation_y(1.9), DVec3::ZERO);
        let bumps = |seed: u64| (0..turned.len()).map(move |at| 1e-3 * (random.uniform(&[seed, at as u64]) - 0.5));
        state.displacements = turned.iter().zip(bumps(1)).map(|(a, b)| a + b).collect();
        let frames = frames(&state.matter, table, &state.displacements);
        let inputs = StepInputs { dt: 1.0, end: 0.0, holding: &[], frames: &frames };
        let forces = right_hand_side(&params, &state, &work.discretization, &inputs);
        let direction: Vec<f64> = bumps(2).collect();
        let energy = |along: f64| {
            let moved: Vec<f64> = state.displacements.iter().zip(&direction).map(|(a, b)| a + along * b).collect();
            let of = |at: usize| {
                let elaston = &state.matter.elastons[at];
                let strains = strains(&table.read(at, &moved), elaston, &frames[at]);
                law::energy(&params.objects[0].elasticity, elaston, &strains)
            };
            (0..table.len()).map(of).sum::<f64>()
        };
        let slope = (energy(0.01) - energy(-0.01)) / 0.02;
        let work_done: f64 = forces.iter().zip(&direction).map(|(force, way)| force * way).sum();
        assert!((slope + work_done).abs() < 1e-7 * slope.abs(), "body {which}: {slope} against {}", -work_done);
    }
}

#[test]
fn a_falling_free_body_conserves_momentum() {
    let params = params();
    for which in 0..BODIES.len() {
        let mut state = body(which, &params);
        let mut work = Workspace::new(&params, &state).unwrap();
        let spin = DMat3::from_cols(DVec3::new(0.0, 0.0, -2.0), DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0));
        state.velocities = linear_field(params.order, &state.matter.samples, DVec3::new(1.0, 2.0, 3.0), spin);
        let start = Totals::new(&params, &state, &work.discretization, |_| true);
        while state.time < 0.2 {
            step(&params, &mut state, &mut work, 0.2).unwrap();
        }
        let end = Totals::new(&params, &state, &work.discretization, |_| true);
        let pulled = start.momentum + 0.2 * start.mass * params.gravity;
        assert!(
            end.momentum.distance(pulled) < 1e-9 * start.momentum.length(),
            "body {which}: {} {pulled}",
            end.momentum
        );
        // Angular momentum about the center of mass.
        let about_center = |totals: &Totals| totals.angular_momentum - totals.center().cross(totals.momentum);
        let (before, after) = (about_center(&start), about_center(&end));
        assert!(before.distance(after) < 1e-9 * before.length(), "body {which}: {before} became {after}");
    }
}

#[test]
fn stiffness_damping_conserves_the_angular_momentum_of_a_strained_body() {
    let params = Params { gravity: DVec3::ZERO, stiffness_damping: 0.05, ..params() };
    let mut state = body(2, &params);
    // Incompatible plastic strains leave the body in a permanently strained state.
    let random = CounterRng::new(5);
    for (at, permanent) in state.plastic.iter_mut().enumerate() {
        permanent.membrane = DMat3::IDENTITY * (0.3 * (random.uniform(&[at as u64]) - 0.5));
    }
    let mut work = Workspace::new(&params, &state).unwrap();
    let mut run = |state: &mut State, until: f64| {
        while state.time < until {
            step(&params, state, &mut work, until).unwrap();
        }
        Totals::new(&params, state, &work.discretization, |_| true)
    };
    let elastic = run(&mut state, 1.0).elastic;
    let spin = DVec3::new(0.5, 1.0, 2.0);
    let turning = DMat3::from_cols(spin.cross(DVec3::X), spin.cross(DVec3::Y), spin.cross(DVec3::Z));
    let n = params.order.functions();
    let at_rest = linear_field(params.order, &state.matter.samples, DVec3::ZERO, turning);
    state.velocities = at_rest;
    for (rates, places) in state.velocities.chunks_exact_mut(3 * n).zip(state.displacements.chunks_exact(3 * n)) {
        for function in 0..n {
            let turned = turning * DVec3::from_array([0, 1, 2].map(|axis| places[axis * n + function]));
            (0..3).for_each(|axis| rates[axis * n + function] += turned[axis]);
        }
    }
    let spin_of = |totals: &Totals| totals.angular_momentum - totals.center().cross(totals.momentum);
    let before = run(&mut state, 1.0);
    let after = run(&mut state, 1.5);
    let (before, after) = (spin_of(&before), spin_of(&after));
    assert!(elastic > 0.0 && before.distance(after) < 1e-9 * before.length(), "{before} became {after}");
}

#[test]
fn mass_center_and_inertia_match_the_cuboid() {
    let params = params();
    for (which, (size, ..)) in BODIES.into_iter().enumerate() {
        let mut state = body(which, &params);
        let work = Workspace::new(&params, &state).unwrap();
        let mass = 1000.0 * size.element_product();
        let axes = DMat3::from_quat(DQuat::from_rotation_z(0.3));
        let center = DVec3::new(0.3, 2.0, -0.4);
        for axis in 0..3 {
            // Rotation about each principal axis at unit rate: the angular momentum is the moment of inertia.
            let about = axes.col(axis);
            let spin = DMat3::from_cols(about.cross(DVec3::X), about.cross(DVec3::Y), about.cross(DVec3::Z));
            state.velocities = linear_field(params.order, &state.matter.samples, -(spin * center), spin);
            let totals = Totals::new(&params, &state, &work.discretization, |_| true);
            let squares = size * size;
            let exact = mass / 12.0 * (squares.element_sum() - squares[axis]);
            assert!((totals.mass / mass - 1.0).abs() < 1e-12);
            assert!(totals.center().distance(center) < 1e-10);
            let inertia = totals.angular_momentum.dot(about);
            assert!((inertia / exact - 1.0).abs() < 0.01, "body {which}, axis {axis}: {inertia} against {exact}");
            assert!((2.0 * totals.kinetic / exact - 1.0).abs() < 0.01);
        }
    }
}

fn held_plate() -> (Params, State) {
    let mut params = params();
    let state = body(1, &params);
    let edge: Vec<u32> = (0..24).collect();
    let starts = edge.iter().map(|&piece| state.matter.cloud.points[piece as usize]).collect();
    params.holds = vec![Hold { pieces: edge, starts, motion: Motion::Still, until: 0.15 }];
    (params, state)
}

#[test]
fn resumed_runs_and_thread_counts_are_bitwise_identical() {
    let run = |threads: usize, pause: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (params, mut state) = held_plate();
            let mut work = Workspace::new(&params, &state).unwrap();
            for frame in 1..=8 {
                let until = f64::from(frame) * 0.025;
                while state.time < until {
                    step(&params, &mut state, &mut work, until).unwrap();
                    if pause && state.steps == 7 {
                        state = state_file::load(&state_file::save(&state), &params).unwrap();
                        work = Workspace::new(&params, &state).unwrap();
                    }
                }
            }
            (state.displacements, state.velocities, state.time)
        })
    };
    let once = run(1, false);
    assert!(once == run(2, false), "threads");
    assert!(once == run(1, true), "resumed");
}
