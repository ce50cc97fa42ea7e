//! Nonlinear block Gauss-Seidel: solves each contact exactly with the current impulses of the others [Jean1999].

use super::one_contact::OneContact;
use super::problem::FrictionProblem;
use super::report::{Progress, SolveReport};
use glam::DVec3;

/// Number of sweeps between two evaluations of the error. An evaluation costs as much as a sweep.
const SWEEPS_PER_CHECK: usize = 10;

/// Relaxation factor [-]. With 1, an impulse can circulate forever between the contacts of one body. A slightly smaller
/// value damps such cycles at the cost of a few sweeps.
const RELAXATION: f64 = 0.95;

/// Solves a problem, starting from the given impulses, with at most `sweeps` sweeps over all contacts. Writes the best impulses to `r`.
pub fn solve_gauss_seidel(problem: &FrictionProblem, r: &mut [DVec3], tolerance: f64, sweeps: usize) -> SolveReport {
    let mut progress = Progress::new(problem, r, tolerance);
    sweep(&mut progress, r, sweeps);
    progress.finish(r)
}

/// Iterates from `r` until the tolerance is met or the sweeps are used up. Returns whether the tolerance is met.
pub fn sweep(progress: &mut Progress, r: &mut [DVec3], sweeps: usize) -> bool {
    let problem = progress.problem;
    let local_solver: Vec<OneContact> =
        (0..r.len()).map(|contact| OneContact::new(problem.mu()[contact], problem.diagonal(contact))).collect();
    for sweep in 0..sweeps {
        if sweep % SWEEPS_PER_CHECK == 0 && progress.check(r) {
            return true;
        }
        progress.iterations += 1;
        sweep_once(problem, &local_solver, r);
    }
    progress.check(r)
}

/// Sweeps once in the order of the contacts, for reproducible results. A contact that cannot be solved keeps its
/// impulse. A later change of another contact may make it solvable.
fn sweep_once(problem: &FrictionProblem, local_solver: &[OneContact], r: &mut [DVec3]) {
    for (contact, local_solver) in local_solver.iter().enumerate() {
        let w = problem.diagonal(contact);
        let b = problem.b()[contact] + problem.row_times(contact, r) - *w * r[contact];
        if let Some(solved) = local_solver.solve(b) {
            r[contact] += RELAXATION * (solved - r[contact]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::problem::Block;
    use glam::DMat3;

    /// Two contacts that share a body: `W = [a I, c I; c I, a I]`. Without friction and with both approaching, `r_N = v / (a + c)`.
    #[test]
    fn coupled_contacts_converge_to_the_closed_form() {
        let block = |row, column, value| Block { row, column, matrix: DMat3::from_diagonal(DVec3::splat(value)) };
        let blocks = [block(0, 0, 2.0), block(0, 1, 1.0), block(1, 0, 1.0), block(1, 1, 2.0)];
        let problem = FrictionProblem::new(vec![0.0; 2], vec![-DVec3::X; 2], &blocks).unwrap();
        let mut r = [DVec3::ZERO; 2];
        let report = solve_gauss_seidel(&problem, &mut r, 1e-12, 1000);
        assert!(report.met && r.iter().all(|r| (*r - DVec3::X / 3.0).length() < 1e-11), "{report:?} {r:?}");
    }

    #[test]
    fn too_few_sweeps_are_not_reported_as_success() {
        let block = |row, column, value| Block { row, column, matrix: DMat3::from_diagonal(DVec3::splat(value)) };
        let blocks = [block(0, 0, 1.0), block(0, 1, 0.99), block(1, 0, 0.99), block(1, 1, 1.0)];
        let problem = FrictionProblem::new(vec![0.3; 2], vec![DVec3::new(-1.0, 0.2, 0.1), -DVec3::X], &blocks).unwrap();
        let mut r = [DVec3::ZERO; 2];
        let report = solve_gauss_seidel(&problem, &mut r, 1e-12, 3);
        assert!(!report.met && report.error > 1e-12 && report.iterations == 3, "{report:?}");
    }
}
