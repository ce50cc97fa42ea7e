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
    let contacts: Vec<usize> = (0..progress.problem.contacts()).collect();
    let factors = BlockLu::new(progress.problem, &contacts);
    InteriorPoint::new(Delassus { progress, factors }).run(iterations)
}

/// A contact problem as seen by the iteration: velocities `u = W r + b`, and the matrix of a step.
pub trait ConeProblem {
    /// Coefficient of friction of each contact [-].
    fn mu(&self) -> &[f64];

    /// Mean of the diagonal of `W` [1/kg], and root mean square of `b` [m/s].
    fn scales(&self) -> [f64; 2];

    /// Computes the velocities of impulses `r` [N s], keeps the impulses if they are the best so far, and returns their error.
    fn evaluate(&mut self, r: &[DVec3]) -> f64;

    /// Returns the velocities of the impulses that were evaluated last [m/s].
    fn velocities(&self) -> &[DVec3];

    /// Returns whether the best impulses so far meet the tolerance.
    fn met(&self) -> bool;

    /// Factors `P W P + F H` for these laws.
    fn factor(&mut self, laws: &[Law]);

    /// Solves `(P W P + F H) x = b`, in place.
    fn solve(&self, x: &mut [DVec3]);
}

/// A problem given by `W`.
struct Delassus<'p, 'a> {
    progress: &'p mut Progress<'a>,
    factors: BlockLu,
}

impl ConeProblem for Delassus<'_, '_> {
    fn mu(&self) -> &[f64] {
        self.progress.problem.mu()
    }

    fn scales(&self) -> [f64; 2] {
        let problem = self.progress.problem;
        let n = problem.contacts().max(1) as f64;
        let mobility = problem.scales().iter().map(|scale| 1.0 / scale).sum::<f64>() / n;
        [mobility, (problem.b().iter().map(|b| b.length_squared()).sum::<f64>() / n).sqrt()]
    }

    fn evaluate(&mut self, r: &[DVec3]) -> f64 {
        self.progress.evaluate(r)
    }

    fn velocities(&self) -> &[DVec3] {
        self.progress.velocities()
    }

    fn met(&self) -> bool {
        self.progress.met()
    }

    fn factor(&mut self, laws: &[Law]) {
        self.progress.iterations += 1;
        let problem = self.progress.problem;
        let mu = problem.mu();
        self.factors.factor(problem, |block, row, column| {
            let scaled = scaled(mu[row], block, mu[column]);
            if row == column { scaled + laws[row].matrix() } else { scaled }
        });
    }

    fn solve(&self, x: &mut [DVec3]) {
        self.factors.solve(x);
    }
}

/// The iteration.
#[derive(Clone, Debug)]
pub struct InteriorPoint<P> {
    problem: P,
    /// Number of steps made.
    steps: usize,
    x: Vec<DVec3>,
    y: Vec<DVec3>,
    /// Impulses `P x`.
    r: Vec<DVec3>,
    /// `P u + |y_T| n - y`.
    residual: Vec<DVec3>,
    laws: Vec<Law>,
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
pub struct Law {
    scaling: Scaling,
    /// `V x = V^-1 y`.
    scaled: DVec3,
    /// `H = V^2`.
    square: DMat3,
    /// `F`.
    coupling: DMat3,
}

impl Law {
    /// Returns `F H`.
    pub fn matrix(&self) -> DMat3 {
        self.coupling * self.square
    }

    /// Returns `(F H)^-1`.
    pub fn inverse(&self) -> DMat3 {
        // `F` differs from the identity in the normal row, by a vector without a normal component.
        self.scaling.inverse_square() * (2.0 * DMat3::IDENTITY - self.coupling)
    }
}

impl<P: ConeProblem> InteriorPoint<P> {
    /// Prepares the iteration. It starts inside the cone, with impulses that stop a typical velocity.
    pub fn new(problem: P) -> InteriorPoint<P> {
        let n = problem.mu().len();
        let [mobility, speed] = problem.scales();
        InteriorPoint {
            problem,
            steps: 0,
            x: vec![DVec3::X * (speed / mobility); n],
            y: vec![DVec3::X * speed; n],
            r: vec![DVec3::ZERO; n],
            residual: vec![DVec3::ZERO; n],
            laws: Vec::with_capacity(n),
            best_error: f64::INFINITY,
            best_step: 0,
        }
    }

    /// Returns the problem.
    pub fn problem(&self) -> &P {
        &self.problem
    }

