//! One step: semi-implicit Euler in frames that turn with the material [Martin2010, Sec. 9.3].
//!
//! The matrix of a step differs from an earlier one mostly by the turn of its frames. An old factor, turned along sample by sample, is so
//! near that a few iterations of conjugate gradients make up for the rest; it is replaced when those have cost as much
//! as a new one would.

use crate::contacts::Contacts;
use crate::cutting::cut;
use crate::discretization::{Discretization, Uncovered};
use crate::equations::{Equations, Shares, frames};
use crate::forces::{Moment, right_hand_side};
use crate::law::strains;
use crate::linear::{NotPositive, Outcome, Stop, conjugate_gradients};
use crate::matter::BodyFlaw;
use crate::momentum::{Momentum, momenta, restore};
use crate::plasticity::flow;
use crate::resampling::resample;
use crate::workspace::Workspace;
use crate::world::{Params, Reference, State};
use rayon::prelude::*;
use std::time::Instant;

/// Error of the change of velocities in a step, relative to it [-].
const TOLERANCE: f64 = 1e-3;
/// Iterations after which a step is given up.
const MOST_ITERATIONS: usize = 2000;
/// Iterations after which an old factor is given up.
const MOST_WITH_OLD_FACTOR: usize = 150;
/// Iterations that a new factor costs, about.
const ITERATIONS_PER_FACTOR: u64 = 25;

