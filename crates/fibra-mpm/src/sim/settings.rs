//! Settings of a simulation.

use super::error::MpmError;
use crate::params::{Implicit, Integrator, Kernel, StepLimits, Transfer};
use fibra_core::geometry::sampling::Pattern;
use glam::DVec3;

/// Settings of a simulation with the material point method.
///
/// ```
/// use fibra_mpm::{MpmSettings, Transfer};
///
/// let settings = MpmSettings { dx: 0.01, transfer: Transfer::Apic { damping: 100.0 }, ..MpmSettings::default() };
/// assert!(settings.check().is_ok());
/// let error = MpmSettings { dx: 0.0, ..settings }.check().unwrap_err();
/// assert_eq!(error.to_string(), "`dx` is 0; it must be positive and finite [m]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MpmSettings {
    /// Width of a grid cell [m].
    pub dx: f64,
    /// B-spline between particles and grid.
    pub kernel: Kernel,
    /// Velocity transfer between particles and grid.
    pub transfer: Transfer,
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// Explicit or implicit steps.
    pub integrator: Integrator,
    /// Bounds on the time step.
    pub limits: StepLimits,
    /// Origin of the particles' 32-bit coordinates [m]; choose a point near the objects.
    pub origin: DVec3,
    /// Number of particles per cell of a solid, at least 1 [-].
    pub particles_per_cell: u32,
    /// Arrangement of the particles in a solid.
    pub pattern: Pattern,
    /// Seed of the random particle positions [-].
    pub seed: u64,
}

impl Default for MpmSettings {
    /// Cells of 2 cm, quadratic splines, APIC, gravity of the Earth along -y, explicit steps, eight particles per cell.
    fn default() -> Self {
        MpmSettings {
            dx: 0.02,
            kernel: Kernel::default(),
            transfer: Transfer::default(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            integrator: Integrator::default(),
            limits: StepLimits::default(),
            origin: DVec3::ZERO,
            particles_per_cell: 8,
            pattern: Pattern::Jittered,
            seed: 0,
        }
    }
}

impl MpmSettings {
    /// Returns an error if a setting is out of range.
    pub fn check(&self) -> Result<(), MpmError> {
        // The grid spacing is stored in 32 bits, where tiny values become zero.
        let dx = f64::from(self.dx as f32);
        require(dx > 0.0 && dx.is_finite(), "dx", self.dx, "positive and finite [m]")?;
        require_finite(self.gravity, "gravity", "finite [m/s^2]")?;
        require_finite(self.origin, "origin", "finite [m]")?;
        let per_cell = f64::from(self.particles_per_cell);
        require(per_cell >= 1.0, "particles_per_cell", per_cell, "at least 1 [-]")?;
        check_limits(&self.limits)?;
        check_transfer(self.transfer)?;
        match self.integrator {
            Integrator::Explicit => Ok(()),
            Integrator::Implicit(implicit) => check_implicit(implicit),
        }
    }

    /// Returns the distance between neighboring particles of a solid [m].
    pub fn particle_spacing(&self) -> f64 {
        self.dx / f64::from(self.particles_per_cell).cbrt()
    }
}

fn check_limits(limits: &StepLimits) -> Result<(), MpmError> {
    let StepLimits { cfl, sound_cfl, max_dt, min_dt } = *limits;
    for (field, value) in [("limits.cfl", cfl), ("limits.sound_cfl", sound_cfl)] {
        require(value > 0.0 && value < 1.0, field, value.into(), "above 0 and below 1 [-]")?;
    }
    require(max_dt > 0.0 && max_dt.is_finite(), "limits.max_dt", max_dt, "positive and finite [s]")?;
    let allowed = "not negative and not above `limits.max_dt` [s]";
    require(min_dt >= 0.0 && min_dt <= max_dt, "limits.min_dt", min_dt, allowed)
}

fn check_transfer(transfer: Transfer) -> Result<(), MpmError> {
    let share = |field, value: f32| require((0.0..=1.0).contains(&value), field, value.into(), "from 0 to 1 [-]");
    match transfer {
        Transfer::Pic => Ok(()),
        Transfer::Apic { damping } => {
            let holds = damping >= 0.0 && damping.is_finite();
            require(holds, "transfer.damping", damping.into(), "not negative and finite [1/s]")
        }
        Transfer::Flip { ratio } => share("transfer.ratio", ratio),
        Transfer::Sflip { ratio, trap_breaking: [compressing, separating] } => {
            share("transfer.ratio", ratio)?;
            share("transfer.trap_breaking", compressing)?;
            share("transfer.trap_breaking", separating)
        }
    }
}

fn check_implicit(implicit: Implicit) -> Result<(), MpmError> {
    let Implicit { newton_iterations, linear_iterations, tolerance } = implicit;
    for (field, value) in
        [("integrator.newton_iterations", newton_iterations), ("integrator.linear_iterations", linear_iterations)]
    {
        require(value >= 1, field, value.into(), "at least 1 [-]")?;
    }
    let is_share = tolerance > 0.0 && tolerance < 1.0;
    require(is_share, "integrator.tolerance", tolerance.into(), "above 0 and below 1 [-]")
}

fn require(holds: bool, field: &'static str, value: f64, allowed: &'static str) -> Result<(), MpmError> {
    if holds { Ok(()) } else { Err(MpmError::Setting { field, value, allowed }) }
}

/// Rejects a vector with a component that is not finite, or not finite in 32 bits.
fn require_finite(vector: DVec3, field: &'static str, allowed: &'static str) -> Result<(), MpmError> {
    vector.to_array().into_iter().try_for_each(|value| require((value as f32).is_finite(), field, value, allowed))
}