    /// Iterates until the tolerance is met, no further progress is possible, or the iterations are used up. Returns whether the tolerance is met.
    pub fn run(&mut self, iterations: usize) -> bool {
        loop {
            self.evaluate();
            let stalled = self.steps - self.best_step > PATIENCE;
            if self.problem.met() || stalled || self.steps == iterations || !self.linearize() || !self.advance() {
                return self.problem.met();
            }
        }
    }

    /// Makes one step from the linearized laws. Returns false if no step is possible.
    fn advance(&mut self) -> bool {
        self.steps += 1;
        self.problem.factor(&self.laws);
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
    fn evaluate(&mut self) {
        self.r.iter_mut().zip(&self.x).zip(self.problem.mu()).for_each(|((r, x), mu)| *r = weight(*mu) * *x);
        let error = self.problem.evaluate(&self.r);
        if error < self.best_error {
            (self.best_error, self.best_step) = (error, self.steps);
        }
        let (mu, u) = (self.problem.mu(), self.problem.velocities());
        for (i, residual) in self.residual.iter_mut().enumerate() {
            *residual = weight(mu[i]) * u[i] + DVec3::X * tangent(self.y[i]).length() - self.y[i];
        }
    }

    /// Computes the linearized laws; returns false if a contact is not inside the cone.
    fn linearize(&mut self) -> bool {
        self.laws.clear();
        for (&x, &y) in self.x.iter().zip(&self.y) {
            let Some(scaling) = Scaling::new(x, y) else { return false };
            let direction = tangent(y).normalize_or_zero();
            let mut coupling = DMat3::IDENTITY;
            coupling.y_axis.x = -direction.x;
            coupling.z_axis.x = -direction.y;
            self.laws.push(Law { scaling, scaled: scaling.apply(x), square: scaling.square(), coupling });
        }
        true
    }

    /// Returns the step that brings `x o y` to `target e`, up to third-order terms, with the second-order terms of a known step. These are bounded by the
    /// gap, because large ones come from steps that are much too long.
    fn corrected(&self, known: &Step, target: f64, gap: f64) -> Step {
        self.direction(|i| {
            let scaling = &self.laws[i].scaling;
            let second_order = product(scaling.apply(known.x[i]), scaling.apply_inverse(known.y[i]));
            DVec3::X * target - second_order.clamp_length_max(gap)
        })
    }

    /// Solves for the step with `V x o (V dx + V^-1 dy) = rhs - V x o V x`.
    fn direction(&self, rhs: impl Fn(usize) -> DVec3) -> Step {
        let c = |(i, law): (usize, &Law)| {
            let square = product(law.scaled, law.scaled);
            law.scaling.apply(divide(law.scaled, rhs(i) - square))
        };
        let c: Vec<DVec3> = self.laws.iter().enumerate().map(c).collect();
        let mut x: Vec<DVec3> = (self.laws.iter().zip(&c).zip(&self.residual))
            .map(|((law, c), residual)| law.coupling * *c - *residual)
            .collect();
        self.problem.solve(&mut x);
        let y = self.laws.iter().zip(&c).zip(&x).map(|((law, c), x)| *c - law.square * *x).collect();
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
pub fn weight(mu: f64) -> DVec3 {
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
        let factors = BlockLu::new(&problem, &[0, 1, 2, 3, 4, 5]);
        let mut iteration = InteriorPoint::new(Delassus { progress: &mut progress, factors });
        for _ in 0..4 {
            iteration.evaluate();
            assert!(iteration.linearize() && iteration.advance());
        }
        iteration.evaluate();
        assert!(iteration.linearize());
        iteration.problem.factor(&iteration.laws);
        let target = 0.3;
        let step = iteration.direction(|_| DVec3::X * target);
        let (x, y, residual) = (iteration.x.clone(), iteration.y.clone(), iteration.residual.clone());
        let mut errors = Vec::new();
        for a in [1e-4, 1e-5] {
            (iteration.x, iteration.y) = (x.clone(), y.clone());
            (iteration.x, iteration.y) = iteration.moved(&step, a);
            iteration.evaluate();
            let mut worst = 0.0f64;
            for i in 0..6 {
                worst = worst.max((iteration.residual[i] - (1.0 - a) * residual[i]).length());
                // The trace of the scaled product is invariant.
                let products = [iteration.x[i].dot(iteration.y[i]), x[i].dot(y[i])];
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
