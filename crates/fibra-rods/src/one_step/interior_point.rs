//! The interior-point method for all contacts of an island at once. As in Newton's method, the impulses of each contact are condensed onto the
//! velocities. With `D = (F H)^-1`, the step `(P W P + F H) dx = b` becomes
//! ```text
//! (M + J^T P D P J) dv = J^T P D b,   dx = D (b - P J dv).
//! ```

use super::newton::Condensed;
use super::solve::{IslandProblem, Iterate};
use crate::friction::interior_point::{ConeProblem, InteriorPoint, Law, weight};
use glam::{DMat3, DVec3};

/// Maximum number of iterations.
const MAX_ITERATIONS: usize = 60;
/// Maximum number of solves with one factorization, and the residual at which refinement ends, relative to the right-hand side [-].
const REFINEMENTS: usize = 3;
const REFINED: f64 = 1e-6;

/// Solves the problem of an island with at most `iterations` iterations. Replaces the iterate by a better one, if one is found, and returns the number of
/// iterations.
pub(super) fn solve_interior_point(
    problem: &IslandProblem<'_>,
    matrix: &mut Condensed,
    iterate: &mut Iterate,
    tolerance: f64,
    iterations: usize,
) -> usize {
    let mu: Vec<f64> = problem.rows.iter().map(|row| row.mu).collect();
    let island = Island { problem, matrix, best: iterate, tolerance, velocities: vec![], laws: vec![], mu, factors: 0 };
    let mut iteration = InteriorPoint::new(island);
    iteration.run(iterations.min(MAX_ITERATIONS));
    iteration.problem().factors
}

struct Island<'a, 'b> {
    problem: &'a IslandProblem<'b>,
    matrix: &'a mut Condensed,
    best: &'a mut Iterate,
    tolerance: f64,
    velocities: Vec<DVec3>,
    /// Law of each contact, and `D`.
    laws: Vec<(Law, DMat3)>,
    mu: Vec<f64>,
    factors: usize,
}

impl ConeProblem for Island<'_, '_> {
    fn mu(&self) -> &[f64] {
        &self.mu
    }

    fn scales(&self) -> [f64; 2] {
        let (rows, n) = (self.problem.rows, self.problem.rows.len().max(1) as f64);
        let mobility = rows.iter().map(|row| row.rho.recip()).sum::<f64>() / n;
        let square = rows.iter().map(|row| row.velocity(&self.problem.start).length_squared()).sum::<f64>() / n;
        [mobility, square.sqrt()]
    }

    fn evaluate(&mut self, r: &[DVec3]) -> f64 {
        let here = self.problem.evaluate(r.to_vec());
        self.velocities.clear();
        self.velocities.extend(self.problem.rows.iter().map(|row| row.velocity(&here.v)));
        let error = here.error;
        if error < self.best.error {
            *self.best = here;
        }
        error
    }

    fn velocities(&self) -> &[DVec3] {
        &self.velocities
    }

    fn met(&self) -> bool {
        self.best.error <= self.tolerance
    }

    fn factor(&mut self, laws: &[Law]) {
        self.factors += 1;
        self.laws.clear();
        self.laws.extend(laws.iter().map(|law| (*law, law.inverse())));
        let blocks = self.laws.iter().zip(&self.mu).map(|((_, inverse), mu)| {
            let p = DMat3::from_diagonal(weight(*mu));
            -(p * *inverse * p)
        });
        self.matrix.factor(self.problem.rows, blocks);
    }

    fn solve(&self, x: &mut [DVec3]) {
        let rows = self.problem.rows;
        let size = |values: &[DVec3]| values.iter().map(|value| value.length_squared()).sum::<f64>();
        let right: Vec<DVec3> = x.to_vec();
        let (mut residual, mut before) = (right.clone(), size(&right));
        let enough = REFINED * REFINED * before;
        x.fill(DVec3::ZERO);
        for _ in 0..REFINEMENTS {
            let local = || self.laws.iter().zip(&self.mu).zip(&residual);
            let dv = self.matrix.solve(rows, local().map(|(((_, inverse), mu), b)| weight(*mu) * (*inverse * *b)));
            let more: Vec<DVec3> = (rows.iter().zip(local()))
                .map(|(row, (((_, inverse), mu), b))| *inverse * (*b - weight(*mu) * row.change(&dv)))
                .collect();
            let mut caused = vec![0.0; self.problem.start.len()];
            let impulse = |(x, (more, mu)): (&DVec3, (&DVec3, &f64))| weight(*mu) * (*x + *more);
            let impulses = x.iter().zip(more.iter().zip(&self.mu)).map(impulse);
            rows.iter().zip(impulses).for_each(|(row, r)| row.apply_impulse(r, &mut caused));
            for (i, residual) in residual.iter_mut().enumerate() {
                let here = x[i] + more[i];
                *residual = right[i] - weight(self.mu[i]) * rows[i].change(&caused) - self.laws[i].0.matrix() * here;
            }
            let now = size(&residual);
            // A refinement that does not reduce the residual is not applied.
            if now.is_nan() || now >= before {
                break;
            }
            x.iter_mut().zip(&more).for_each(|(x, more)| *x += *more);
            if now <= enough {
                break;
            }
            before = now;
        }
    }
}
