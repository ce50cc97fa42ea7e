//! One time step: semi-implicit Euler in corotated frames [Martin2010, Sec. 9.3].

use crate::contacts::Contacts;
use crate::cutting::cut;
use crate::discretization::Uncovered;
use crate::linear::NotPositive;
use crate::matter::BodyFlaw;
use crate::momentum::{free_momenta, restore};
use crate::plasticity::update_plastic_strains;
use crate::reference::prepare_factor;
use crate::resampling::resample_if_due;
use crate::step_system::{Solution, Span, StepSystem};
use crate::workspace::Workspace;
use crate::world::{Params, State};
use fibra_core::stages;

stages! {
    /// Stages of a step, in order.
    pub enum Stage {
        /// Resampling, merging and cutting: changes of the rest shape.
        Topology = "topology",
        /// Assembly of the matrix, when a new factor is needed.
        Assemble = "assemble",
        /// Factorization of the matrix.
        Factor = "factor",
        /// Contact detection of the cloud's spheres with colliders and with each other.
        Contacts = "contacts",
        /// Solution for the new velocities by conjugate gradients.
        Solve = "solve",
        /// Update of displacements, slips of contacts and plastic strains.
        Plasticity = "plasticity",
    }
}

/// Reason why a step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Part of the material is outside the support of every sample.
    #[error(transparent)]
    Uncovered(#[from] Uncovered),
    /// The matrix of the step cannot be factored.
    #[error(transparent)]
    Unsolvable(#[from] NotPositive),
    /// Resampling failed.
    #[error(transparent)]
    Resampling(#[from] BodyFlaw),
    /// Conjugate gradients did not converge.
    #[error("the linear solver of the step did not converge: the relative residual is {residual:e}")]
    NotConverged {
        /// Residual relative to the right-hand side [-].
        residual: f64,
    },
    /// A velocity is not finite.
    #[error("the velocity of sample {sample} is not finite")]
    NotFinite {
        /// The sample.
        sample: usize,
    },
}

/// Takes one step that ends at `until` [s] at the latest. The step ends exactly at `until` if the remaining time is at
/// most `params.dt`. Returns the length of the step [s].
pub fn step(params: &Params, state: &mut State, work: &mut Workspace, until: f64) -> Result<f64, StepError> {
    let span = Span::next(params, state, until);
    let dt = span.dt;
    work.time(Stage::Topology, |work| update_topology(params, state, work, &span))?;
    prepare_factor(params, state, work, &span)?;
    let contacts = work.time(Stage::Contacts, |work| find_contacts(params, state, work, &span));
    let system = work.time(Stage::Solve, |work| StepSystem::new(params, state, work, span, contacts));
    let solution = system.solve(params, state, work)?;
    work.time(Stage::Solve, |work| update_velocities(params, state, work, &system, &solution))?;
    work.time(Stage::Plasticity, |work| {
        update_displacements(state, dt);
        state.slips = system.contacts.slips(&work.discretization, &state.velocities, dt);
        update_plastic_strains(params, state, &work.discretization, dt);
    });
    state.finish_step(system.span.end, solution.outcome.iterations as u64);
    Ok(dt)
}

/// Resamples, merges and cuts, and rebuilds the tables if the rest shape has changed.
fn update_topology(params: &Params, state: &mut State, work: &mut Workspace, span: &Span) -> Result<(), StepError> {
    resample_if_due(params, state, &work.discretization)?;
    work.rebuild_if_changed(params, state)?;
    cut(params, state, work, span.end)?;
    Ok(())
}

/// Finds and counts the contacts.
fn find_contacts(params: &Params, state: &State, work: &mut Workspace, span: &Span) -> Contacts {
    let contacts = Contacts::find(params, state, &work.discretization, span.dt, span.end);
    work.account.record_contacts(contacts.as_slice().len());
    contacts
}

/// Adds the solution to the velocities and restores the momentum of free bodies. Neither the tolerance of the solver
/// nor the use of constant frames during the step may change this momentum.
fn update_velocities(
    params: &Params,
    state: &mut State,
    work: &Workspace,
    system: &StepSystem,
    solution: &Solution,
) -> Result<(), StepError> {
    let tables = &work.discretization;
    let free = free_momenta(params, state, tables, &system.span, &system.contacts);
    state.velocities.iter_mut().zip(&solution.change).for_each(|(velocity, change)| *velocity += change);
    if !free.is_empty() {
        restore(params, state, tables, &tables.components, &free);
    }
    if let Some(at) = state.velocities.iter().position(|velocity| !velocity.is_finite()) {
        return Err(StepError::NotFinite { sample: at / tables.unknowns_per_sample() });
    }
    if !solution.outcome.converged {
        return Err(StepError::NotConverged { residual: solution.outcome.residual });
    }
    Ok(())
}

fn update_displacements(state: &mut State, dt: f64) {
    for (displacement, velocity) in state.displacements.iter_mut().zip(&state.velocities) {
        *displacement += dt * velocity;
    }
}
