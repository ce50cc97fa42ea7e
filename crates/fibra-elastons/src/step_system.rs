//! The linear system of a step, and its solution by preconditioned conjugate gradients.

use crate::contacts::Contacts;
use crate::equations::{EquationCoefficients, Equations, frames};
use crate::forces::{StepInputs, right_hand_side};
use crate::linear::{NotPositive, Outcome, Stop, conjugate_gradients};
use crate::reference::refactor;
use crate::step::Stage;
use crate::workspace::Workspace;
use crate::world::{Params, State};
use glam::DMat3;

/// Relative error of the velocity change in a step [-].
const TOLERANCE: f64 = 1e-3;
/// Maximum number of iterations, after which a step fails.
const MAX_ITERATIONS: usize = 2000;
/// Maximum number of iterations with an old factor, after which it is replaced.
const MAX_ITERATIONS_WITH_OLD_FACTOR: usize = 150;

/// The time span of a step.
pub(crate) struct Span {
    /// Time step [s].
    pub(crate) dt: f64,
    /// Time at the end of the step [s].
    pub(crate) end: f64,
    /// Whether each hold is active at the end.
    pub(crate) holding: Vec<bool>,
}

impl Span {
    /// Divides the time from the state to `until` [s] into the fewest equal steps of at most `params.dt`, and returns the first.
    pub(crate) fn next(params: &Params, state: &State, until: f64) -> Span {
        let left = until - state.time;
        let parts = (left / params.dt * (1.0 - 1e-9)).ceil().max(1.0);
        let dt = left / parts;
        let end = if parts == 1.0 { until } else { state.time + dt };
        let holding = params.holds.iter().map(|hold| end <= hold.until).collect();
        Span { dt, end, holding }
    }
}

/// The system `A dv = b - A v` for the velocity change `dv`. `A` is the matrix of [`Equations`] plus that of the
/// contacts.
pub(crate) struct StepSystem {
    pub(crate) span: Span,
    pub(crate) contacts: Contacts,
    /// Corotated frame of each elaston.
    frames: Vec<DMat3>,
    /// Right-hand side `b`.
    right: Vec<f64>,
}

/// Velocity change of a step, and the outcome of the solver.
pub(crate) struct Solution {
    pub(crate) change: Vec<f64>,
    pub(crate) outcome: Outcome,
}

impl StepSystem {
    /// Sets up the system at a state.
    pub(crate) fn new(params: &Params, state: &State, work: &Workspace, span: Span, contacts: Contacts) -> StepSystem {
        let frames = frames(&state.matter, &work.discretization.elastons, &state.displacements);
        let inputs = StepInputs { dt: span.dt, end: span.end, holding: &span.holding, frames: &frames };
        let mut right = right_hand_side(params, state, &work.discretization, &inputs);
        contacts.add_constant_impulses(&work.discretization, &mut right);
        StepSystem { span, contacts, frames, right }
    }

    /// Solves with the factor of the workspace. If the factor is too old for convergence, refactors and solves again.
    pub(crate) fn solve(
        &self,
        params: &Params,
        state: &mut State,
        work: &mut Workspace,
    ) -> Result<Solution, NotPositive> {
        let solution = work.time(Stage::Solve, |work| self.solve_with_factor(params, state, work));
        if solution.outcome.converged || !state.has_old_factor() {
            return Ok(solution);
        }
        refactor(params, state, work, &self.span)?;
        Ok(work.time(Stage::Solve, |work| self.solve_with_factor(params, state, work)))
    }

    fn solve_with_factor(&self, params: &Params, state: &State, work: &mut Workspace) -> Solution {
        let rotations = work.rotations(state, &self.frames);
        let mut iteration = std::mem::take(&mut work.iteration);
        let equations = Equations {
            params,
            matter: &state.matter,
            discretization: &work.discretization,
            frames: &self.frames,
            holding: &self.span.holding,
            coefficients: EquationCoefficients::of_step(params, self.span.dt),
        };
        let multiply = |x: &[f64], y: &mut [f64]| {
            equations.multiply(x, y, &mut work.scratch.borrow_mut());
            self.contacts.add_product(&work.discretization, x, y);
        };
        // Solve for the velocity change, which is zero where no force acts.
        let mut product = vec![0.0; self.right.len()];
        multiply(&state.velocities, &mut product);
        let residual: Vec<f64> = self.right.iter().zip(&product).map(|(right, product)| right - product).collect();
        let mut change = vec![0.0; residual.len()];
        let max_iterations = if state.has_old_factor() { MAX_ITERATIONS_WITH_OLD_FACTOR } else { MAX_ITERATIONS };
        let outcome = conjugate_gradients(
            multiply,
            |x, y| work.precondition(&rotations, x, y),
            &residual,
            &mut change,
            Stop { tolerance: TOLERANCE, max_iterations },
            &mut iteration,
        );
        work.iteration = iteration;
        work.account.iterations += outcome.iterations as u64;
        Solution { change, outcome }
    }
}
