//! Combined solver: the interior-point method, then Newton's method from its result. If both fail, Gauss-Seidel and Newton's
//! method alternate. Path following is the last resort.

use super::continuation::follow_path;
use super::gauss_seidel::sweep;
use super::interior_point::{self, MAX_ITERATIONS};
use super::newton::{Newton, NewtonParams};
use super::problem::FrictionProblem;
use super::report::{Progress, SolveReport};
use glam::DVec3;

/// Number of sweeps per round. The sweeps cost about as much as the Newton steps after them.
const SWEEPS_PER_ROUND: usize = 50;
/// Largest error from which Newton's method is tried first [-]. From there, it typically converges within a few steps, or it fails
/// early.
const CLOSE: f64 = 1e-3;

/// Settings of [`solve_auto`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoParams {
    /// Maximum number of rounds before path following. A round consists of Gauss-Seidel sweeps and Newton steps.
    pub rounds: usize,
    /// Maximum number of matrix factorizations during path following; zero disables it.
    pub path_factors: usize,
}

impl Default for AutoParams {
    fn default() -> AutoParams {
        AutoParams { rounds: 2, path_factors: 3000 }
    }
}

/// Solves a problem, starting from the given impulses, with the cheapest method that succeeds. Writes the best impulses to `r`.
pub fn solve_auto(problem: &FrictionProblem, r: &mut [DVec3], tolerance: f64, params: &AutoParams) -> SolveReport {
    let mut progress = Progress::new(problem, r, tolerance);
    if !progress.met() {
        run(&mut progress, r, params);
    }
    progress.finish(r)
}

fn run(progress: &mut Progress, r: &mut [DVec3], params: &AutoParams) -> bool {
    let mut newton = Newton::new(r.len());
    if progress.error() <= CLOSE && finish(&mut newton, progress, r) {
        return true;
    }
    if interior_point::iterate(progress, MAX_ITERATIONS) || finish(&mut newton, progress, r) {
        return true;
    }
    for _ in 0..params.rounds {
        r.copy_from_slice(progress.best());
        let polish = NewtonParams { steps: 50, patience: 10, ..NewtonParams::default() };
        if sweep(progress, r, SWEEPS_PER_ROUND) || newton.descend(progress, r, &polish) {
            return true;
        }
    }
    follow_path(&mut newton, progress, r, params.path_factors)
}

/// Tries Newton's method from the best impulses.
fn finish(newton: &mut Newton, progress: &mut Progress, r: &mut [DVec3]) -> bool {
    r.copy_from_slice(progress.best());
    newton.descend(progress, r, &NewtonParams { steps: 20, patience: 4, ..NewtonParams::default() })
}
