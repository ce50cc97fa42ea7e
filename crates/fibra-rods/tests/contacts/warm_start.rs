//! Tests of warm starts, and of the contact matrix of a pile.

use crate::trial::{GRAVITY, Trial, pile};
use faer::{Mat, Side};
use fibra_rods::{Solver, SolverSettings};
use glam::DVec3;
use std::f64::consts::SQRT_2;

#[test]
fn a_known_solution_needs_no_iterations() {
    let mut trial = pile(12, 150);
    let prepared = trial.prepare();
    let largest = (0..prepared.islands.len()).max_by_key(|&island| prepared.islands[island].2.len()).unwrap();
    let problem = prepared.problem(largest);
    for tolerance in [1e-3, 1e-6] {
        let settings = SolverSettings { tolerance, ..Default::default() };
        let mut r = vec![DVec3::ZERO; problem.rows.len()];
        let (velocities, first) = problem.solve(&settings, &mut r);
        assert!(first.unsolved == 0 && first.contacts > 20 && first.sweeps + first.newton_iterations > 0, "{first:?}");
        let found = r.clone();
        let (again, second) = problem.solve(&settings, &mut r);
        assert_eq!((second.sweeps, second.newton_iterations, second.unsolved), (0, 0, 0));
        assert_eq!(r, found);
        let difference = velocities.iter().zip(&again).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-9, "{difference} m/s");
    }
}

/// A pyramid of balls that touch has more contact constraints than unknowns. Without a starting point and without sweeps, it needs the
/// interior-point method.
#[test]
fn a_problem_without_a_unique_solution_is_solved_from_scratch() {
    let mut trial = Trial::new(GRAVITY);
    trial.add_plate(0.01, 0.5);
    let radius = 0.01;
    for layer in 0..4_u8 {
        let count = 4 - layer;
        for k in 0..count * count {
            let place = |index: u8| (2.0 * f64::from(index) - f64::from(count - 1)) * radius;
            let height = radius * (1.0 + SQRT_2 * f64::from(layer));
            trial.add_ball(DVec3::new(place(k % count), height, place(k / count)), radius, DVec3::ZERO, 0.5);
        }
    }
    let prepared = trial.prepare();
    let problem = prepared.problem(0);
    let settings = SolverSettings { solver: Solver::Newton, ..Default::default() };
    let mut r = vec![DVec3::ZERO; problem.rows.len()];
    let (_, report) = problem.solve(&settings, &mut r);
    assert!(report.nu() > 1.5 && report.unsolved == 0 && report.sweeps == 0, "{report:?} {}", report.nu());
}

/// Computes `W = J M^-1 J^T` from the velocities caused by unit impulses.
#[test]
fn the_delassus_operator_is_symmetric_positive_semidefinite() {
    let mut trial = pile(12, 150);
    let prepared = trial.prepare();
    let mut contacts = 0;
    for (_, numbering, rows) in &prepared.islands {
        let n = 3 * rows.len();
        contacts += rows.len();
        let mut w = Mat::<f64>::zeros(n, n);
        for j in 0..n {
            let mut v = vec![0.0; numbering.unknowns];
            rows[j / 3].apply_impulse(DVec3::AXES[j % 3], &mut v);
            for (i, row) in rows.iter().enumerate() {
                let caused = row.velocity(&v) - row.shift;
                (0..3).for_each(|axis| w[(3 * i + axis, j)] = caused[axis]);
            }
        }
        let largest = (0..n).map(|i| w[(i, i)]).fold(0.0, f64::max);
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            assert!((w[(i, j)] - w[(j, i)]).abs() < 1e-12 * largest, "{i} {j}: {} {}", w[(i, j)], w[(j, i)]);
        }
        let values = w.self_adjoint_eigenvalues(Side::Lower).unwrap();
        let (least, most) = values.iter().fold((f64::INFINITY, 0.0), |(a, b), v| (f64::min(a, *v), f64::max(b, *v)));
        assert!(least >= -1e-12 * most, "{least} {most}");
        // `block` is the diagonal block of a contact.
        for (i, row) in rows.iter().enumerate() {
            for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                let own = row.block.col(b)[a];
                assert!((w[(3 * i + a, 3 * i + b)] - own).abs() < 1e-12 * largest);
            }
        }
    }
    assert!(contacts > 20, "{contacts}");
}
