//! Settings of a rod simulation.

use crate::error::{RodError, in_range};
use crate::one_step::solve::SolverSettings;
use crate::rod::Integrator;
use glam::DVec3;

/// Global settings of a simulation.
///
/// ```
/// use fibra_rods::{RodError, RodSettings};
///
/// let settings = RodSettings { dt: 5e-4, ..RodSettings::default() };
/// settings.check()?;
/// let message = RodSettings { dt: 0.0, ..settings }.check().unwrap_err().to_string();
/// assert_eq!(message, "the time step `dt` is 0; it must be positive and finite, in s");
/// # Ok::<(), RodError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodSettings {
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// Longest time step [s]. A step is split if bodies would approach by more than their thickness.
    pub dt: f64,
    /// The run origin [m], a point near the scene. Coordinates are stored relative to it, for precision.
    pub origin: DVec3,
    /// The time integrator.
    pub integrator: Integrator,
    /// Settings of the contact solver.
    pub solver: SolverSettings,
}

impl Default for RodSettings {
    /// Earth's gravity along -y and a time step of 1 ms.
    fn default() -> RodSettings {
        RodSettings {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            dt: 1e-3,
            origin: DVec3::ZERO,
            integrator: Integrator::Euler,
            solver: SolverSettings::default(),
        }
    }
}

impl RodSettings {
    /// Validates the settings.
    pub fn check(&self) -> Result<(), RodError> {
        in_range("time step `dt`", self.dt, self.dt > 0.0, "positive and finite, in s")?;
        for (what, value) in [("gravity [m/s^2]", self.gravity), ("origin [m]", self.origin)] {
            if !value.is_finite() {
                return Err(RodError::VectorNotFinite { what, value });
            }
        }
        let SolverSettings { tolerance, newton_iterations, sweeps, .. } = self.solver;
        in_range("solver `tolerance`", tolerance, tolerance > 0.0, "positive and finite")?;
        for (what, count) in [("solver `newton_iterations`", newton_iterations), ("solver `sweeps`", sweeps)] {
            in_range(what, count as f64, count > 0, "at least 1")?;
        }
        Ok(())
    }
}
