//! One time step of the method.

use crate::display_grains::follow;
use crate::elements::update_meshes;
use crate::g2p::g2p;
use crate::grid_update::grid_update;
use crate::implicit::implicit_update;
use crate::p2g::p2g;
use crate::params::{Integrator, Params};
use crate::pins::release;
use crate::sort::sort;
use crate::state::State;
use crate::step_error::{check_before_step, check_finite};
use crate::timestep::{StepSpan, stable_dt};
use crate::workspace::{Stage, Workspace};

pub use crate::start::start;
pub use crate::step_error::StepError;

/// Advances the state by one step, no further than `until` [s]; returns the time step [s].
pub fn step(params: &Params, state: &mut State, work: &mut Workspace, until: f64) -> Result<f64, StepError> {
    // The whole step runs on one of the pool's threads. If it ran on an outside thread, each of its many parallel loops would have to wake the pool
    // and then wait to be woken.
    rayon::scope(|_| step_in_pool(params, state, work, until))
}

fn step_in_pool(params: &Params, state: &mut State, work: &mut Workspace, until: f64) -> Result<f64, StepError> {
    check_before_step(params, state)?;
    let stable = stable_dt(params, state).map_err(StepError::TooShort)?;
    release(params, state);
    let span = StepSpan::fit(params, state, stable, until);
    let colliders = params.place_colliders(span.end);

    work.timed(Stage::Sort, |work| sort(params, state, work))?;
    match &params.integrator {
        Integrator::Explicit => {
            work.timed(Stage::P2g, |work| p2g(params, state, &mut work.grid, span.dt as f32));
            work.timed(Stage::GridUpdate, |work| grid_update(params, &colliders, &mut work.grid, span.dt as f32));
        }
        Integrator::Implicit(settings) => {
            // A time step of 0 omits the impulse of internal forces, which the implicit solve computes.
            work.timed(Stage::P2g, |work| p2g(params, state, &mut work.grid, 0.0));
            work.timed(Stage::GridUpdate, |work| {
                implicit_update(params, settings, &colliders, state, work, (span.dt as f32, span.end));
            });
        }
    }
    state.extremes = work.timed(Stage::G2p, |work| g2p(params, state, &work.grid, span.dt as f32));
    work.timed(Stage::Elements, |work| update_meshes(params, &colliders, state, work, span.end));
    work.timed(Stage::Grains, |work| follow(params, &colliders, state, &work.grid, (span.dt, span.is_last)));

    state.time = span.end;
    state.steps += 1;
    check_finite(state)?;
    Ok(span.dt)
}
