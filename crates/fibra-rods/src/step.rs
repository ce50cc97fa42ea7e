//! One step: bodies without contact, contacts, impulses, motion [Bertails2011, Sec. 3 and 4].

mod stages;

pub use stages::{IslandRows, Prepared, prepare};

use crate::rod::StepContext;
use crate::world::{Params, State, Workspace};
use fibra_core::stages;
use stages::{advance, detect, divide, form, rows, solve};

stages! {
    /// Stages of a step, in order.
    pub enum Stage {
        /// Every body's step without contact.
        Form = "form",
        /// Where bodies touch, or may before the step ends.
        Detect = "detect",
        /// Contacts as rows of a system of equations, island by island.
        Rows = "rows",
        /// Impulses and velocities that satisfy Coulomb's law.
        Solve = "solve",
        /// Motion with these velocities.
        Advance = "advance",
    }
}

/// Why a step could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A body's equations have no unique solution.
    #[error(
        "the equations of body {body} cannot be solved; use a smaller `dt`, a softer material or smaller velocities"
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
    /// Bodies move past each other too fast for any step.
    #[error(
        "bodies approach by {approach:.0} times their thickness in a step; use a smaller `dt` or smaller velocities"
    )]
    TooFast {
        /// Largest approach in a step over the sum of the radii [-].
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

/// Advances the state by one step, no further than `until` [s]; returns its length [s].
pub fn step(params: &Params, state: &mut State, workspace: &mut Workspace, until: f64) -> Result<f64, StepError> {
    let span = Span::new(params, state.time, until);
    form(state, workspace, &span.part(0, 1))?;
    let parts = divide(params, state, workspace, span.dt)?;
    for part in 0..parts {
        let context = span.part(part, parts);
        if parts > 1 {
            form(state, workspace, &context)?;
        }
        let contacts = detect(params, state, workspace, &context);
        let islands = rows(state, workspace, &contacts, &context);
        let solved = solve(params, state, workspace, &contacts, &islands, &context);
        advance(state, workspace, &islands, solved, &context)?;
    }
    state.time = span.end;
    state.steps += 1;
    Ok(span.dt)
}

/// When a step starts and ends.
struct Span {
    start: StepContext,
    dt: f64,
    end: f64,
}

impl Span {
    /// The first of equal steps from `time` to `until` [s].
    fn new(params: &Params, time: f64, until: f64) -> Span {
        let settings = &params.settings;
        // The little is for rounding.
        let steps = ((until - time) / settings.dt - 1e-6).ceil().max(1.0);
        let dt = (until - time) / steps;
        let end = if steps == 1.0 { until } else { time + dt };
        Span { start: StepContext { time, dt, gravity: settings.gravity, origin: settings.origin }, dt, end }
    }

    /// One of equal parts of it.
    fn part(&self, part: u64, parts: u64) -> StepContext {
        let (part, parts) = (part as f64, parts as f64);
        StepContext { time: self.start.time + self.dt * part / parts, dt: self.dt / parts, ..self.start }
    }
}
