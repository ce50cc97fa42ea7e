//! Keeps the vertices of meshes out of colliders.
//!
//! The grid's contact holds material back to a fraction of a cell, which is where a cloth begins to show what it covers. So
//! vertices that came to lie inside a collider are put back on its surface and stop approaching it: a skin's breadth above it,
//! since the segments and triangles between vertices cut through what is round.

use crate::params::{Kernel, Params};
use crate::scatter::tile_origin;
use crate::split::Blocks;
use crate::state::{Extremes, State};
use crate::tile::{Cubic, Linear, Quadratic, reaches};
use crate::workspace::Grid;
use fibra_core::block_key::{BLOCK_EDGE, BlockKey};
use fibra_core::geometry::{PlacedCollider, collider_response};
use fibra_core::particle_sort::Run;
use fibra_materials::kind::{Group, Kind};
use glam::Vec3;

/// How far from the middle of its block a particle's place may be [cells]: half the diagonal of a block, with the one cell that
/// particles may have drifted out of it along each axis, and one for distances that are interpolated.
const REACH: f32 = 6.5;

/// How far above a collider vertices are kept [cells]. The middle of an edge of 0.7 cells lies below a round surface of radius
/// `r` cells by `0.7^2 / (8 r)`, less than this for any `r` above 1.3.
pub(crate) const SKIN: f32 = 0.05;

/// Puts vertices inside a collider back on its surface.
pub fn keep_out(params: &Params, colliders: &[PlacedCollider], state: &mut State, grid: &Grid) -> Extremes {
    if colliders.is_empty() || params.meshes.corners.is_empty() {
        return Extremes::default();
    }
    let reaches = match params.kernel {
        Kernel::Linear => reaches::<Linear>,
        Kernel::Quadratic => reaches::<Quadratic>,
        Kernel::Cubic => reaches::<Cubic>,
    };
    let p = &mut state.particles;
    let blocks = Blocks { runs: &state.runs, grid };
    blocks.share((&mut p.x[..], &mut p.v[..]), &|range, (mut x, mut v)| {
        let mut inside = true;
        for block in range {
            let runs = blocks.runs_of(block);
            let middle = middle(runs[0].key, params.dx);
            let near = |collider: &&PlacedCollider| collider.is_within(middle, REACH * params.dx);
            for run in runs {
                let (my_x, my_v);
                (my_x, x) = x.split_at_mut(len(run));
                (my_v, v) = v.split_at_mut(len(run));
                if Group::of_number(run.group).kind != Kind::Vertex {
                    continue;
                }
                let origin = tile_origin(run.key);
                for collider in colliders.iter().filter(near) {
                    for (x, v) in my_x.iter_mut().zip(&mut *my_v) {
                        inside &= !push_out(collider, SKIN * params.dx, x, v) || reaches(*x, origin, 1.0 / params.dx);
                    }
                }
            }
        }
        Extremes { drifted: !inside, ..Extremes::default() }
    })
}

fn len(run: &Run) -> usize {
    (run.end - run.start) as usize
}

/// Middle of the places whose stencils start in a block [m].
fn middle(key: BlockKey, dx: f32) -> Vec3 {
    let edge = BLOCK_EDGE as f32;
    Vec3::from(key.coordinates().map(|c| (c as f32 + 0.5) * edge + 0.5)) * dx
}

/// Puts a vertex at `x` [m] with velocity `v` [m/s] back above the skin [m] of a collider it is in; tells whether it was.
pub fn push_out(collider: &PlacedCollider, skin: f32, x: &mut [f32; 3], v: &mut [f32; 3]) -> bool {
    let Some(hit) = collider.query_within(Vec3::from(*x), skin) else { return false };
    *x = (Vec3::from(*x) + (skin - hit.distance) * hit.normal).to_array();
    *v = collider_response(Vec3::from(*v), &hit, collider.contact, collider.friction).to_array();
    true
}
