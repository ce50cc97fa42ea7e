//! Static equilibrium of a single rod: implicit steps of growing length, with velocities reset after each one, until nothing moves.

use crate::band::NotPositive;
use crate::rod::{Rod, StepContext, StepSystem};
use glam::DVec3;

/// A step is too long if a point moves by more than this fraction of the rod's length [-].
const MAX_MOTION: f64 = 0.02;

/// Settings of the static solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statics {
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// Time at which the poses of the ends are evaluated [s].
    pub time: f64,
    /// The run origin, to which coordinates are relative [m].
    pub origin: DVec3,
    /// Length of the first step [s].
    pub first_dt: f64,
    /// Length of the longest step [s]. Choose a value far longer than the slowest period: such a step is a full Newton
    /// step to the linearized equilibrium.
    pub longest_dt: f64,
    /// Convergence tolerance: largest motion of a point in a step of `longest_dt`, relative to the rod's length [-].
    pub tolerance: f64,
    /// Maximum number of steps.
    pub steps: usize,
}

/// The reason why no equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StaticsError {
    /// The maximum number of steps was reached.
    #[error("not at rest after {steps} steps: points still move by {moves} of the rod's length per step")]
    StillMoving {
        /// Number of steps taken.
        steps: usize,
        /// Largest motion of a point in the last step, relative to the rod's length [-].
        moves: f64,
    },
    /// A rod that nothing holds against its weight or the forces on its ends.
    #[error("no end is held against the weight and the forces on the rod, so it has no static equilibrium")]
    NotHeld,
    /// Every equilibrium that was found is unstable.
    #[error("no stable equilibrium found after {perturbations} perturbations along unstable modes")]
    Unstable {
        /// Number of perturbations.
        perturbations: usize,
    },
    /// The matrix of a step is not positive definite.
    #[error(transparent)]
    NotPositive(#[from] NotPositive),
}

impl Default for Statics {
    fn default() -> Statics {
        Statics {
            gravity: DVec3::ZERO,
            time: 0.0,
            origin: DVec3::ZERO,
            first_dt: 1e-3,
            longest_dt: 10.0,
            tolerance: 1e-8,
            steps: 2000,
        }
    }
}

impl Statics {
    /// Brings a rod to equilibrium and returns the number of steps.
    ///
    /// Uses pseudo-transient continuation [Kelley1998]: the steps grow as the rod comes to rest. They shrink where the rod moves too far
    /// for the forces to be linear.
    pub fn settle(&self, rod: &mut dyn Rod) -> Result<usize, StaticsError> {
        let length: f64 = rod.centerline().windows(2).map(|p| p[0].distance(p[1])).sum();
        let mut dt = self.first_dt;
        let mut moves = f64::INFINITY;
        stop(rod);
        for step in 0..self.steps {
            moves = self.relax(rod, dt)? / length;
            if dt >= self.longest_dt && moves <= self.tolerance {
                return Ok(step + 1);
            }
            dt = if moves <= MAX_MOTION { (2.0 * dt).min(self.longest_dt) } else { 0.5 * dt };
        }
        Err(StaticsError::StillMoving { steps: self.steps, moves })
    }

    /// Takes one step of length `dt` [s] and resets the velocities. Returns the largest motion of a point [m].
    pub fn relax(&self, rod: &mut dyn Rod, dt: f64) -> Result<f64, NotPositive> {
        // Ends are driven to their pose at the end of the step.
        let context = StepContext { time: self.time - dt, dt, gravity: self.gravity, origin: self.origin };
        let mut system = StepSystem::default();
        rod.form(&context, &mut system);
        system.operator.factor()?.solve(&mut system.impulse);
        rod.advance(&system.impulse, &context);
        let fastest = rod.point_velocities().iter().fold(0.0, |most: f64, v| most.max(v.length()));
        stop(rod);
        Ok(dt * fastest)
    }
}

/// Resets a rod's velocities to zero.
pub(crate) fn stop(rod: &mut dyn Rod) {
    let here = StepContext { time: 0.0, dt: 0.0, gravity: DVec3::ZERO, origin: DVec3::ZERO };
    rod.advance(&vec![0.0; rod.unknowns()], &here);
}
