//! One time step: free motion, contact detection, contact impulses, position update [Bertails2011, Sec. 3 and 4], separation of
//! overlapping bodies.

mod separate;
mod stages;
mod turning;

pub use stages::{IslandRows, Prepared, prepare};
pub use turning::Turning;

use crate::rod::StepContext;
use crate::world::{Params, State, Workspace};
use fibra_core::stages;
use separate::separate;
use stages::{advance, count_substeps, detect, form, rows, solve};

stages! {
    /// Stages of a step, in order.
    pub enum Stage {
        /// Assembles every body's step without contact.
        Form = "form",
        /// Finds contacts, including those that may occur before the step ends.
        Detect = "detect",
        /// Computes the rows of the contact Jacobian, island by island.
        Rows = "rows",
        /// Computes impulses and velocities that satisfy Coulomb's law.
        Solve = "solve",
        /// Advances the bodies with these velocities.
        Advance = "advance",
        /// Moves overlapping bodies apart, without changing their velocities.
        Separate = "separate",
    }
}

/// The reason why a step failed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The linear system of a body is not positive definite.
    #[error(
        "the linear system of body {body} is singular or indefinite; use a smaller `dt`, a softer material or smaller velocities"
    )]
    Unsolvable {
        /// The body.
        body: usize,
    },
    /// A velocity is not finite.
    #[error("a velocity of body {body} is not finite; use a smaller `dt`, a softer material or smaller velocities")]
    NotFinite {
        /// The body.
        body: usize,
    },
    /// Bodies approach each other too fast for substeps to resolve.
    #[error(
        "bodies approach by {approach:.0} times their thickness in a step; use a smaller `dt` or smaller velocities"
    )]
    TooFast {
        /// Largest approach in a step, relative to the sum of the radii [-].
        approach: f64,
    },
}

impl StepError {
    /// The stage that failed.
    pub fn stage(&self) -> Stage {
        match self {
            StepError::Unsolvable { .. } => Stage::Form,
            StepError::NotFinite { .. } => Stage::Solve,
            StepError::TooFast { .. } => Stage::Detect,
        }
    }
}

/// Advances the state by one step, not past `until` [s], and returns its length [s].
pub fn step(params: &Params, state: &mut State, workspace: &mut Workspace, until: f64) -> Result<f64, StepError> {
    let span = Span::new(params, state.time, until);
    form(params, state, workspace, &span.substep(0, 1))?;
    let substeps = count_substeps(params, state, workspace, span.dt)?;
    for substep in 0..substeps {
        let context = span.substep(substep, substeps);
        if substeps > 1 {
            form(params, state, workspace, &context)?;
        }
        let contacts = detect(params, state, workspace, &context);
        let islands = rows(state, workspace, &contacts, &context);
        let solved = solve(params, state, workspace, &contacts, &islands, &context);
        advance(state, workspace, &islands, solved, &context)?;
        separate(params, state, workspace, &context);
    }
    state.time = span.end;
    state.steps += 1;
    Ok(span.dt)
}

/// Start and end of a step.
struct Span {
    start: StepContext,
    dt: f64,
    end: f64,
}

impl Span {
    /// Returns the first of the equal steps from `time` to `until` [s].
    fn new(params: &Params, time: f64, until: f64) -> Span {
        let settings = &params.settings;
        // The margin of 1e-6 absorbs rounding.
        let steps = ((until - time) / settings.dt - 1e-6).ceil().max(1.0);
        let dt = (until - time) / steps;
        let end = if steps == 1.0 { until } else { time + dt };
        Span { start: StepContext { time, dt, gravity: settings.gravity, origin: settings.origin }, dt, end }
    }

    /// Returns one of `count` equal substeps.
    fn substep(&self, index: u64, count: u64) -> StepContext {
        let (index, count) = (index as f64, count as f64);
        StepContext { time: self.start.time + self.dt * index / count, dt: self.dt / count, ..self.start }
    }
}
