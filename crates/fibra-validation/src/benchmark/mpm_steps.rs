//! Timing and memory use of steps of the material point method.

use super::{Memory, Timed};
use fibra_mpm::internals::params::Params;
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::step;
use fibra_mpm::internals::workspace::Workspace;

/// Times steps with [`Timed::best_of`]. `plan` holds the numbers of warm-up steps, of repeats and of steps per repeat.
pub fn time_steps(params: &Params, state: &mut State, plan: [u64; 3]) -> Result<Timed, String> {
    let mut work = Workspace::default();
    let items = state.particles.len();
    let timed = Timed::best_of(items, plan, || step(params, state, &mut work, f64::INFINITY).map(drop))?;
    let nodes = work.grid.node_count();
    Ok(Timed {
        memory: Some(Memory {
            bytes_per_item: (state.bytes() + work.particle_bytes()) as f64 / items as f64,
            bytes_per_node: work.grid.bytes() as f64 / nodes as f64,
            nodes,
        }),
        ..timed
    })
}
