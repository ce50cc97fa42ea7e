//! One step: bodies without contact, contacts, impulses, motion [Bertails2011, Sec. 3 and 4].

use crate::body::Body;
use crate::contact::detection::{Surroundings, detect, largest_approach};
use crate::contact::{Contact, ContactKey};
use crate::one_step::islands::{Island, islands};
use crate::one_step::rows::{FreeBody, Numbering, Row};
use crate::one_step::solve::{ContactReport, IslandProblem, SolverSettings};
use crate::rod::{StepContext, StepSystem};
use crate::world::{Account, Params, State, Touch};
use fibra_core::geometry::PlacedCollider;
use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Most parts a step is cut into.
const MOST_PARTS: f64 = 256.0;
/// Speed that impulses are measured by where there is no gravity: this share of a radius in a step [-].
const SLOW: f64 = 1e-3;

const FORM: usize = 0;
const DETECT: usize = 1;
const ROWS: usize = 2;
const SOLVE: usize = 3;
const ADVANCE: usize = 4;

/// Why a step could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A body's equations have no unique answer.
    #[error("the equations of body {body} cannot be solved")]
    Unsolvable {
        /// The body.
        body: usize,
    },
    /// A velocity is not finite.
    #[error("a velocity of body {body} is not finite")]
    NotFinite {
        /// The body.
        body: usize,
    },
    /// Bodies move past each other too fast for any step.
    #[error("bodies approach by {approach:.0} times their thickness in a step")]
    TooFast {
        /// Largest approach in a step over the sum of the radii [-].
        approach: f64,
    },
}

/// Advances the state by one step, no further than `until` [s]; returns its length [s].
pub fn step(params: &Params, state: &mut State, account: &mut Account, until: f64) -> Result<f64, StepError> {
    // Equal steps to `until`; the little is for rounding.
    let steps = ((until - state.time) / params.dt - 1e-6).ceil().max(1.0);
    let (start, dt) = (state.time, (until - state.time) / steps);
    let end = if steps == 1.0 { until } else { start + dt };
    let context = |part: f64, parts: f64| StepContext {
        time: start + dt * part / parts,
        dt: dt / parts,
        gravity: params.gravity,
        origin: params.origin,
    };
    let whole = context(0.0, 1.0);
    let free = free_steps(&mut state.bodies, account, &whole)?;
    let approach = largest_approach(&surroundings(params, state, &free.1, &[], &FxHashMap::default(), dt));
    if approach > MOST_PARTS || approach.is_nan() {
        return Err(StepError::TooFast { approach });
    }
    let parts = approach.ceil().max(1.0);
    if parts == 1.0 {
        step_part(params, state, account, &whole, free)?;
    } else {
        for part in 0..parts as u64 {
            let context = context(part as f64, parts);
            let free = free_steps(&mut state.bodies, account, &context)?;
            step_part(params, state, account, &context, free)?;
        }
    }
    state.time = end;
    state.steps += 1;
    Ok(dt)
}

fn surroundings<'a>(
    params: &'a Params,
    state: &'a State,
    velocities: &'a [Vec<DVec3>],
    colliders: &'a [PlacedCollider],
    normals: &'a FxHashMap<ContactKey, DVec3>,
    dt: f64,
) -> Surroundings<'a> {
    let (bodies, surfaces, gravity) = (&state.bodies, &params.surfaces, params.gravity);
    Surroundings { bodies, velocities, surfaces, colliders, dt, gravity, normals }
}

/// Every body's step without contact, and the velocities of its points at the end of it [m/s].
type FreeSteps = (Vec<FreeBody>, Vec<Vec<DVec3>>);

/// A step before its contacts are solved.
pub struct Prepared {
    /// Every body's step without contact.
    pub free: Vec<FreeBody>,
    /// All contacts.
    pub contacts: Vec<Contact>,
    /// Groups of bodies in touch, where their unknowns are, and the rows of their contacts.
    pub islands: Vec<(Island, Numbering, Vec<Row>)>,
}

/// Moves the bodies by a part of a step.
fn step_part(
    params: &Params,
    state: &mut State,
    account: &mut Account,
    context: &StepContext,
    free: FreeSteps,
) -> Result<(), StepError> {
    let Prepared { free, contacts, islands } = find_contacts(params, state, account, context, free);
    let clock = Instant::now();
    let solved: Vec<Solved> =
        islands.par_iter().map(|island| solve(params, state, &free, &contacts, island, context)).collect();
    account.seconds[SOLVE] += clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let mut velocities: Vec<Vec<f64>> = free.into_iter().map(|body| body.velocities).collect();
    let mut touches = Vec::with_capacity(contacts.len());
    let mut report = ContactReport::default();
    for ((island, numbering, _), solved) in islands.iter().zip(solved) {
        for &body in &island.bodies {
            let first = numbering.first[body];
            let count = velocities[body].len();
            velocities[body].copy_from_slice(&solved.velocities[first..first + count]);
        }
        touches.extend(solved.touches);
        report = report.merge(solved.report);
    }
    account.note(report);
    touches.sort_unstable_by_key(|touch| touch.key);
    state.contacts = touches;
    if let Some(body) = velocities.iter().position(|v| !v.iter().all(|v| v.is_finite())) {
        return Err(StepError::NotFinite { body });
    }
    state.bodies.par_iter_mut().zip(&velocities).for_each(|(body, v)| body.advance(v, context));
    account.seconds[ADVANCE] += clock.elapsed().as_secs_f64();
    Ok(())
}

