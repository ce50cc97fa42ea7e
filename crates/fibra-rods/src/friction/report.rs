//! Solver reports and progress.

use super::alart_curnier::alart_curnier;
use super::problem::{FrictionProblem, length};
use glam::DVec3;
use std::time::Instant;

/// Report of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// Number of contacts.
    pub contacts: usize,
    /// Number of Newton steps and Gauss-Seidel sweeps performed.
    pub iterations: usize,
    /// Elapsed time [s].
    pub seconds: f64,
    /// `|f^AC| / (1 + |r|)`, with `f^AC` scaled by the diagonal of `W` [-].
    pub residual: f64,
    /// Error of the natural map, `|r - P_K(r - u - mu |u_T| n)| / max(|b|, |r|, |u|)` [-].
    pub error: f64,
    /// Whether the error is at most the tolerance.
    pub met: bool,
}

/// A problem being solved and the best impulses so far. The result of a solver is never worse than its starting point.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The problem.
    pub problem: &'a FrictionProblem,
    /// Number of Newton steps and sweeps performed.
    pub iterations: usize,
    tolerance: f64,
    started: Instant,
    best: Vec<DVec3>,
    best_error: f64,
    u: Vec<DVec3>,
}

impl<'a> Progress<'a> {
    /// Starts from the given impulses.
    ///
    /// # Panics
    /// Panics if the number of impulses differs from the number of contacts.
    pub fn new(problem: &'a FrictionProblem, start: &[DVec3], tolerance: f64) -> Progress<'a> {
        assert_eq!(start.len(), problem.contacts(), "one impulse for every contact");
        let mut progress = Progress {
            problem,
            iterations: 0,
            tolerance,
            started: Instant::now(),
            best: vec![DVec3::ZERO; start.len()],
            best_error: f64::INFINITY,
            u: problem.b().to_vec(),
        };
        // Zero is the first candidate, so the result is always finite.
        progress.best_error = problem.error(&progress.u, &progress.best);
        progress.check(start);
        progress
    }

    /// Evaluates impulses and stores them if they are the best so far. Returns whether the best impulses so far meet
    /// the tolerance.
    pub fn check(&mut self, r: &[DVec3]) -> bool {
        self.evaluate(r);
        self.met()
    }

    /// Evaluates impulses and stores them if they are the best so far. Returns their error.
    pub fn evaluate(&mut self, r: &[DVec3]) -> f64 {
        self.problem.velocities(r, &mut self.u);
        let error = self.problem.error(&self.u, r);
        if error < self.best_error {
            self.best_error = error;
            self.best.copy_from_slice(r);
        }
        error
    }

    /// Returns the velocities of the impulses that were evaluated last [m/s].
    pub fn velocities(&self) -> &[DVec3] {
        &self.u
    }

    /// Returns whether the best impulses so far meet the tolerance.
    pub fn met(&self) -> bool {
        self.best_error <= self.tolerance
    }

    /// Returns the error of the best impulses so far.
    pub fn error(&self) -> f64 {
        self.best_error
    }

    /// Returns the best impulses so far.
    pub fn best(&self) -> &[DVec3] {
        &self.best
    }

    /// Writes the best impulses to `r` and returns their report.
    pub fn finish(mut self, r: &mut [DVec3]) -> SolveReport {
        r.copy_from_slice(&self.best);
        self.problem.velocities(r, &mut self.u);
        let (mu, rho) = (self.problem.mu(), self.problem.scales());
        let f = (0..r.len()).map(|i| alart_curnier(mu[i], rho[i], self.u[i], r[i]).value.length_squared());
        SolveReport {
            contacts: r.len(),
            iterations: self.iterations,
            seconds: self.started.elapsed().as_secs_f64(),
            residual: f.sum::<f64>().sqrt() / (1.0 + length(r)),
            error: self.best_error,
            met: self.met(),
        }
    }
}
