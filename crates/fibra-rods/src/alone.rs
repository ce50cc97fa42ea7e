//! A time step of a single rod without contact.

use crate::band::NotPositive;
use crate::rod::{Rod, StepContext, StepSystem};

/// Advances a rod by one step without contact; `system` is scratch.
pub fn step_alone(rod: &mut dyn Rod, step: &StepContext, system: &mut StepSystem) -> Result<(), NotPositive> {
    rod.form(step, system);
    let factor = std::mem::take(&mut system.operator).factor()?;
    factor.solve(&mut system.impulse);
    rod.advance(&system.impulse, step);
    Ok(())
}
