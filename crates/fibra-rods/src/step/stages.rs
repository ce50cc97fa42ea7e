//! The stages of a step.

use super::turning::{self, Turning};
use super::{Stage, StepError};
use crate::body::Body;
use crate::contact::{Contact, ContactKey, detection};
use crate::one_step::islands::{Island, islands};
use crate::one_step::rows::{FreeBody, Numbering, Row};
use crate::one_step::solve::{ContactReport, IslandProblem};
use crate::rod::{Integrator, StepContext, StepSystem};
use crate::world::{Params, State, Touch, Workspace};
use fibra_core::geometry::PlacedCollider;
use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::mem::take;

/// Largest number of substeps of a step.
const MAX_SUBSTEPS: f64 = 256.0;

/// A step whose contacts are detected but not yet solved.
pub struct Prepared {
    /// The step of every body without contact.
    pub free: Vec<FreeBody>,
    /// All contacts.
    pub contacts: Vec<Contact>,
    /// Islands: groups of bodies in contact, with the numbering of their unknowns and the rows of their contacts.
    pub islands: Vec<IslandRows>,
}

/// An island: a group of bodies in contact, with the numbering of their unknowns and the rows of their contacts.
pub type IslandRows = (Island, Numbering, Vec<Row>);

/// Prepares a step: assembles the bodies without contact, detects contacts and sets up the contact problems.
pub fn prepare(params: &Params, state: &mut State, context: &StepContext) -> Result<Prepared, StepError> {
    let mut workspace = Workspace::default();
    form(params, state, &mut workspace, context)?;
    let contacts = detect(params, state, &mut workspace, context);
    let islands = rows(state, &mut workspace, &contacts, context);
    Ok(Prepared { free: workspace.free, contacts, islands })
}

impl Prepared {
    /// Returns the contact problem of an island, by its index.
    pub fn problem(&self, island: usize) -> IslandProblem<'_> {
        problem(&self.islands[island], &self.free)
    }
}

/// Solves every body's step without contact, and computes the resulting velocities of its points.
pub(super) fn form(
    params: &Params,
    state: &mut State,
    workspace: &mut Workspace,
    context: &StepContext,
) -> Result<(), StepError> {
    let Workspace { clock, free, free_velocities, .. } = workspace;
    let (bodies, turning) = (&mut state.bodies, &mut state.turning);
    turning.resize(bodies.len(), Turning::default());
    clock.time(Stage::Form, || {
        free.resize_with(bodies.len(), FreeBody::default);
        let integrator = params.settings.integrator;
        let formed = bodies
            .par_iter_mut()
            .zip(turning.par_iter())
            .zip(free.par_iter_mut())
            .map(|(body, free)| free_step(body, free, context, integrator));
        if let Some(body) = formed.position_first(|solvable| !solvable) {
            return Err(StepError::Unsolvable { body });
        }
        bodies
            .par_iter()
            .zip(&*free)
            .map(|(body, free)| body.velocities_with(&free.velocities))
            .collect_into_vec(free_velocities);
        Ok(())
    })
}

/// Solves a body's step without contact. Returns false if its matrix is not positive definite.
fn free_step(
    (body, turning): (&mut Body, &Turning),
    free: &mut FreeBody,
    context: &StepContext,
    integrator: Integrator,
) -> bool {
    let integrator = body.integrator(integrator);
    let mut system = StepSystem { operator: take(&mut free.operator), impulse: take(&mut free.velocities), integrator };
    body.form(context, &mut system);
    free.restored = turning::restore(body, turning, &mut system, context.dt);
    free.integrator = integrator;
    (free.operator, free.velocities) = (system.operator, system.impulse);
    let solvable = free.factor.update(&free.operator).is_ok();
    if solvable {
        free.factor.solve(&mut free.velocities);
        if integrator == Integrator::Midpoint {
            // Extrapolates from the middle to the end of the step.
            free.velocities.iter_mut().zip(body.velocities()).for_each(|(v, before)| *v = 2.0 * *v - before);
        }
    }
    solvable
}

