//! Primal-dual interior-point method for frictional contact.
//!
//! With `x = (r_N, r_T / mu)` and `y = (u_N + mu |u_T|, mu u_T)`, Coulomb's law states that `x` and `y` are orthogonal elements of the second-order cone
//! `|x_T| <= x_N` [DeSaxce1998; Acary2011]. With `P = diag(1, mu, mu)`, `r = P x` and
//! ```text
//! y = P (W P x + b) + |y_T| n.
//! ```
//! The method solves this equation together with `x o y = s e`, for `s` going to 0, by Newton's method with Nesterov-Todd scaling [Alizadeh2003] and
//! the predictor and corrector of [Mehrotra1992]. Without the term `|y_T| n`, the equations are the optimality conditions of a convex problem. Its
//! derivative only changes the diagonal blocks of the matrix of a step:
//! ```text
//! (P W P + F H) dx = F c - (P u + |y_T| n - y),   F = I - n (y_T / |y_T|)^T,   H = V^2,   dy = c - H dx.
//! ```
//! The matrix is regular even if `W` is singular, and the number of iterations hardly depends on the number of contacts.

use super::block_lu::BlockLu;
use super::cone::tangent;
use super::problem::FrictionProblem;
use super::report::{Progress, SolveReport};
use super::second_order_cone::{Scaling, determinant, divide, longest_step, product};
use glam::{DMat3, DVec3};

/// Fraction of the step to the boundary of the cone that is taken [-].
const TO_BOUNDARY: f64 = 0.995;
/// Length of a step below which a step that only centers is tried instead [-].
const SHORT_STEP: f64 = 0.1;
/// Step length below which the iteration has stalled [-].
const SHORTEST_STEP: f64 = 1e-4;
/// Maximum number of corrections after the first one, each with the second-order terms of the step before. They cost
/// little compared to the factorization.
const CORRECTIONS: usize = 2;
/// Length above which a step is not corrected further [-].
const LONG_STEP: f64 = 0.9;
/// Smallest gain in step length for which a correction is accepted [-].
const LEAST_GAIN: f64 = 0.05;
/// Smallest product of scaled eigenvalues of a contact, relative to the mean over the contacts [-]. If a contact comes much
/// closer to the boundary than the others, it shortens all later steps.
const CENTERED: f64 = 0.01;
/// Factor by which a step is shortened until all contacts are centered [-].
const SHORTENING: f64 = 0.8;
/// Number of iterations without a smaller error after which the iteration has stalled.
const PATIENCE: usize = 8;
/// Maximum number of iterations.
pub const MAX_ITERATIONS: usize = 80;

/// Solves a problem with at most `iterations` iterations. The iteration starts inside the cone; the given impulses are only kept if they are better than
/// the result. Writes the best impulses to `r`.
pub fn solve_interior_point(
    problem: &FrictionProblem,
    r: &mut [DVec3],
    tolerance: f64,
    iterations: usize,
) -> SolveReport {
    let mut progress = Progress::new(problem, r, tolerance);
    if !progress.met() {
        iterate(&mut progress, iterations);
    }
    progress.finish(r)
}

/// Iterates until the tolerance is met, no further progress is possible, or the iterations are used up. Returns whether the tolerance is
/// met.
pub fn iterate(progress: &mut Progress, iterations: usize) -> bool {
    let mut iteration = InteriorPoint::new(progress.problem);
    loop {
        iteration.evaluate(progress);
        let stalled = iteration.steps - iteration.best_step > PATIENCE;
        if progress.met() || stalled || iteration.steps == iterations || !iteration.linearize() {
            return progress.met();
        }
        progress.iterations += 1;
        if !iteration.advance() {
            return false;
        }
    }
}

/// The iteration.
#[derive(Clone, Debug)]
struct InteriorPoint<'a> {
    problem: &'a FrictionProblem,
    factors: BlockLu,
    /// Number of steps made.
    steps: usize,
    x: Vec<DVec3>,
    y: Vec<DVec3>,
    /// Impulses `P x`.
    r: Vec<DVec3>,
    /// `P u + |y_T| n - y`.
    residual: Vec<DVec3>,
    local: Vec<Local>,
    best_error: f64,
    best_step: usize,
}

