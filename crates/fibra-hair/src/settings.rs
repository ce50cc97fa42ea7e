//! Settings of a hair simulation.

use crate::error::{HairError, StrandError};
use crate::grid::GridSettings;
use crate::material::StrandMaterial;
use crate::params::StrandParams;

/// Relative tolerance on the maximum step length, for rounding [-].
const ROUNDING: f64 = 1e-3;

/// User settings. Moduli, density and grid settings default to [Huang2023, Table 2]; strand radius and drag are our own.
///
/// ```
/// use fibra_hair::HairSettings;
///
/// let settings = HairSettings { substeps: 1, ..HairSettings::default() };
/// settings.check()?;
/// let error = HairSettings { step: 0.02, ..settings }.check().unwrap_err();
/// assert!(error.to_string().starts_with("the step of the grid is 0.02; it must be"));
/// # Ok::<(), fibra_hair::StrandError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HairSettings {
    /// Material of the strands.
    pub material: StrandMaterial,
    /// Dynamics of individual strands.
    pub strands: StrandParams,
    /// Contact between strands.
    pub grid: GridSettings,
    /// Maximum time step of a grid substep [s].
    pub step: f32,
    /// Grid substeps per strand step.
    pub substeps: u32,
}

impl Default for HairSettings {
    /// The values of [Huang2023, Tables 1 and 2]: [`StrandMaterial::HAIR`], a strand step of three grid substeps of 1/360 s each.
    fn default() -> Self {
        HairSettings {
            material: StrandMaterial::HAIR,
            strands: StrandParams::default(),
            grid: GridSettings::default(),
            step: 1.0 / 360.0,
            substeps: 3,
        }
    }
}

/// The next strand step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NextStep {
    /// Step length [s].
    pub dt: f64,
    /// End time of the step [s].
    pub end: f64,
}

impl HairSettings {
    /// Rejects values out of range.
    pub fn check(&self) -> Result<(), StrandError> {
        self.material.check()?;
        self.strands.check()?;
        self.grid.check()?;
        let out_of_range = |what, value, allowed| Err(StrandError::OutOfRange { what, value, allowed });
        if !(self.step > 0.0 && self.step.is_finite()) {
            return out_of_range("step of the grid", self.step, "positive and finite, in s");
        }
        if self.step > self.grid.longest_step(self.material.density) {
            let allowed = "short enough that elastic waves cross at most 0.8 cells per step";
            return out_of_range("step of the grid", self.step, allowed);
        }
        if !(1..=100).contains(&self.substeps) {
            return out_of_range("number of substeps", self.substeps as f32, "from 1 to 100");
        }
        Ok(())
    }

    /// Returns the number of strand steps into which `dt` [s] is divided, and the length of a grid substep [s].
    pub fn steps_within(&self, dt: f32) -> (f64, f32) {
        let steps = (f64::from(dt) / self.longest_step() - ROUNDING).ceil().max(1.0);
        (steps, (f64::from(dt) / steps / f64::from(self.substeps)) as f32)
    }

    /// Returns the next step when `time` to `until` [s] is divided into the fewest equal strand steps.
    pub(crate) fn next_step(&self, time: f64, until: f64) -> NextStep {
        let remaining = until - time;
        let steps = (remaining / self.longest_step() - ROUNDING).ceil().max(1.0);
        let dt = remaining / steps;
        NextStep { dt, end: if steps == 1.0 { until } else { time + dt } }
    }

    /// Returns the maximum length of a strand step [s].
    fn longest_step(&self) -> f64 {
        f64::from(self.step) * f64::from(self.substeps)
    }
}

/// Rejects a duration that is not positive and finite [s].
pub(crate) fn check_time(dt: f64) -> Result<(), HairError> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    let (value, allowed) = (dt as f32, "positive and finite, in s");
    Err(StrandError::OutOfRange { what: "time to advance", value, allowed }.into())
}
