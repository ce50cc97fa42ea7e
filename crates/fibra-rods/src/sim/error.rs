//! Errors of a simulation.

use crate::error::RodError;
use crate::rod::RodEnd;
use crate::statics::StaticsError;
use crate::step::StepError;

/// The reason why a simulation cannot be built, moved or advanced.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RodSimError {
    /// Invalid settings, or an invalid body or collider.
    #[error(transparent)]
    Input(#[from] RodError),
    /// The step failed. Do not advance the state any further; load a checkpoint to continue.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A rod has no static equilibrium, or the solver did not find it.
    #[error("rod {rod}: {error}")]
    Static {
        /// The rod.
        rod: usize,
        /// The reason.
        error: StaticsError,
    },
    /// A static solution with a ball.
    #[error("body {ball} is a ball; the static solver supports rods only")]
    StaticBall {
        /// The ball.
        ball: usize,
    },
    /// Bodies overlap in static equilibrium.
    #[error("rods overlap each other or a collider; the static solver has no contact: use the dynamic solver")]
    StaticContact,
    /// An invalid end time.
    #[error("cannot advance to {until} s from {time} s; the time must be finite and later")]
    Until {
        /// The requested time [s].
        until: f64,
        /// The current time [s].
        time: f64,
    },
    /// An id of another simulation.
    #[error("{kind} {index} does not exist in this simulation; use an id that this simulation returned")]
    UnknownId {
        /// `rod`, `ball` or `collider`.
        kind: &'static str,
        /// The index of the id.
        index: usize,
    },
    /// A pose that is not finite, or whose quaternion is not of unit length.
    #[error("the pose of {what} must be finite, with a rotation quaternion of length 1")]
    BadPose {
        /// The object to move.
        what: &'static str,
    },
    /// A motion of an end that is not held.
    #[error("the {end:?} end of rod {rod} is not held; clamp or pin it to move it")]
    EndNotHeld {
        /// The rod.
        rod: usize,
        /// The end.
        end: RodEnd,
    },
    /// A force on an end that is held, or on a closed rod.
    #[error("the {end:?} end of rod {rod} is held, or the rod is closed; a force acts on free ends only")]
    EndNotFree {
        /// The rod.
        rod: usize,
        /// The end.
        end: RodEnd,
    },
}