/// A step of `x` and `y`.
struct Step {
    x: Vec<DVec3>,
    y: Vec<DVec3>,
}

/// A point that a step reaches.
struct Reached {
    length: f64,
    x: Vec<DVec3>,
    y: Vec<DVec3>,
}

/// The linearized law of a contact.
#[derive(Clone, Copy, Debug)]
struct Local {
    scaling: Scaling,
    /// `V x = V^-1 y`.
    scaled: DVec3,
    /// `H = V^2`.
    square: DMat3,
    /// `F`.
    coupling: DMat3,
}

impl<'a> InteriorPoint<'a> {
    /// Prepares the iteration. It starts inside the cone, with impulses that stop a typical velocity.
    fn new(problem: &'a FrictionProblem) -> InteriorPoint<'a> {
        let n = problem.contacts();
        let contacts: Vec<usize> = (0..n).collect();
        let speed = (problem.b().iter().map(|b| b.length_squared()).sum::<f64>() / n.max(1) as f64).sqrt();
        let mobility = problem.scales().iter().map(|scale| 1.0 / scale).sum::<f64>() / n.max(1) as f64;
        InteriorPoint {
            problem,
            factors: BlockLu::new(problem, &contacts),
            steps: 0,
            x: vec![DVec3::X * (speed / mobility); n],
            y: vec![DVec3::X * speed; n],
            r: vec![DVec3::ZERO; n],
            residual: vec![DVec3::ZERO; n],
            local: Vec::with_capacity(n),
            best_error: f64::INFINITY,
            best_step: 0,
        }
    }

    /// Makes one step from the linearized laws. Returns false if no step is possible.
    fn advance(&mut self) -> bool {
        self.steps += 1;
        self.factor();
        let gap = self.gap(&self.x, &self.y);
        let predictor = self.direction(|_| DVec3::ZERO);
        let Some(length) = self.step_length(&predictor) else { return false };
        let (x, y) = self.moved(&predictor, length.min(1.0));
        let target = gap * (self.gap(&x, &y) / gap).clamp(0.0, 1.0).powi(3);
        let mut step = self.corrected(&predictor, target, gap);
        for _ in 0..CORRECTIONS {
            let Some(length) = self.step_length(&step).filter(|length| *length <= LONG_STEP) else { break };
            let next = self.corrected(&step, target, gap);
            if self.step_length(&next).is_none_or(|next| next < length + LEAST_GAIN) {
                break;
            }
            step = next;
        }
        let mut reached = self.centered(&step);
        if reached.as_ref().is_none_or(|reached| reached.length < SHORT_STEP) {
            let other = self.centered(&self.direction(|_| DVec3::X * gap));
            let length = |reached: &Option<Reached>| reached.as_ref().map_or(0.0, |reached| reached.length);
            if length(&other) > length(&reached) {
                reached = other;
            }
        }
        let Some(Reached { x, y, .. }) = reached else { return false };
        (self.x, self.y) = (x, y);
        true
    }

    /// Factors the matrix of a step.
    fn factor(&mut self) {
        let (local, mu) = (&self.local, self.problem.mu());
        self.factors.factor(self.problem, |block, row, column| {
            let scaled = scaled(mu[row], block, mu[column]);
            if row == column { scaled + local[row].coupling * local[row].square } else { scaled }
        });
    }

    /// Moves along a step, as far as all contacts stay centered.
    fn centered(&self, step: &Step) -> Option<Reached> {
        let mut length = (TO_BOUNDARY * self.step_length(step)?).min(1.0);
        while length >= SHORTEST_STEP {
            let (x, y) = self.moved(step, length);
            if self.is_centered(&x, &y) {
                return Some(Reached { length, x, y });
            }
            length *= SHORTENING;
        }
        None
    }

    /// Computes impulses, error and residual.
    fn evaluate(&mut self, progress: &mut Progress) {
        let mu = self.problem.mu();
        self.r.iter_mut().zip(&self.x).zip(mu).for_each(|((r, x), mu)| *r = weight(*mu) * *x);
        let error = progress.evaluate(&self.r);
        if error < self.best_error {
            (self.best_error, self.best_step) = (error, self.steps);
        }
        for (i, residual) in self.residual.iter_mut().enumerate() {
            let y = self.y[i];
            *residual = weight(mu[i]) * progress.velocities()[i] + DVec3::X * tangent(y).length() - y;
        }
    }

    /// Computes the linearized laws; returns false if a contact is not inside the cone.
    fn linearize(&mut self) -> bool {
        self.local.clear();
        for (&x, &y) in self.x.iter().zip(&self.y) {
            let Some(scaling) = Scaling::new(x, y) else { return false };
            let direction = tangent(y).normalize_or_zero();
            let mut coupling = DMat3::IDENTITY;
            coupling.y_axis.x = -direction.x;
            coupling.z_axis.x = -direction.y;
            self.local.push(Local { scaling, scaled: scaling.apply(x), square: scaling.square(), coupling });
        }
        true
    }

    /// Returns the step that brings `x o y` to `target e`, up to third-order terms, with the second-order terms of a known step. These are bounded by the
    /// gap, because large ones come from steps that are much too long.
    fn corrected(&self, known: &Step, target: f64, gap: f64) -> Step {
        self.direction(|i| {
            let scaling = &self.local[i].scaling;
            let second_order = product(scaling.apply(known.x[i]), scaling.apply_inverse(known.y[i]));
            DVec3::X * target - second_order.clamp_length_max(gap)
        })
    }

    /// Solves for the step with `V x o (V dx + V^-1 dy) = rhs - V x o V x`.
    fn direction(&self, rhs: impl Fn(usize) -> DVec3) -> Step {
        let c = |(i, local): (usize, &Local)| {
            let square = product(local.scaled, local.scaled);
            local.scaling.apply(divide(local.scaled, rhs(i) - square))
        };
        let c: Vec<DVec3> = self.local.iter().enumerate().map(c).collect();
        let mut x: Vec<DVec3> = (self.local.iter().zip(&c).zip(&self.residual))
            .map(|((local, c), residual)| local.coupling * *c - *residual)
            .collect();
        self.factors.solve(&mut x);
        let y = self.local.iter().zip(&c).zip(&x).map(|((local, c), x)| *c - local.square * *x).collect();
        Step { x, y }
    }

    /// Returns the largest step length for which all contacts stay in the cone; `None` if the step is not finite.
    fn step_length(&self, step: &Step) -> Option<f64> {
        let longest = |from: &[DVec3], along: &[DVec3]| {
            from.iter().zip(along).map(|(from, along)| longest_step(*from, *along)).fold(f64::INFINITY, f64::min)
        };
        let finite = step.x.iter().chain(&step.y).all(|step| step.is_finite());
        finite.then(|| longest(&self.x, &step.x).min(longest(&self.y, &step.y)))
    }

    fn moved(&self, step: &Step, length: f64) -> (Vec<DVec3>, Vec<DVec3>) {
        let moved = |from: &[DVec3], along: &[DVec3]| {
            from.iter().zip(along).map(|(from, along)| *from + length * *along).collect()
        };
        (moved(&self.x, &step.x), moved(&self.y, &step.y))
    }

    fn gap(&self, x: &[DVec3], y: &[DVec3]) -> f64 {
        x.iter().zip(y).map(|(x, y)| x.dot(*y)).sum::<f64>() / x.len() as f64
    }

    /// Returns whether no contact is much closer to the boundary than the others.
    fn is_centered(&self, x: &[DVec3], y: &[DVec3]) -> bool {
        let least = CENTERED * self.gap(x, y);
        x.iter().zip(y).all(|(x, y)| {
            // The smaller eigenvalue of `(V x)^2`, whose trace is `2 x . y`.
            let (half, determinants) = (x.dot(*y), determinant(*x) * determinant(*y));
            determinants >= least * (half + (half * half - determinants).max(0.0).sqrt())
        })
    }
}

/// Returns the diagonal of `P`.
fn weight(mu: f64) -> DVec3 {
    DVec3::new(1.0, mu, mu)
}

/// Returns a block of `P W P`.
fn scaled(mu_row: f64, block: &DMat3, mu_column: f64) -> DMat3 {
    let row = weight(mu_row);
    DMat3::from_cols(row * block.x_axis, row * block.y_axis * mu_column, row * block.z_axis * mu_column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::problem::Block;
    use fibra_core::random::CounterRng;

    /// Contacts of one body with three unknowns, so `W = J J^T` is singular; the last one is frictionless.
    fn problem(contacts: usize) -> FrictionProblem {
        let rng = CounterRng::new(6);
        let row = |i: usize| {
            let axis = |k| 2.0 * rng.uniform_in_cube([i as u64, k, 0]) - DVec3::ONE;
            DMat3::from_cols(axis(0) + DVec3::X, axis(1), axis(2))
        };
        let pairs = (0..contacts).flat_map(|row| (0..contacts).map(move |column| (row, column)));
        let blocks: Vec<Block> =
            pairs.map(|(i, j)| Block { row: i, column: j, matrix: row(i) * row(j).transpose() }).collect();
        let mut mu = vec![0.4; contacts];
        mu[contacts - 1] = 0.0;
        FrictionProblem::new(mu, (0..contacts).map(|i| row(i) * DVec3::new(-1.0, 0.3, 0.2)).collect(), &blocks).unwrap()
    }

    /// Along a step of length `a`, the equations change as their linearization does, up to terms of order `a^2`. This checks the
    /// derivative of `|y_T|` and the scaling.
    #[test]
    fn steps_follow_the_linearized_equations() {
        let problem = problem(6);
        let mut progress = Progress::new(&problem, &[DVec3::ZERO; 6], 1e-8);
        let mut iteration = InteriorPoint::new(&problem);
        for _ in 0..4 {
            iteration.evaluate(&mut progress);
            assert!(iteration.linearize() && iteration.advance());
        }
        iteration.evaluate(&mut progress);
        assert!(iteration.linearize());
        iteration.factor();
        let target = 0.3;
        let step = iteration.direction(|_| DVec3::X * target);
        let before = iteration.clone();
        let mut errors = Vec::new();
        for a in [1e-4, 1e-5] {
            (iteration.x, iteration.y) = before.moved(&step, a);
            iteration.evaluate(&mut progress);
            let mut worst = 0.0f64;
            for i in 0..6 {
                worst = worst.max((iteration.residual[i] - (1.0 - a) * before.residual[i]).length());
                // The trace of the scaled product is invariant.
                let products = [&iteration, &before].map(|at| at.x[i].dot(at.y[i]));
                worst = worst.max((products[0] - (1.0 - a) * products[1] - a * target).abs());
            }
            errors.push(worst);
        }
        assert!(errors[0] < 1e-4 && errors[1] < 0.02 * errors[0], "{errors:?}");
    }

    #[test]
    fn singular_problems_are_solved_in_few_iterations() {
        let problem = problem(20);
        let mut r = vec![DVec3::ZERO; 20];
        let report = solve_interior_point(&problem, &mut r, 1e-7, MAX_ITERATIONS);
        assert!(report.met && report.iterations < 30, "{report:?}");
        assert_eq!((r[19].y, r[19].z), (0.0, 0.0));
    }

    #[test]
    fn iterations_are_limited() {
        let problem = problem(20);
        let mut r = vec![DVec3::ZERO; 20];
        let report = solve_interior_point(&problem, &mut r, 1e-7, 3);
        assert!(!report.met && report.iterations == 3 && report.error < 0.5, "{report:?}");
    }

    #[test]
    fn unsolvable_problems_are_not_reported_as_solved() {
        let problem = FrictionProblem::new(vec![0.1], vec![-DVec3::X], &[]).unwrap();
        let mut r = [DVec3::ZERO];
        let report = solve_interior_point(&problem, &mut r, 1e-8, MAX_ITERATIONS);
        assert!(!report.met && r[0].is_finite(), "{report:?}");
    }
}