/// Returns the number of substeps of a step of `dt` [s]. In one substep, no two bodies may approach by more than the sum
/// of their radii.
pub(super) fn count_substeps(params: &Params, state: &State, workspace: &Workspace, dt: f64) -> Result<u64, StepError> {
    let around = surroundings(params, state, &workspace.free_velocities, &[], &workspace.before, dt);
    let approach = detection::largest_approach(&around);
    if approach > MAX_SUBSTEPS || approach.is_nan() {
        return Err(StepError::TooFast { approach });
    }
    Ok(approach.ceil().max(1.0) as u64)
}

/// Detects the contacts of a step.
pub(super) fn detect(params: &Params, state: &State, workspace: &mut Workspace, context: &StepContext) -> Vec<Contact> {
    let Workspace { clock, free_velocities, placed, before, .. } = workspace;
    clock.time(Stage::Detect, || {
        placed.clear();
        placed.extend(params.colliders.iter().map(|collider| collider.place(context.time, context.origin)));
        before.clear();
        before.extend(state.contacts.iter().map(|touch| (touch.key, *touch)));
        detection::detect(&surroundings(params, state, free_velocities, placed, before, context.dt))
    })
}

pub(super) fn surroundings<'a>(
    params: &'a Params,
    state: &'a State,
    velocities: &'a [Vec<DVec3>],
    colliders: &'a [PlacedCollider],
    before: &'a FxHashMap<ContactKey, Touch>,
    dt: f64,
) -> detection::Surroundings<'a> {
    let Params { surfaces, pairs, settings, .. } = params;
    let (bodies, gravity) = (&state.bodies, settings.gravity);
    detection::Surroundings { bodies, velocities, surfaces, pairs, colliders, dt, gravity, before }
}

/// Groups the bodies into islands and computes the rows of their contacts.
pub(super) fn rows(
    state: &State,
    workspace: &mut Workspace,
    contacts: &[Contact],
    context: &StepContext,
) -> Vec<IslandRows> {
    let Workspace { clock, free, .. } = workspace;
    clock.time(Stage::Rows, || {
        islands(state.bodies.len(), contacts)
            .into_par_iter()
            .map(|island| {
                let (numbering, rows) = rows_of(&island, &state.bodies, free, contacts, context);
                (island, numbering, rows)
            })
            .collect()
    })
}

/// Numbers the unknowns of an island and computes the rows of its contacts.
pub(super) fn rows_of(
    island: &Island,
    bodies: &[Body],
    free: &[FreeBody],
    contacts: &[Contact],
    context: &StepContext,
) -> (Numbering, Vec<Row>) {
    let mut numbering = Numbering { first: vec![0; bodies.len()], unknowns: 0 };
    for &body in &island.bodies {
        numbering.first[body] = numbering.unknowns;
        numbering.unknowns += bodies[body].unknowns();
    }
    let row = |&index: &usize| Row::new(&contacts[index], bodies, free, &numbering, context);
    let rows = island.contacts.par_iter().map(row).collect();
    (numbering, rows)
}

/// The solution of an island.
pub(super) struct Solved {
    velocities: Vec<f64>,
    touches: Vec<Touch>,
    report: ContactReport,
}

/// Solves all islands.
pub(super) fn solve(
    params: &Params,
    state: &State,
    workspace: &mut Workspace,
    contacts: &[Contact],
    islands: &[IslandRows],
    context: &StepContext,
) -> Vec<Solved> {
    let Workspace { clock, free, .. } = workspace;
    clock.time(Stage::Solve, || {
        let solve = |island| solve_island(params, state, free, contacts, island, context.dt);
        islands.par_iter().map(solve).collect()
    })
}

