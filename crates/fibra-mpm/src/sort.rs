//! Keeps particles sorted by grid block and material.

use crate::params::{Kernel, Params};
use crate::scatter::tile_origin;
use crate::state::State;
use crate::step::StepError;
use crate::tile::{Cubic, Linear, Quadratic, reaches};
use crate::workspace::Workspace;
use fibra_core::block_key::{BLOCK_EDGE, BlockKey};
use fibra_materials::kind::Group;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sorts the particles if one has drifted out of its tile, and rebuilds the grid topology if it is out of date.
pub fn sort(params: &Params, state: &mut State, work: &mut Workspace) -> Result<(), StepError> {
    if state.extremes.drifted || state.runs.is_empty() {
        let lost = AtomicBool::new(false);
        let p = &state.particles;
        let key = |i: usize| {
            let key = block_of(params, p.x[i]).unwrap_or_else(|| {
                lost.store(true, Ordering::Relaxed);
                BlockKey(0)
            });
            let material = params.objects[p.object[i] as usize].material;
            (key, Group { material, kind: p.kind[i] }.number())
        };
        work.sorter.sort(p.len(), key, &mut work.runs);
        if lost.into_inner() {
            return Err(first_lost(params, state));
        }
        std::mem::swap(&mut state.runs, &mut work.runs);
        state.particles.reorder(&work.sorter.order, &mut work.reorder);
        state.extremes.drifted = false;
        work.grid_is_current = false;
    }
    if !work.grid_is_current {
        work.grid.rebuild(&state.runs);
        work.links.rebuild(&params.meshes, &state.particles, &state.runs);
        let links = &work.links;
        work.bends.rebuild(&params.meshes.bending, state.particles.len(), |id| links.place_of(id) as u32);
        work.grid_is_current = true;
    }
    Ok(())
}

/// Returns the error for the particle with the smallest id among those outside the range of the grid.
pub(crate) fn first_lost(params: &Params, state: &State) -> StepError {
    let p = &state.particles;
    let far = (0..p.len()).filter(|&i| block_of(params, p.x[i]).is_none()).min_by_key(|&i| p.id[i]);
    let i = far.unwrap_or(0);
    StepError::OutOfReach { id: p.id[i], object: p.object[i], position: p.x[i] }
}

/// Whether a particle has left the reach of its tile since the last sort. For callers that move particles themselves.
pub fn has_drifted(params: &Params, state: &State) -> bool {
    let reaches = match params.kernel {
        Kernel::Linear => reaches::<Linear>,
        Kernel::Quadratic => reaches::<Quadratic>,
        Kernel::Cubic => reaches::<Cubic>,
    };
    let inv_dx = 1.0 / params.dx;
    state.runs.par_iter().with_min_len(32).any(|run| {
        let origin = tile_origin(run.key);
        let inside = |x: &[f32; 3]| reaches(*x, origin, inv_dx);
        !state.particles.x[run.start as usize..run.end as usize].iter().all(inside)
    })
}

/// Returns the block in which a particle's stencil starts.
fn block_of(params: &Params, x: [f32; 3]) -> Option<BlockKey> {
    let shift = 0.5 * (params.kernel.width() - 2.0);
    // The conversion saturates only far outside the range of a block key.
    BlockKey::new(x.map(|x| ((x / params.dx - shift).floor() as i32).div_euclid(BLOCK_EDGE)))
}
