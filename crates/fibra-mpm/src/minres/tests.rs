//! Tests on small dense systems, whose unknowns are spread over the nodes of a few blocks.

use super::*;
use fibra_core::random::CounterRng;

/// Number of unknowns: the first nodes of three blocks.
const N: usize = 24;

/// Returns block, node and component of an unknown.
fn place(unknown: usize) -> (usize, usize, usize) {
    (unknown % 3, unknown / 9, unknown / 3 % 3)
}

/// Returns a symmetric `K` with the given eigenvalues after a random rotation, masses, and a right-hand side.
fn system(seed: u64, eigenvalue: impl Fn(usize) -> f64) -> ([[f64; N]; N], [f64; N], [f64; N]) {
    let random = CounterRng::new(seed);
    let number = |k: usize| 2.0 * random.uniform(&[k as u64]) - 1.0;
    let mut basis = [[0.0; N]; N];
    for i in 0..N {
        let mut row: [f64; N] = std::array::from_fn(|j| number(i * N + j));
        for _ in 0..2 {
            for other in &basis[..i] {
                let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let length = row.iter().map(|a| a * a).sum::<f64>().sqrt();
        basis[i] = row.map(|a| a / length);
    }
    let k = std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..N).map(|e| eigenvalue(e) * basis[e][i] * basis[e][j]).sum())
    });
    // Nodes have one mass for all three components.
    let mass = std::array::from_fn(|i| {
        let (block, node, _) = place(i);
        10f64.powf(1.5 * number(N * N + 8 * block + node))
    });
    (k, mass, std::array::from_fn(|i| number(2 * N * N + i)))
}

/// Solves by Gaussian elimination with pivoting.
fn solve(mut a: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    for k in 0..N {
        let pivot = (k..N).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..N {
            let factor = a[i][k] / a[k][k];
            (k..N).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..N).rev() {
        b[k] = (b[k] - (k + 1..N).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

fn spread(values: &[f64; N], mass: &[f64; N]) -> GridVector {
    let mut vector = vec![[[0.0; 4]; 64]; 4];
    for i in 0..N {
        let (block, node, k) = place(i);
        vector[block][node][k] = values[i] as f32;
        vector[block][node][3] = mass[i] as f32;
    }
    vector
}

fn run(system: &([[f64; N]; N], [f64; N], [f64; N]), stop: Stop) -> (Solved, [f64; N], f64) {
    let (k, mass, b) = system;
    let mut vectors = Krylov::default();
    vectors.resize(4);
    vectors.basis = spread(&std::array::from_fn(|i| b[i] / mass[i]), mass);
    let mut blocks = BlockSums::default();
    blocks.filled = vec![true, true, true, false];
    let solved = minres(&mut vectors, &mut blocks, stop, |q, out| {
        let at = |v: &GridVector, i: usize| {
            let (block, node, component) = place(i);
            f64::from(v[block][node][component])
        };
        let mut energy = 0.0;
        for i in 0..N {
            let value: f64 = (0..N).map(|j| k[i][j] * at(q, j)).sum();
            let (block, node, component) = place(i);
            assert_eq!(out[block][node][component], 0.0);
            out[block][node][component] = value as f32;
            energy += value * at(q, i);
        }
        energy
    });
    let x: [f64; N] = std::array::from_fn(|i| {
        let (block, node, component) = place(i);
        f64::from(vectors.solution[block][node][component])
    });
    let residual = |i: usize| b[i] - mass[i] * x[i] - (0..N).map(|j| k[i][j] * x[j]).sum::<f64>();
    let residual = (0..N).map(|i| residual(i).powi(2) / mass[i]).sum::<f64>().sqrt();
    (solved, x, residual)
}

fn check_against_elimination(eigenvalue: impl Fn(usize) -> f64 + Copy, tolerance: f64) {
    for seed in 0..5 {
        let system = system(seed, eigenvalue);
        let (mut a, mass, b) = system;
        (0..N).for_each(|i| a[i][i] += mass[i]);
        let exact = solve(a, b);
        let (_, x, _) = run(&system, Stop { iterations: 200, tolerance: 1e-6 });
        let size = exact.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let error = (0..N).map(|i| (x[i] - exact[i]).abs()).fold(0.0, f64::max) / size;
        assert!(error < tolerance, "seed {seed}: off by {error:e} of the largest");
    }
}

#[test]
fn definite_systems_agree_with_elimination() {
    check_against_elimination(|e| e as f64, 1e-4);
}

/// Half of the eigenvalues of `K` are negative, but no eigenvalue of `M + K` is near zero.
#[test]
fn indefinite_systems_agree_with_elimination() {
    check_against_elimination(|e| if e % 2 == 0 { 200.0 + e as f64 } else { -250.0 - e as f64 }, 1e-4);
}

#[test]
fn the_residual_is_non_increasing_and_reported_correctly() {
    for seed in 0..5 {
        let system = system(seed, |e| (e as f64 - 8.0) * 10.0);
        let mut last = f64::INFINITY;
        for iterations in 1..15 {
            let (solved, _, residual) = run(&system, Stop { iterations, tolerance: 0.0 });
            assert!((solved.residual - residual).abs() < 1e-4 * last.min(1e3), "{} is not {residual}", solved.residual);
            assert!(residual <= last * 1.0001, "residual grew from {last} to {residual}");
            last = residual;
        }
    }
}

#[test]
fn it_stops_at_the_iteration_limit_and_returns_zero_for_zero() {
    let mut system = system(1, |e| e as f64);
    let (solved, ..) = run(&system, Stop { iterations: 200, tolerance: 0.1 });
    assert!(solved.iterations < 12, "{} iterations", solved.iterations);
    system.2 = [0.0; N];
    let (solved, x, _) = run(&system, Stop { iterations: 10, tolerance: 0.1 });
    assert_eq!((solved.iterations, x), (0, [0.0; N]));
}

/// A pure mass matrix is solved in one iteration, with one product.
#[test]
fn no_stiffness_takes_one_iteration() {
    let system = system(3, |_| 0.0);
    let (solved, _, residual) = run(&system, Stop { iterations: 10, tolerance: 1e-6 });
    assert!(solved.iterations <= 2 && residual < 1e-5, "{solved:?} {residual}");
}
