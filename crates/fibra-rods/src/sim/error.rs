//! What can go wrong in a simulation.

use crate::error::RodError;
use crate::rod::RodEnd;
use crate::step::StepError;

/// Why a simulation cannot be built, moved or advanced.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RodSimError {
    /// Impossible settings, or a body or collider that cannot be made.
    #[error(transparent)]
    Input(#[from] RodError),
    /// A step that cannot be taken. The state is then not to be advanced; load a checkpoint to continue.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A time that cannot be advanced to.
    #[error("cannot advance to {until} s from {time} s; the time must be finite and later")]
    Until {
        /// The time asked for [s].
        until: f64,
        /// The time now [s].
        time: f64,
    },
    /// An id that another simulation gave.
    #[error("{kind} {index} does not exist in this simulation; use the id that it returned")]
    UnknownId {
        /// `rod`, `ball` or `collider`.
        kind: &'static str,
        /// The index of the id.
        index: usize,
    },
    /// A pose that is not finite, or whose quaternion is not of length one.
    #[error("the pose of {what} must be finite, with a rotation quaternion of length 1")]
    BadPose {
        /// What was to be moved.
        what: &'static str,
    },
    /// A motion of an end that nothing holds.
    #[error("the {end:?} end of rod {rod} is not held; clamp or pin it to move it")]
    EndNotHeld {
        /// The rod.
        rod: usize,
        /// The end.
        end: RodEnd,
    },
    /// A force on an end that is held, or on a closed rod.
    #[error("the {end:?} end of rod {rod} is held or closed; a force acts on free ends only")]
    EndNotFree {
        /// The rod.
        rod: usize,
        /// The end.
        end: RodEnd,
    },
}
