//! The stages of a step.

use super::{Stage, StepError};
use crate::body::Body;
use crate::contact::{Contact, detection};
use crate::one_step::islands::{Island, islands};
use crate::one_step::rows::{FreeBody, Numbering, Row};
use crate::one_step::solve::{ContactReport, IslandProblem, SolverSettings};
use crate::rod::{StepContext, StepSystem};
use crate::world::{Params, State, Touch, Workspace};
use fibra_core::geometry::PlacedCollider;
use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::mem::take;

/// Largest number of substeps of a step.
const MAX_SUBSTEPS: f64 = 256.0;
/// Lower bound of the velocity scale of impulses, as a fraction of a radius per step [-]. It applies if there is no
/// gravity.
const MIN_RELATIVE_SPEED: f64 = 1e-3;

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
    form(state, &mut workspace, context)?;
    let contacts = detect(params, state, &mut workspace, context);
    let islands = rows(state, &mut workspace, &contacts, context);
    Ok(Prepared { free: workspace.free, contacts, islands })
}

impl Prepared {
    /// Returns the contact problem of an island, by its index.
    pub fn problem<'a>(&'a self, island: usize, params: &Params, bodies: &[Body], dt: f64) -> IslandProblem<'a> {
        problem(&self.islands[island], &self.free, params, bodies, dt)
    }
}

/// Solves every body's step without contact, and computes the resulting velocities of its points.
pub(super) fn form(state: &mut State, workspace: &mut Workspace, context: &StepContext) -> Result<(), StepError> {
    let Workspace { clock, free, free_velocities, .. } = workspace;
    let bodies = &mut state.bodies;
    clock.time(Stage::Form, || {
        free.resize_with(bodies.len(), FreeBody::default);
        let formed = bodies.par_iter_mut().zip(free.par_iter_mut()).map(|(body, free)| free_step(body, free, context));
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
fn free_step(body: &mut Body, free: &mut FreeBody, context: &StepContext) -> bool {
    let mut system = StepSystem { operator: take(&mut free.operator), impulse: take(&mut free.velocities) };
    body.form(context, &mut system);
    (free.operator, free.velocities) = (system.operator, system.impulse);
    let solvable = free.factor.update(&free.operator).is_ok();
    if solvable {
        free.factor.solve(&mut free.velocities);
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

fn surroundings<'a>(
    params: &'a Params,
    state: &'a State,
    velocities: &'a [Vec<DVec3>],
    colliders: &'a [PlacedCollider],
    before: &'a FxHashMap<crate::contact::ContactKey, Touch>,
    dt: f64,
) -> detection::Surroundings<'a> {
    let (bodies, surfaces, gravity) = (&state.bodies, &params.surfaces, params.settings.gravity);
    detection::Surroundings { bodies, velocities, surfaces, colliders, dt, gravity, before }
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
                let (numbering, rows) = rows_of(&island, &state.bodies, free, contacts, context.dt);
                (island, numbering, rows)
            })
            .collect()
    })
}

/// Numbers the unknowns of an island and computes the rows of its contacts.
fn rows_of(
    island: &Island,
    bodies: &[Body],
    free: &[FreeBody],
    contacts: &[Contact],
    dt: f64,
) -> (Numbering, Vec<Row>) {
    let mut numbering = Numbering { first: vec![0; bodies.len()], unknowns: 0 };
    for &body in &island.bodies {
        numbering.first[body] = numbering.unknowns;
        numbering.unknowns += bodies[body].unknowns();
    }
    let row = |&index: &usize| Row::new(&contacts[index], bodies, free, &numbering, dt);
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
    let problem = problem(prepared, free, params, &state.bodies, dt);
    // Each island gets a share of the tolerance, in proportion to its number of contacts.
    let share = island.contacts.len() as f64 / contacts.len() as f64;
    let solver = params.settings.solver;
    let (velocities, report) = problem.solve(&SolverSettings { tolerance: share * solver.tolerance, ..solver }, &mut r);
    let touch = |(&index, r): (&usize, &DVec3)| {
        let contact = &contacts[index];
        let force = contact.axes().iter().zip(r.to_array()).fold(DVec3::ZERO, |sum, (axis, r)| sum + r / dt * *axis);
        Touch { key: contact.key, share: contact.a.at.share, normal: contact.normal, force }
    };
    Solved { velocities, touches: island.contacts.iter().zip(&r).map(touch).collect(), report }
}

fn problem<'a>(
    (island, numbering, rows): &'a IslandRows,
    free: &'a [FreeBody],
    params: &Params,
    bodies: &[Body],
    dt: f64,
) -> IslandProblem<'a> {
    let mut start = Vec::with_capacity(numbering.unknowns);
    island.bodies.iter().for_each(|&body| start.extend_from_slice(&free[body].velocities));
    // Impulse scale: the typical mass times the speed that gravity adds in a step.
    let radius = island.bodies.iter().map(|&body| bodies[body].radius()).fold(f64::INFINITY, f64::min);
    let speed = (dt * params.settings.gravity.length()).max(MIN_RELATIVE_SPEED * radius / dt);
    let mass = rows.iter().map(|row| row.rho).sum::<f64>() / rows.len() as f64;
    IslandProblem { rows, bodies: &island.bodies, free, numbering, unit: mass * speed, start }
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
        for ((island, numbering, _), solved) in islands.iter().zip(solved) {
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
        state.bodies.par_iter_mut().zip(free).for_each(|(body, free)| body.advance(&free.velocities, context));
        Ok(())
    })
}
