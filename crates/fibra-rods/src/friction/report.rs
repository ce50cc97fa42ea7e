//! What a solver says of its work.

use super::alart_curnier::alart_curnier;
use super::problem::{FrictionProblem, length};
use glam::DVec3;
use std::time::Instant;

/// How well a problem was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// Number of contacts.
    pub contacts: usize,
    /// Newton steps and Gauss-Seidel sweeps done.
    pub iterations: usize,
    /// Time it took [s].
    pub seconds: f64,
    /// `|f^AC| / (1 + |r|)`, with `f^AC` scaled by the diagonal of `W` [-].
    pub residual: f64,
    /// Error of the natural map, `|r - P_K(r - u - mu |u_T| n)| / max(|b|, |r|, |u|)` [-].
    pub error: f64,
    /// Whether the error is at most the tolerance.
    pub met: bool,
}

/// A problem under way and the best impulses so far: what a solver returns is never worse than what it began with.
#[derive(Debug)]
pub struct Progress<'a> {
    /// What is to be solved.
    pub problem: &'a FrictionProblem,
    /// Newton steps and sweeps done.
    pub iterations: usize,
    tolerance: f64,
    begun: Instant,
    best: Vec<DVec3>,
    best_error: f64,
    u: Vec<DVec3>,
}

impl<'a> Progress<'a> {
    /// Begins with the given impulses.
    ///
    /// # Panics
    /// When there are not as many as contacts.
    pub fn new(problem: &'a FrictionProblem, start: &[DVec3], tolerance: f64) -> Progress<'a> {
        assert_eq!(start.len(), problem.contacts(), "one impulse for every contact");
        let mut progress = Progress {
            problem,
            iterations: 0,
            tolerance,
            begun: Instant::now(),
            best: vec![DVec3::ZERO; start.len()],
            best_error: f64::INFINITY,
            u: problem.b().to_vec(),
        };
        // Zero is the first to beat, so that whatever is returned is finite.
        progress.best_error = problem.error(&progress.u, &progress.best);
        progress.check(start);
        progress
    }

    /// Takes note of impulses. Says whether the best so far are good enough.
    pub fn check(&mut self, r: &[DVec3]) -> bool {
        self.problem.velocities(r, &mut self.u);
        let error = self.problem.error(&self.u, r);
        if error < self.best_error {
            self.best_error = error;
            self.best.copy_from_slice(r);
        }
        self.met()
    }

    /// Whether the best impulses so far are good enough.
    pub fn met(&self) -> bool {
        self.best_error <= self.tolerance
    }

    /// The best impulses so far.
    pub fn best(&self) -> &[DVec3] {
        &self.best
    }

    /// Hands out the best impulses and says how good they are.
    pub fn finish(mut self, r: &mut [DVec3]) -> SolveReport {
        r.copy_from_slice(&self.best);
        self.problem.velocities(r, &mut self.u);
        let (mu, rho) = (self.problem.mu(), self.problem.scales());
        let f = (0..r.len()).map(|i| alart_curnier(mu[i], rho[i], self.u[i], r[i]).value.length_squared());
        SolveReport {
            contacts: r.len(),
            iterations: self.iterations,
            seconds: self.begun.elapsed().as_secs_f64(),
            residual: f.sum::<f64>().sqrt() / (1.0 + length(r)),
            error: self.best_error,
            met: self.met(),
        }
    }
}