/// Forms a step: bodies without contact, contacts, and the problems they pose.
pub fn prepare(
    params: &Params,
    state: &mut State,
    account: &mut Account,
    context: &StepContext,
) -> Result<Prepared, StepError> {
    let free = free_steps(&mut state.bodies, account, context)?;
    Ok(find_contacts(params, state, account, context, free))
}

fn free_steps(bodies: &mut [Body], account: &mut Account, context: &StepContext) -> Result<FreeSteps, StepError> {
    let clock = Instant::now();
    let free = bodies
        .par_iter_mut()
        .enumerate()
        .map(|(body, b)| free_step(b, context).ok_or(StepError::Unsolvable { body }))
        .collect::<Result<Vec<FreeBody>, _>>()?;
    let velocities = bodies.par_iter().zip(&free).map(|(body, free)| body.velocities_with(&free.velocities)).collect();
    account.seconds[FORM] += clock.elapsed().as_secs_f64();
    Ok((free, velocities))
}

fn find_contacts(
    params: &Params,
    state: &State,
    account: &mut Account,
    context: &StepContext,
    (free, velocities): FreeSteps,
) -> Prepared {
    let clock = Instant::now();
    let placed: Vec<PlacedCollider> = params.colliders.iter().map(|c| c.place(context.time, params.origin)).collect();
    let normals = state.contacts.iter().map(|touch| (touch.key, touch.normal)).collect();
    let contacts = detect(&surroundings(params, state, &velocities, &placed, &normals, context.dt));
    account.seconds[DETECT] += clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let islands = islands(state.bodies.len(), &contacts)
        .into_par_iter()
        .map(|island| {
            let (numbering, rows) = rows_of(&island, &state.bodies, &free, &contacts, context.dt);
            (island, numbering, rows)
        })
        .collect();
    account.seconds[ROWS] += clock.elapsed().as_secs_f64();
    Prepared { free, contacts, islands }
}

/// A body's step without contact.
fn free_step(body: &mut Body, context: &StepContext) -> Option<FreeBody> {
    let mut system = StepSystem::default();
    body.form(context, &mut system);
    let factor = system.operator.clone().factor().ok()?;
    let mut velocities = system.impulse;
    factor.solve(&mut velocities);
    Some(FreeBody { operator: system.operator, factor, velocities })
}

/// Numbers the unknowns of an island and makes the rows of its contacts.
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

/// What came of an island.
struct Solved {
    velocities: Vec<f64>,
    touches: Vec<Touch>,
    report: ContactReport,
}

impl Prepared {
    /// The problem of an island, by its index.
    pub fn problem<'a>(&'a self, island: usize, params: &Params, bodies: &[Body], dt: f64) -> IslandProblem<'a> {
        problem(&self.islands[island], &self.free, params, bodies, dt)
    }
}

fn problem<'a>(
    (island, numbering, rows): &'a (Island, Numbering, Vec<Row>),
    free: &'a [FreeBody],
    params: &Params,
    bodies: &[Body],
    dt: f64,
) -> IslandProblem<'a> {
    let mut start = Vec::with_capacity(numbering.unknowns);
    island.bodies.iter().for_each(|&body| start.extend_from_slice(&free[body].velocities));
    // A typical mass gets this speed from its weight in a step.
    let radius = island.bodies.iter().map(|&body| bodies[body].radius()).fold(f64::INFINITY, f64::min);
    let speed = (dt * params.gravity.length()).max(SLOW * radius / dt);
    let mass = rows.iter().map(|row| row.rho).sum::<f64>() / rows.len() as f64;
    IslandProblem { rows, bodies: &island.bodies, free, numbering, unit: mass * speed, start }
}

fn solve(
    params: &Params,
    state: &State,
    free: &[FreeBody],
    contacts: &[Contact],
    prepared: &(Island, Numbering, Vec<Row>),
    context: &StepContext,
) -> Solved {
    let dt = context.dt;
    let island = &prepared.0;
    // From the forces of the step before.
    let mut r: Vec<DVec3> = island
        .contacts
        .iter()
        .map(|&index| {
            let contact = &contacts[index];
            let known = state.contacts.binary_search_by_key(&contact.key, |touch| touch.key);
            let force = known.map_or(DVec3::ZERO, |at| state.contacts[at].force);
            DVec3::from_array(contact.axes().map(|axis| dt * axis.dot(force)))
        })
        .collect();
    let problem = problem(prepared, free, params, &state.bodies, dt);
    // Each island has its share of the error that the whole step is allowed.
    let share = island.contacts.len() as f64 / contacts.len() as f64;
    let settings = SolverSettings { tolerance: share * params.solver.tolerance, ..params.solver };
    let (velocities, report) = problem.solve(&settings, &mut r);
    let touch = |(&index, r): (&usize, &DVec3)| {
        let contact = &contacts[index];
        let force = contact.axes().iter().zip(r.to_array()).fold(DVec3::ZERO, |sum, (axis, r)| sum + r / dt * *axis);
        Touch { key: contact.key, normal: contact.normal, force }
    };
    Solved { velocities, touches: island.contacts.iter().zip(&r).map(touch).collect(), report }
}
