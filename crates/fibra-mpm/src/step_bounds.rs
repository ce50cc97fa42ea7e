//! Physical bounds on the time step: motion of particles, sound, bending and viscosity.

use crate::law::Batch;
use crate::params::{Integrator, Params};
use crate::state::State;
use fibra_materials::kind::Kind;

/// A bound on the time step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepBound {
    /// A particle crosses at most [`StepLimits::cfl`](crate::params::StepLimits::cfl) cells.
    Motion,
    /// Sound crosses at most [`StepLimits::sound_cfl`](crate::params::StepLimits::sound_cfl) cells.
    Sound,
    /// Bending vibrations are stable.
    Bending,
    /// Explicit diffusion of momentum is stable.
    Viscosity,
}

impl StepBound {
    /// Returns the reason for the bound, as a clause.
    pub fn because(self) -> &'static str {
        match self {
            StepBound::Motion => "the fastest particle crosses too many cells",
            StepBound::Sound => "sound crosses too many cells in the stiffest material",
            StepBound::Bending => "the stiffest mesh vibrates in bending",
            StepBound::Viscosity => "viscosity diffuses momentum across a cell",
        }
    }
}

/// Returns the strictest bound on the next step, and the step length that it allows [s], without the limits `min_dt` and `max_dt`.
pub fn strictest_bound(params: &Params, state: &State) -> (StepBound, f64) {
    let limits = &params.limits;
    let dx = params.dx as f64;
    let per_cell = |cells: f32, speed: f32| cells as f64 * dx / (speed as f64).max(1e-300);
    let viscous = params.substances.iter().map(|s| {
        // Explicit diffusion of momentum on a grid of spacing dx, in three dimensions.
        let nu = s.material.explicit_viscosity() as f64 / s.density as f64;
        dx * dx / (6.0 * nu).max(1e-300)
    });
    let bounds = [
        (StepBound::Motion, per_cell(limits.cfl, state.extremes.speed)),
        (StepBound::Sound, per_cell(limits.sound_cfl, state.extremes.wave_speed)),
        (StepBound::Bending, bending_dt(params)),
        (StepBound::Viscosity, viscous.fold(f64::INFINITY, f64::min)),
    ];
    // Backward Euler is stable for any step; only motion bounds it.
    let bounds = match params.integrator {
        Integrator::Explicit => &bounds[..],
        Integrator::Implicit(_) => &bounds[..1],
    };
    bounds.iter().fold((StepBound::Motion, f64::INFINITY), |a, &b| if b.1 < a.1 { b } else { a })
}

/// Returns the step length that bending allows [s]: as many periods of the fastest vibration as sound may take to cross a cell.
pub(crate) fn bending_dt(params: &Params) -> f64 {
    let rates = params.meshes.bending.rates.iter().map(|rate| rate.on_grid(f64::from(params.dx)));
    2.0 * f64::from(params.limits.sound_cfl) / rates.fold(1e-300, f64::max)
}

/// Returns the speed of sound in an object of points [m/s], at its first particle; `None` for meshes.
pub fn wave_speed(params: &Params, state: &State, object: u32) -> Option<f32> {
    let p = &state.particles;
    let i = (0..p.len()).find(|&i| p.object[i] == object && p.kind[i] == Kind::Point)?;
    let mut batch = Batch::default();
    for (to, f) in batch.f.iter_mut().zip(p.f[i].to_rows()) {
        to[0] = f;
    }
    batch.memory[0] = p.memory[i];
    if let Some(alignment) = p.alignment.get(i) {
        batch.alignment.iter_mut().zip(alignment).for_each(|(to, alignment)| to[0] = *alignment);
    }
    let substance = params.substance_of(object);
    substance.material.respond(&mut batch, 1, 0.0);
    Some((batch.modulus[0] / substance.density).sqrt())
}
