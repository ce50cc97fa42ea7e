//! Combined solver: starts with Newton's method. If it stalls, Gauss-Seidel and Newton's method alternate. Path
//! following is the last resort.

use super::continuation::follow_path;
use super::gauss_seidel::sweep;
use super::newton::{Newton, NewtonParams};
use super::problem::FrictionProblem;
use super::report::{Progress, SolveReport};
use glam::DVec3;

/// Number of sweeps per round. The sweeps cost about as much as the Newton steps after them.
const SWEEPS_PER_ROUND: usize = 50;

/// Settings of [`solve_auto`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoParams {
    /// `nu = 3 n / m`, three times the number of contacts per degree of freedom, if known [-]. If `nu` is above one,
    /// `W` is singular and Newton's method is less likely to converge. Gauss-Seidel then runs first [Bertails2011, Sec.
    /// 4.4].
    pub nu: Option<f64>,
    /// Maximum number of rounds before path following. A round consists of Gauss-Seidel sweeps and Newton steps.
    pub rounds: usize,
    /// Maximum number of matrix factorizations during path following; zero disables it.
    pub path_factors: usize,
}

impl Default for AutoParams {
    fn default() -> AutoParams {
        AutoParams { nu: None, rounds: 2, path_factors: 3000 }
    }
}

/// Solves a problem, starting from the given impulses, with the cheapest method that succeeds. Writes the best impulses to `r`.
pub fn solve_auto(problem: &FrictionProblem, r: &mut [DVec3], tolerance: f64, params: &AutoParams) -> SolveReport {
    let mut progress = Progress::new(problem, r, tolerance);
    run(&mut progress, r, params);
    progress.finish(r)
}

fn run(progress: &mut Progress, r: &mut [DVec3], params: &AutoParams) -> bool {
    let mut newton = Newton::new(r.len());
    r.copy_from_slice(progress.best());
    let newton_first = params.nu.is_none_or(|nu| nu <= 1.0);
    if newton_first && newton.descend(progress, r, &NewtonParams { steps: 100, ..NewtonParams::default() }) {
        return true;
    }
    let polish = NewtonParams { steps: 50, patience: 10, ..NewtonParams::default() };
    for _ in 0..params.rounds {
        r.copy_from_slice(progress.best());
        if sweep(progress, r, SWEEPS_PER_ROUND) || newton.descend(progress, r, &polish) {
            return true;
        }
    }
    follow_path(&mut newton, progress, r, params.path_factors)
}
