//! The age of the factored matrix.
//!
//! The matrix of a step differs from an earlier one mostly by the rotation of its frames. An old factor, rotated sample by sample, is so
//! close to it that conjugate gradients need a few more iterations only. It is replaced when these have cost as much as a new factor.

use crate::linear::NotPositive;
use crate::step_system::Span;
use crate::workspace::Workspace;
use crate::world::{Params, Reference, State};

/// Iterations that a new factor costs, about.
const ITERATIONS_PER_FACTOR: u64 = 25;

/// Makes sure that there is a factor for the next step: the last one, or that of the present state.
pub(crate) fn prepare_factor(
    params: &Params,
    state: &mut State,
    work: &mut Workspace,
    span: &Span,
) -> Result<(), NotPositive> {
    match &state.reference {
        Some(last) if !last.is_worn() => {
            let reference = last.clone();
            use_reference(params, state, work, reference)
        }
        _ => renew_factor(params, state, work, span),
    }
}

/// Factors the matrix of the present state.
pub(crate) fn renew_factor(
    params: &Params,
    state: &mut State,
    work: &mut Workspace,
    span: &Span,
) -> Result<(), NotPositive> {
    let reference = Reference::fresh(state, span);
    use_reference(params, state, work, reference)
}

/// Makes sure that the workspace has a factor of what a reference describes.
fn use_reference(
    params: &Params,
    state: &mut State,
    work: &mut Workspace,
    mut reference: Reference,
) -> Result<(), NotPositive> {
    if reference.fresh.is_none() {
        work.forget_factor();
    }
    work.factor(params, state, &mut reference)?;
    state.reference = Some(reference);
    Ok(())
}

impl Reference {
    /// A reference to the present state.
    fn fresh(state: &State, span: &Span) -> Reference {
        let last = state.reference.as_ref();
        Reference {
            displacements: state.displacements.clone(),
            dt: span.dt,
            holding: span.holding.clone(),
            fresh: None,
            excess: 0,
            // An old factor is tried again after a while.
            aged: last.map_or(0, |last| last.aged - last.aged / 8),
            double: last.is_some_and(|last| last.double),
        }
    }

    /// Whether its age costs more than a new factor. The expected cost of the first use of an old factor counts in advance.
    fn is_worn(&self) -> bool {
        let expected = if self.excess == 0 { self.aged } else { 0 };
        self.excess + expected > ITERATIONS_PER_FACTOR
    }

    /// Records the iterations of a step: more than those of the first step with the same factor are the cost of its age.
    fn record(&mut self, iterations: u64) {
        match self.fresh {
            None => self.fresh = Some(iterations),
            Some(fresh) => {
                if self.excess == 0 {
                    self.aged = iterations.saturating_sub(fresh);
                }
                self.excess += iterations.saturating_sub(fresh);
            }
        }
    }
}

impl State {
    /// Whether the factor in use has been used before.
    pub(crate) fn has_old_factor(&self) -> bool {
        self.reference.as_ref().is_some_and(|reference| reference.fresh.is_some())
    }

    /// Ends a step at the time `end` [s] that took some iterations.
    pub(crate) fn finish_step(&mut self, end: f64, iterations: u64) {
        if let Some(reference) = &mut self.reference {
            reference.record(iterations);
        }
        self.time = end;
        self.steps += 1;
    }
}
