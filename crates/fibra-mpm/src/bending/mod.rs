//! Bending of surfaces, and bending and twisting of curves. [Jiang2017] has neither.
//!
//! - A surface is a thin plate of bending stiffness `D` [N m]. Its curvature is constant in each triangle and follows from the angles at the
//!   triangle's edges ([`plate`], [`hinge`]).
//! - A curve is a discrete elastic rod [Bergou2008] of stiffness `EI` and `GJ` [N m^2], whose material frames turn with its segments
//!   ([`rod`], [`frames`], [`fibra_core::rod_joint`]).
//!
//! The rest shape is the initial shape. [`forces`] evaluates all hinges and joints at the end of a step.

mod forces;
mod frames;
mod hinge;
mod plate;
mod rod;
mod step_rate;
#[cfg(test)]
mod tests;

pub use forces::{BendForce, BendForces, Bends, Corner};
pub use frames::{RodFrames, Segment};
pub use hinge::{Hinge, HingeShape};
pub use plate::Plate;
pub use rod::{CurveJoint, Rod};
pub use step_rate::StepRate;

pub(crate) use forces::{BendSystem, bend, elastic_energy};
pub(crate) use frames::NONE;
#[cfg(feature = "gpu")]
pub(crate) use {frames::SHORTEST, hinge::LEAST_HEIGHT};

/// Everything that bends. Constant during a run.
#[derive(Clone, Debug, Default)]
pub struct Bending {
    /// Hinges of surfaces.
    pub hinges: Vec<Hinge>,
    /// Joints of curves.
    pub joints: Vec<CurveJoint>,
    /// Segments of curves, whose frames are in [`State::rods`](crate::state::State::rods).
    pub segments: Vec<Segment>,
    /// Bounds on the time step.
    pub rates: Vec<StepRate>,
}

impl Bending {
    /// Returns the number of hinges and joints.
    pub fn len(&self) -> usize {
        self.hinges.len() + self.joints.len()
    }

    /// Whether nothing bends.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
