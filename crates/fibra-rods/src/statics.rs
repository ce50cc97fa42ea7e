//! Rods brought to rest: steps that forget their velocities and grow longer, until nothing moves any more.

use crate::band::NotPositive;
use crate::rod::{Rod, StepContext, StepSystem};
use glam::DVec3;

/// A step that moves a point by more than this share of the rod's length is long [-].
const FAR: f64 = 0.02;

/// How a rod is brought to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statics {
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// Time at which ends are where they are [s].
    pub time: f64,
    /// The point that coordinates start from [m].
    pub origin: DVec3,
    /// First step [s].
    pub first_dt: f64,
    /// Longest step [s]: far longer than the slowest swing, for then a step goes all the way to where forces would balance if they were linear.
    pub longest_dt: f64,
    /// At rest when no point moves by more than this share of the rod's length in the longest step [-].
    pub tolerance: f64,
    /// Most steps.
    pub steps: usize,
}

/// Why a rod did not come to rest.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StaticsError {
    /// Steps were used up.
    #[error("not at rest after {steps} steps: points still move by {moves} of the length")]
    StillMoving {
        /// Steps taken.
        steps: usize,
        /// Largest motion of a point in the last step, as a share of the rod's length [-].
        moves: f64,
    },
    /// A step that cannot be solved.
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
    /// Brings a rod to rest; says in how many steps.
    ///
    /// Pseudo-transient continuation [Kelley1998]: steps grow as the rod comes to rest. They are shortened where it moves too far
    /// for forces to be linear.
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
            dt = if moves <= FAR { (2.0 * dt).min(self.longest_dt) } else { 0.5 * dt };
        }
        Err(StaticsError::StillMoving { steps: self.steps, moves })
    }

    /// One step [s] that ends at rest; returns the largest motion of a point in it [m].
    pub fn relax(&self, rod: &mut dyn Rod, dt: f64) -> Result<f64, NotPositive> {
        // Ends are driven to where they are at the end of a step.
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

/// Takes a rod's velocities away.
fn stop(rod: &mut dyn Rod) {
    let here = StepContext { time: 0.0, dt: 0.0, gravity: DVec3::ZERO, origin: DVec3::ZERO };
    rod.advance(&vec![0.0; rod.unknowns()], &here);
}