fn solve_island(
    params: &Params,
    state: &State,
    free: &[FreeBody],
    contacts: &[Contact],
    prepared: &IslandRows,
    dt: f64,
) -> Solved {
    let island = &prepared.0;
    // Warm start: the forces of the last step.
    let mut r: Vec<DVec3> = island
        .contacts
        .iter()
        .map(|&index| {
            let contact = &contacts[index];
            let previous = state.contacts.binary_search_by_key(&contact.key, |touch| touch.key);
            let force = previous.map_or(DVec3::ZERO, |at| state.contacts[at].force);
            DVec3::from_array(contact.axes().map(|axis| dt * axis.dot(force)))
        })
        .collect();
    let problem = problem(prepared, free);
    let (velocities, report) = problem.solve(&params.settings.solver, &mut r);
    let touch = |(&index, r): (&usize, &DVec3)| {
        let contact = &contacts[index];
        let force = contact.axes().iter().zip(r.to_array()).fold(DVec3::ZERO, |sum, (axis, r)| sum + r / dt * *axis);
        Touch { key: contact.key, share: contact.a.at.share, normal: contact.normal, force }
    };
    Solved { velocities, touches: island.contacts.iter().zip(&r).map(touch).collect(), report }
}

fn problem<'a>((island, numbering, rows): &'a IslandRows, free: &'a [FreeBody]) -> IslandProblem<'a> {
    let mut start = Vec::with_capacity(numbering.unknowns);
    island.bodies.iter().for_each(|&body| start.extend_from_slice(&free[body].velocities));
    let unit = rows.iter().map(|row| row.unit).sum::<f64>() / rows.len() as f64;
    IslandProblem { rows, bodies: &island.bodies, free, numbering, unit, start }
}

/// Advances the bodies with the computed velocities, and stores the contacts for the next step.
pub(super) fn advance(
    state: &mut State,
    workspace: &mut Workspace,
    islands: &[IslandRows],
    solved: Vec<Solved>,
    context: &StepContext,
) -> Result<(), StepError> {
    let Workspace { clock, free, last, .. } = workspace;
    clock.time(Stage::Advance, || {
        state.contacts.clear();
        *last = ContactReport::default();
        let mut grounded = Vec::new();
        for ((island, numbering, _), solved) in islands.iter().zip(solved) {
            let collides = |touch: &Touch| touch.key.b[0] == ContactKey::COLLIDER && touch.force != DVec3::ZERO;
            if solved.touches.iter().any(collides) || !turning::are_free(&island.bodies, state) {
                grounded.extend(&island.bodies);
            }
            for &body in &island.bodies {
                let velocities = &mut free[body].velocities;
                let (first, count) = (numbering.first[body], velocities.len());
                velocities.copy_from_slice(&solved.velocities[first..first + count]);
            }
            state.contacts.extend(solved.touches);
            *last = last.merge(solved.report);
        }
        state.statistics.add(last);
        state.contacts.sort_unstable_by_key(|touch| touch.key);
        if let Some(body) = free.iter().position(|free| !free.velocities.iter().all(|v| v.is_finite())) {
            return Err(StepError::NotFinite { body });
        }
        let bodies = state.bodies.par_iter_mut().zip(state.turning.par_iter_mut());
        bodies.zip(free).for_each(|((body, turning), free)| advance_body(body, turning, free, context));
        grounded.into_iter().for_each(|body: usize| state.turning[body] = Turning::default());
        Ok(())
    })
}

/// Advances a body with the velocities at the end of the step.
fn advance_body(body: &mut Body, turning: &mut Turning, free: &FreeBody, context: &StepContext) {
    match free.integrator {
        Integrator::Euler => {
            let intended = turning::intended(body, &free.operator, &free.velocities, context.dt);
            body.advance(&free.velocities, context);
            turning.update(intended, body.momenta().about_center(), free.restored, 1.0 + context.dt * body.drag());
        }
        Integrator::Midpoint => {
            let mean: Vec<f64> = body.velocities().iter().zip(&free.velocities).map(|(a, b)| 0.5 * (a + b)).collect();
            body.advance(&mean, context);
            // A step of length zero changes only the velocities.
            body.advance(&free.velocities, &StepContext { time: context.time + context.dt, dt: 0.0, ..*context });
        }
    }
}
