//! Cutting: blades remove links between material points, and the discretization is split accordingly [Martin2010, Sec. 10].
//!
//! Links that a blade crosses in the deformed configuration are removed permanently. Elastons whose material points are no longer connected
//! are split. Samples whose support is no longer connected are copied with all their unknowns, so that the motion is continuous through the
//! cut. A part may have too few elastons to determine the unknowns of all its samples. Some samples are then dropped, and the remaining
//! samples are fitted to the previous displacements. This may slightly change displacements near the cut, but not momenta.

mod blade;
mod caps;
mod matching;
mod refit;
mod sample_copies;
mod split;
mod surface;
#[cfg(test)]
mod surface_tests;
#[cfg(test)]
mod tests;
mod triangulate;

use crate::discretization::Uncovered;
use crate::momentum::{momenta, restore};
use crate::workspace::Workspace;
use crate::world::{Params, State};
use blade::Swept;
use glam::DVec3;
use refit::{evaluate_all, refit};
use sample_copies::{SampleCopy, split_samples};
use split::split_elastons;
use surface::{CutInputs, cut_surface};

/// Cuts along the surfaces that the blades sweep from the state's time to `end` [s]. The tables of the workspace must
/// match the state. They are rebuilt if the state changes.
pub fn cut(params: &Params, state: &mut State, work: &mut Workspace, end: f64) -> Result<(), Uncovered> {
    let Some(swept) = Swept::new(params, state.time, end) else { return Ok(()) };
    let moved = evaluate_all(&work.discretization.pieces, &state.displacements);
    let places: Vec<DVec3> =
        state.matter.cloud.points.iter().zip(&moved).map(|(rest, moved)| *rest + moved[0]).collect();
    let links = state.matter.links.retain(|i, j| swept.crossing(places[i], places[j], 0.0).is_none());
    let lost = |piece: &u32| links.neighbors(*piece as usize) != state.matter.links.neighbors(*piece as usize);
    let severed: Vec<u32> = (0..places.len() as u32).filter(lost).collect();
    let matter = &state.matter;
    let inputs =
        CutInputs { matter, swept: &swept, places: &places, links: &links, discretization: &work.discretization };
    let surface = cut_surface(state, &inputs);
    if severed.is_empty() && surface.is_none() {
        return Ok(());
    }
    let bodies = work.discretization.components.clone();
    let before = momenta(params, state, &work.discretization, &bodies).into_iter().map(Some).collect::<Vec<_>>();
    let surface_changed = surface.is_some();
    if let Some(surface) = surface {
        state.matter.surface = surface;
    }
    let links = std::mem::replace(&mut state.matter.links, links);
    let apart = state.matter.links.components() != bodies;
    let split = split_elastons(&mut state.matter, [&mut state.plastic, &mut state.flowed], &links, &severed);
    let copies = split_samples(&state.matter, &work.discretization.pieces, &severed);
    if !(apart || split || copies.is_some() || surface_changed) {
        return Ok(());
    }
    let rates = evaluate_all(&work.discretization.pieces, &state.velocities);
    if let Some(copies) = copies {
        copy_samples(state, work.discretization.unknowns_per_sample(), &copies);
    }
    state.generation += 1;
    state.reference = None;
    work.rebuild_if_changed(params, state)?;
    let pieces = &work.discretization.pieces;
    refit(pieces, &mut state.displacements, &moved);
    refit(pieces, &mut state.velocities, &rates);
    restore(params, state, &work.discretization, &bodies, &before);
    Ok(())
}

fn copy_samples(state: &mut State, unknowns: usize, copies: &[SampleCopy]) {
    let copy = |of: &[f64]| -> Vec<f64> {
        copies.iter().flat_map(|kept| &of[kept.source as usize * unknowns..][..unknowns]).copied().collect()
    };
    state.displacements = copy(&state.displacements);
    state.velocities = copy(&state.velocities);
    let matter = &mut state.matter;
    matter.samples = copies.iter().map(|kept| matter.samples[kept.source as usize]).collect();
    matter.anchors = copies.iter().map(|kept| kept.anchor).collect();
}
