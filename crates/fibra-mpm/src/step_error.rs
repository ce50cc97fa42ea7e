//! Why a step fails, and the checks that find out.

use crate::params::{Integrator, Params};
use crate::state::State;
use crate::timestep::TooShort;

/// Why a step could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Stability asks for a step below the user's smallest.
    #[error("the step would have to be {:.3e} s because {}", .0.wanted, .0.because)]
    TooShort(TooShort),
    /// A particle is so far away that the grid cannot name its block.
    #[error("particle {id} of object {object} left the reach of the grid at {position:?} m from the run origin")]
    OutOfReach {
        /// The particle's number.
        id: u32,
        /// Its object's index.
        object: u32,
        /// Where it is [m].
        position: [f32; 3],
    },
    /// A material has no derivatives of its energy, which implicit steps need.
    #[error("material {substance} is anisotropic or has a law without derivatives: it needs explicit steps")]
    NotImplicit {
        /// Index of the material.
        substance: usize,
    },
    /// A velocity or a stress is not finite.
    #[error("particle {id} of object {object} has a {quantity} that is not finite")]
    NotFinite {
        /// The particle's number.
        id: u32,
        /// Its object's index.
        object: u32,
        /// `velocity` or `stress`.
        quantity: &'static str,
    },
}

impl StepError {
    /// The stage of the step that found it.
    pub fn stage(&self) -> &'static str {
        match self {
            StepError::TooShort(_) | StepError::NotImplicit { .. } => "time step",
            StepError::OutOfReach { .. } => "sort",
            StepError::NotFinite { .. } => "g2p",
        }
    }
}

/// Rejects a state with which no step can be taken. A particle that is broken before the step is named exactly: afterwards the grid has
/// spread what is wrong with it.
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

/// The first material that implicit steps cannot be taken with, if the integrator is implicit.
pub(crate) fn without_derivatives(params: &Params) -> Option<usize> {
    match params.integrator {
        Integrator::Explicit => None,
        Integrator::Implicit(_) => params.substances.iter().position(|substance| !substance.material.has_derivatives()),
    }
}

/// Names the broken particle with the smallest number.
pub(crate) fn first_broken(state: &State) -> StepError {
    let p = &state.particles;
    let broken = |i: usize| -> Option<&'static str> {
        // The same test as in g2p: a speed whose square overflows is as good as infinite.
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