/// Why there is no next state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Some part of the material is under no sample's influence.
    #[error(transparent)]
    Uncovered(#[from] Uncovered),
    /// The matrix of the step cannot be factored.
    #[error(transparent)]
    Unsolvable(#[from] NotPositive),
    /// Bodies cannot be sampled anew.
    #[error(transparent)]
    Resampling(#[from] BodyFlaw),
    /// Conjugate gradients did not get there.
    #[error("the step's equations were left with a residual of {residual:e}")]
    NotConverged {
        /// Residual relative to what drives the step [-].
        residual: f64,
    },
    /// A velocity is not finite.
    #[error("a velocity of sample {sample} is not finite")]
    NotFinite {
        /// The sample.
        sample: usize,
    },
}

/// Takes one step, no further than `until` [s], and lands on it where it is within reach. Returns its length [s].
pub fn step(params: &Params, state: &mut State, work: &mut Workspace, until: f64) -> Result<f64, StepError> {
    let left = until - state.time;
    let parts = (left / params.dt * (1.0 - 1e-9)).ceil().max(1.0);
    let dt = left / parts;
    let end = if parts == 1.0 { until } else { state.time + dt };
    let holding: Vec<bool> = params.holds.iter().map(|hold| end <= hold.until).collect();

    let started = Instant::now();
    if is_due(params, state) {
        let merge = params.resampling.is_some_and(|resampling| resampling.merge);
        *state = resample(params, state, &work.discretization, merge)?;
    }
    work.follow(params, state)?;
    cut(params, state, work, end)?;
    work.note(0, started);

    let reference = next_reference(state, &holding, dt);
    use_reference(params, state, work, reference)?;

    let started = Instant::now();
    let contacts = Contacts::find(params, state, &work.discretization, dt, end);
    work.account.contacts = contacts.touches().len();
    work.account.most_contacts = work.account.most_contacts.max(contacts.touches().len());
    work.note(3, started);

    let started = Instant::now();
    let frames = frames(&state.matter, &work.discretization.elastons, &state.displacements);
    let moment = Moment { dt, end, holding: &holding, frames: &frames };
    let mut right = right_hand_side(params, state, &work.discretization, &moment);
    contacts.add_pushes(&work.discretization, &mut right);
    let mut solution = solve(params, state, work, &moment, &contacts, &right);
    if !solution.outcome.converged && state.reference.as_ref().is_some_and(|reference| reference.fresh.is_some()) {
        // The old factor was too old.
        let reference = fresh_reference(state, &holding, dt);
        use_reference(params, state, work, reference)?;
        solution = solve(params, state, work, &moment, &contacts, &right);
    }
    let Solution { change, outcome } = solution;
    // Neither iterations that end nor frames that stand still for a step may take momentum.
    let free = free_momenta(params, state, &work.discretization, &moment, &contacts);
    state.velocities.iter_mut().zip(&change).for_each(|(velocity, change)| *velocity += change);
    if !free.is_empty() {
        restore(params, state, &work.discretization, &work.discretization.components, &free);
    }
    work.note(4, started);
    if let Some(at) = state.velocities.iter().position(|velocity| !velocity.is_finite()) {
        return Err(StepError::NotFinite { sample: at / work.discretization.unknowns_per_sample() });
    }
    if !outcome.converged {
        return Err(StepError::NotConverged { residual: outcome.residual });
    }
    age(&mut state.reference, outcome.iterations as u64);

    let started = Instant::now();
    for (displacement, velocity) in state.displacements.iter_mut().zip(&state.velocities) {
        *displacement += dt * velocity;
    }
    yield_to_strain(params, state, &work.discretization, dt);
    state.time = end;
    state.steps += 1;
    work.note(5, started);
    Ok(dt)
}

/// How velocities change in a step, and how it was found.
struct Solution {
    change: Vec<f64>,
    outcome: Outcome,
}

/// Solves a step's equations with the factor at hand.
fn solve(
    params: &Params,
    state: &State,
    work: &mut Workspace,
    moment: &Moment,
    contacts: &Contacts,
    right: &[f64],
) -> Solution {
    let turns = work.turns(state, moment.frames);
    let mut iteration = std::mem::take(&mut work.iteration);
    let equations = Equations {
        params,
        matter: &state.matter,
        discretization: &work.discretization,
        frames: moment.frames,
        holding: moment.holding,
        shares: Shares::of_step(params, moment.dt),
    };
    let multiply = |x: &[f64], y: &mut [f64]| {
        equations.multiply(x, y, &mut work.scratch.borrow_mut());
        contacts.add_product(&work.discretization, x, y);
    };
    // For the change of the velocities: what is driven by nothing does not change.
    let mut product = vec![0.0; right.len()];
    multiply(&state.velocities, &mut product);
    let residual: Vec<f64> = right.iter().zip(&product).map(|(right, product)| right - product).collect();
    let mut change = vec![0.0; residual.len()];
    let is_old = state.reference.as_ref().is_some_and(|reference| reference.fresh.is_some());
    let max_iterations = if is_old { MOST_WITH_OLD_FACTOR } else { MOST_ITERATIONS };
    let outcome = conjugate_gradients(
        multiply,
        |x, y| work.precondition(&turns, x, y),
        &residual,
        &mut change,
        Stop { tolerance: TOLERANCE, max_iterations },
        &mut iteration,
    );
    work.iteration = iteration;
    work.account.iterations += outcome.iterations as u64;
    Solution { change, outcome }
}

/// Has a factor of what a reference describes.
fn use_reference(
    params: &Params,
    state: &mut State,
    work: &mut Workspace,
    mut reference: Reference,
) -> Result<(), NotPositive> {
    if reference.fresh.is_none() {
        work.forget_factor();
    }
    work.factor(params, state, &mut reference)?;
    state.reference = Some(reference);
    Ok(())
}

/// Whether bodies are to be sampled anew before the next step.
fn is_due(params: &Params, state: &State) -> bool {
    let since = state.time - state.sampled.unwrap_or(0.0);
    params.resampling.is_some_and(|resampling| since >= resampling.interval * (1.0 - 1e-9))
}

/// The momenta that parts which nothing holds or touches have after a step; none for the others.
fn free_momenta(
    params: &Params,
    state: &State,
    discretization: &Discretization,
    moment: &Moment,
    contacts: &Contacts,
) -> Vec<Option<Momentum>> {
    let components = &discretization.components;
    let mut free = vec![true; components.iter().max().map_or(0, |&last| last as usize + 1)];
    let holds = params.holds.iter().zip(moment.holding).filter(|(_, holding)| **holding);
    let held = holds.flat_map(|(hold, _)| &hold.pieces).copied();
    let touched = contacts.touches().iter().flat_map(|touch| [Some(touch.piece), touch.other]).flatten();
    held.chain(touched).for_each(|piece| free[components[piece as usize] as usize] = false);
    if !free.contains(&true) {
        return Vec::new();
    }
    let now = momenta(params, state, discretization, components);
    now.iter().zip(free).map(|(now, free)| free.then(|| now.after(params, moment.dt))).collect()
}

/// What the factor of the next step is of: the last one's again, or the state of now.
fn next_reference(state: &State, holding: &[bool], dt: f64) -> Reference {
    let last = state.reference.as_ref();
    if let Some(last) = last {
        // What the first use of an old factor is expected to cost counts in advance.
        let expected = if last.excess == 0 { last.aged } else { 0 };
        if last.excess + expected <= ITERATIONS_PER_FACTOR {
            return last.clone();
        }
    }
    fresh_reference(state, holding, dt)
}

/// A reference to the state of now.
fn fresh_reference(state: &State, holding: &[bool], dt: f64) -> Reference {
    let last = state.reference.as_ref();
    Reference {
        displacements: state.displacements.clone(),
        dt,
        holding: holding.to_vec(),
        fresh: None,
        excess: 0,
        // By and by an old factor is tried again.
        aged: last.map_or(0, |last| last.aged - last.aged / 8),
        double: last.is_some_and(|last| last.double),
    }
}

/// Takes note of what a step has cost: more than the first with the same factor, because that is old.
fn age(reference: &mut Option<Reference>, iterations: u64) {
    let Some(reference) = reference else { return };
    match reference.fresh {
        None => reference.fresh = Some(iterations),
        Some(fresh) => {
            if reference.excess == 0 {
                reference.aged = iterations.saturating_sub(fresh);
            }
            reference.excess += iterations.saturating_sub(fresh);
        }
    }
}

/// Lets strain become permanent.
fn yield_to_strain(params: &Params, state: &mut State, discretization: &Discretization, dt: f64) {
    if params.objects.iter().all(|object| object.plasticity.is_none()) {
        return;
    }
    let State { matter, displacements, plastic, .. } = state;
    let table = &discretization.elastons;
    plastic.par_iter_mut().with_min_len(64).enumerate().for_each(|(at, permanent)| {
        let substance = &params.objects[discretization.substances[at] as usize];
        let Some(plasticity) = &substance.plasticity else { return };
        let elaston = &matter.elastons[at];
        let readings = table.read(at, displacements);
        let frame = crate::law::frame(&readings, elaston);
        let strains = strains(&readings, elaston, &frame);
        *permanent = flow(plasticity, &substance.elasticity, elaston, &strains, permanent, dt);
    });
}
