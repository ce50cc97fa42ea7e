//! Position-level contact: overlapping bodies are moved apart at the end of a step, without changing their velocities. Overlap thus never becomes
//! kinetic energy.
//!
//! A pass detects the overlaps at the current positions and finds the displacements `p` that are smallest in the norm of the step's matrix `A`:
//! ```text
//! A p = J_N^T lambda,   0 <= lambda  perpendicular to  gap + J_N p + tolerance >= 0
//! ```
//! Positions depend on `p` nonlinearly, and the solution is approximate. Further passes follow as long as overlaps are deep; shallow ones are left to
//! the next steps, because large corrections disturb a pile that settles.

use super::stages::{IslandRows, rows_of, surroundings};
use super::{Stage, turning};
use crate::contact::{Contact, detection};
use crate::one_step::islands::islands;
use crate::one_step::rows::gap_tolerance;
use crate::rod::StepContext;
use crate::world::{Params, State, Workspace};
use glam::DVec3;
use rayon::prelude::*;

/// Maximum number of passes per step.
const PASSES: usize = 4;
/// Overlap that needs another pass, relative to the radius of the thinner body [-]: 4 % of the thickness of two equal bodies.
const DEEP: f64 = 0.08;
/// Maximum number of Gauss-Seidel sweeps per pass.
const SWEEPS: usize = 20;
/// Largest overlap that a pass resolves, relative to the radius of the thinner body [-]. The displacements of deeper overlaps are not small.
const DEEPEST: f64 = 0.5;
/// A sweep that changes no gap by more than this fraction of the gap tolerance is the last one [-].
const CONVERGED: f64 = 0.1;

/// Moves overlapping bodies apart.
pub(super) fn separate(params: &Params, state: &mut State, workspace: &mut Workspace, context: &StepContext) {
    if state.contacts.is_empty() {
        return;
    }
    let Workspace { clock, free, free_velocities, placed, before, .. } = workspace;
    clock.time(Stage::Separate, || {
        free_velocities.iter_mut().for_each(|velocities| velocities.fill(DVec3::ZERO));
        placed.clear();
        let end = context.time + context.dt;
        placed.extend(params.colliders.iter().map(|collider| collider.place(end, context.origin)));
        before.clear();
        before.extend(state.contacts.iter().map(|touch| (touch.key, *touch)));
        for pass in 0..PASSES {
            let contacts = detection::detect(&surroundings(params, state, free_velocities, placed, before, 0.0));
            let allowed = |contact: &Contact| match pass {
                0 => gap_tolerance(contact, &state.bodies),
                _ => DEEP * contact.thinner_radius(&state.bodies),
            };
            let overlaps = |contact: &Contact| contact.gap < -allowed(contact);
            let overlapping: Vec<_> = islands(state.bodies.len(), &contacts)
                .into_iter()
                .filter(|island| island.contacts.iter().any(|&index| overlaps(&contacts[index])))
                .collect();
            if overlapping.is_empty() {
                return;
            }
            let displacements: Vec<(IslandRows, Vec<f64>)> = overlapping
                .into_par_iter()
                .map(|island| {
                    let (numbering, rows) = rows_of(&island, &state.bodies, free, &contacts, context);
                    let prepared = (island, numbering, rows);
                    let p = displacements(&prepared, &contacts, state);
                    (prepared, p)
                })
                .collect();
            for ((island, numbering, _), p) in displacements {
                let touches_collider = island.contacts.iter().any(|&index| contacts[index].b.is_none());
                let isolated = !touches_collider && turning::are_free(&island.bodies, state);
                // The angular momentum changes with the positions. Each rod restores its own part. The part of the orbital motion is restored by all.
                let mut orbital = DVec3::ZERO;
                for &body in &island.bodies {
                    let (first, count) = (numbering.first[body], state.bodies[body].unknowns());
                    let before = state.bodies[body].momenta();
                    state.bodies[body].shift(&p[first..first + count]);
                    if isolated {
                        let after = state.bodies[body].momenta();
                        state.turning[body].missing += before.about_center() - after.about_center();
                        orbital += (before.center() - after.center()).cross(before.linear);
                    }
                }
                if isolated {
                    turning::distribute(orbital, &island.bodies, state, free, context.dt);
                }
            }
        }
    });
}

/// Returns the displacements that open the overlaps of an island, by projected Gauss-Seidel.
fn displacements((island, numbering, rows): &IslandRows, contacts: &[Contact], state: &State) -> Vec<f64> {
    let mut p = vec![0.0; numbering.unknowns];
    let mut lambda = vec![0.0; rows.len()];
    let limits: Vec<[f64; 2]> = island
        .contacts
        .iter()
        .map(|&index| {
            let (contact, tolerance) = (&contacts[index], gap_tolerance(&contacts[index], &state.bodies));
            let deepest = DEEPEST * contact.thinner_radius(&state.bodies);
            [(contact.gap + tolerance).max(-deepest), CONVERGED * tolerance]
        })
        .collect();
    for _ in 0..SWEEPS {
        let mut converged = true;
        for ((row, lambda), [gap, small]) in rows.iter().zip(&mut lambda).zip(&limits) {
            let response = row.block.x_axis.x;
            if response <= 0.0 {
                continue;
            }
            let open = gap + row.change(&p).x;
            let more = (-open / response).max(-*lambda);
            *lambda += more;
            row.apply_impulse(DVec3::new(more, 0.0, 0.0), &mut p);
            converged &= (more * response).abs() <= *small;
        }
        if converged {
            break;
        }
    }
    p
}
