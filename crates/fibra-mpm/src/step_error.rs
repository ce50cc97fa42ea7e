//! Errors of a step, and the checks that detect them.

use crate::params::{Integrator, Params};
use crate::state::State;
use crate::timestep::TooShort;

/// The reason why a step failed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The stable time step is below the user's `min_dt`.
    #[error("the stable time step of {:.3e} s is below min_dt: {}", .0.wanted, .0.because)]
    TooShort(TooShort),
    /// A particle is outside the range of block keys.
    #[error("particle {id} of object {object} left the range of the grid: it is at {position:?} m from the run origin")]
    OutOfReach {
        /// The particle's id.
        id: u32,
        /// Index of the particle's object.
        object: u32,
        /// Position of the particle [m].
        position: [f32; 3],
    },
    /// A material has no derivatives of its energy, which implicit steps need.
    #[error("the model of material {substance} has no energy derivatives; use the explicit integrator")]
    NotImplicit {
        /// Index of the material.
        substance: usize,
    },
    /// A velocity or a stress is not finite.
    #[error("particle {id} of object {object} has a non-finite {quantity}")]
    NotFinite {
        /// The particle's id.
        id: u32,
        /// Index of the particle's object.
        object: u32,
        /// `velocity` or `stress`.
        quantity: &'static str,
    },
}

impl StepError {
    /// Returns the stage of the step that detected the error.
    pub fn stage(&self) -> &'static str {
        match self {
            StepError::TooShort(_) | StepError::NotImplicit { .. } => "time step",
            StepError::OutOfReach { .. } => "sort",
            StepError::NotFinite { .. } => "g2p",
        }
    }
}

/// Rejects a state that cannot be advanced. Checking before the step identifies the exact particle; afterwards the grid has
/// spread the invalid values.
pub(crate) fn check_before_step(params: &Params, state: &State) -> Result<(), StepError> {
    check_finite(state)?;
    match without_derivatives(params) {
        Some(substance) => Err(StepError::NotImplicit { substance }),
        None => Ok(()),
    }
}

/// Rejects a state in which a velocity or a stress is not finite.
pub(crate) fn check_finite(state: &State) -> Result<(), StepError> {
    if state.extremes.broken { Err(first_broken(state)) } else { Ok(()) }
}

/// Returns the first material that does not support implicit steps, if the integrator is implicit.
pub(crate) fn without_derivatives(params: &Params) -> Option<usize> {
    match params.integrator {
        Integrator::Explicit => None,
        Integrator::Implicit(_) => params.substances.iter().position(|substance| !substance.material.has_derivatives()),
    }
}

/// Returns the error for the non-finite particle with the smallest id.
pub(crate) fn first_broken(state: &State) -> StepError {
    let p = &state.particles;
    let broken = |i: usize| -> Option<&'static str> {
        // The same test as in g2p: a speed whose square overflows counts as infinite.
        if !p.v[i].iter().map(|v| v * v).sum::<f32>().is_finite() {
            Some("velocity")
        } else if !p.tau[i].to_mat3().to_rows().iter().all(|t| t.is_finite()) {
            Some("stress")
        } else {
            None
        }
    };
    let first = (0..p.len()).filter_map(|i| broken(i).map(|quantity| (p.id[i], p.object[i], quantity))).min();
    let (id, object, quantity) = first.unwrap_or((0, 0, "velocity"));
    StepError::NotFinite { id, object, quantity }
}
