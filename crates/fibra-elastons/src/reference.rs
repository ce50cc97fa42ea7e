//! Reuse of the factored matrix as a preconditioner.
//!
//! Between steps, the matrix changes mostly by the rotation of the corotated frames. An old factor, rotated sample by sample, is so close
//! to the current matrix that conjugate gradients need only a few more iterations than with a new factor. The factor is replaced once these
//! additional iterations have cost more than a new factorization.

use crate::linear::NotPositive;
use crate::step_system::Span;
use crate::workspace::Workspace;
use crate::world::{Params, Reference, State};

/// Approximate cost of a factorization, in iterations.
const ITERATIONS_PER_FACTOR: u64 = 25;

/// Provides a factor for the next step: the last factor, or a new factor of the current matrix.
pub(crate) fn prepare_factor(
    params: &Params,
    state: &mut State,
    work: &mut Workspace,
    span: &Span,
) -> Result<(), NotPositive> {
    match &state.reference {
        Some(last) if !last.is_outdated() => {
            let reference = last.clone();
            use_reference(params, state, work, reference)
        }
        _ => refactor(params, state, work, span),
    }
}

/// Factors the matrix of the current state.
pub(crate) fn refactor(
    params: &Params,
    state: &mut State,
    work: &mut Workspace,
    span: &Span,
) -> Result<(), NotPositive> {
    let reference = Reference::fresh(state, span);
    use_reference(params, state, work, reference)
}

/// Factors the matrix that a reference describes, unless the workspace already has this factor.
fn use_reference(
    params: &Params,
    state: &mut State,
    work: &mut Workspace,
    mut reference: Reference,
) -> Result<(), NotPositive> {
    if reference.fresh.is_none() {
        work.invalidate_factor();
    }
    work.factor(params, state, &mut reference)?;
    state.reference = Some(reference);
    Ok(())
}

impl Reference {
    /// Creates a reference to the current state.
    fn fresh(state: &State, span: &Span) -> Reference {
        let last = state.reference.as_ref();
        Reference {
            displacements: state.displacements.clone(),
            dt: span.dt,
            holding: span.holding.clone(),
            fresh: None,
            excess: 0,
            // The value decays, so that reuse of a factor is tried again after a while.
            aged: last.map_or(0, |last| last.aged - last.aged / 8),
            double: last.is_some_and(|last| last.double),
        }
    }

    /// Whether the additional iterations with the old factor have cost more than a new factorization. Before the first
    /// reuse, the expected cost is used.
    fn is_outdated(&self) -> bool {
        let expected = if self.excess == 0 { self.aged } else { 0 };
        self.excess + expected > ITERATIONS_PER_FACTOR
    }

    /// Records the number of iterations of a step. The additional iterations are those beyond the number of the first step
    /// with the same factor.
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
    /// Whether the current factor has been used before.
    pub(crate) fn has_old_factor(&self) -> bool {
        self.reference.as_ref().is_some_and(|reference| reference.fresh.is_some())
    }

    /// Completes a step that ends at time `end` [s] and took `iterations` iterations.
    pub(crate) fn finish_step(&mut self, end: f64, iterations: u64) {
        if let Some(reference) = &mut self.reference {
            reference.record(iterations);
        }
        self.time = end;
        self.steps += 1;
    }
}
