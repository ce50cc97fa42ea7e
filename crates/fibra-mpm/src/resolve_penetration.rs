//! Resolves penetration of mesh vertices into colliders.
//!
//! Grid contact stops material only to within a fraction of a cell, so a body could show through the cloth that covers it. Vertices inside a
//! collider are therefore projected to its surface, and their approach velocity is removed. They end slightly above the surface (by the skin),
//! because the segments and triangles between vertices cut through curved surfaces.

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

/// Largest distance of a particle from the center of its block [cells]. This is half the diagonal of a block extended by one cell of
/// drift along each axis, plus one cell for interpolated distances.
pub(crate) const REACH: f32 = 6.5;

/// Distance above a collider at which vertices are kept [cells]. The midpoint of an edge of 0.7 cells lies `0.7^2 / (8 r)` below a curved
/// surface of radius `r` cells. For any `r` above 1.3 this is less than the skin.
pub(crate) const SKIN: f32 = 0.05;

/// Projects vertices inside a collider to its surface.
pub fn resolve_penetration(params: &Params, colliders: &[PlacedCollider], state: &mut State, grid: &Grid) -> Extremes {
    if colliders.is_empty() || params.meshes.corners.is_empty() {
        return Extremes::default();
    }
    let skin = SKIN * params.dx;
    change_vertices(params, colliders, state, grid, REACH, |near, _, x, v| {
        // All colliders act, one after the other; `any` would stop at the first.
        let mut moved = false;
        for collider in near {
            moved |= project_out(collider, skin, x, v);
        }
        moved
    })
}

/// Calls `change` for each free vertex in a block whose center is closer than `reach` [cells] to a collider, with those colliders, the index, the position
/// and the velocity of the vertex. `change` returns whether the vertex has moved.
pub(crate) fn change_vertices(
    params: &Params,
    colliders: &[PlacedCollider],
    state: &mut State,
    grid: &Grid,
    reach: f32,
    change: impl Fn(&[&PlacedCollider], usize, &mut [f32; 3], &mut [f32; 3]) -> bool + Sync,
) -> Extremes {
    let reaches = match params.kernel {
        Kernel::Linear => reaches::<Linear>,
        Kernel::Quadratic => reaches::<Quadratic>,
        Kernel::Cubic => reaches::<Cubic>,
    };
    let p = &mut state.particles;
    let blocks = Blocks { runs: &state.runs, grid };
    blocks.share((&mut p.x[..], &mut p.v[..]), &|range, (mut x, mut v)| {
        let mut inside = true;
        let mut near = Vec::with_capacity(colliders.len());
        for block in range {
            let runs = blocks.runs_of(block);
            find_near(&mut near, colliders, runs[0].key, [params.dx, reach]);
            for run in runs {
                let (my_x, my_v);
                (my_x, x) = x.split_at_mut(len(run));
                (my_v, v) = v.split_at_mut(len(run));
                if Group::of_number(run.group).kind != Kind::Vertex || near.is_empty() {
                    continue;
                }
                let origin = tile_origin(run.key);
                for ((x, v), vertex) in my_x.iter_mut().zip(my_v).zip(run.start as usize..) {
                    inside &= !change(&near, vertex, x, v) || reaches(*x, origin, 1.0 / params.dx);
                }
            }
        }
        Extremes { drifted: !inside, ..Extremes::default() }
    })
}

/// Lists the colliders that are closer than `reach` [cells] to the center of a block, or contain it.
pub(crate) fn find_near<'a>(
    near: &mut Vec<&'a PlacedCollider>,
    colliders: &'a [PlacedCollider],
    block: BlockKey,
    [dx, reach]: [f32; 2],
) {
    near.clear();
    near.extend(colliders.iter().filter(|collider| collider.is_within(middle(block, dx), reach * dx)));
}

fn len(run: &Run) -> usize {
    (run.end - run.start) as usize
}

/// Returns the center of the positions whose stencils start in a block [m].
fn middle(key: BlockKey, dx: f32) -> Vec3 {
    let edge = BLOCK_EDGE as f32;
    Vec3::from(key.coordinates().map(|c| (c as f32 + 0.5) * edge + 0.5)) * dx
}

/// Projects a vertex at `x` [m] with velocity `v` [m/s] out of a collider, to its skin [m]; returns whether it was inside.
pub fn project_out(collider: &PlacedCollider, skin: f32, x: &mut [f32; 3], v: &mut [f32; 3]) -> bool {
    let Some(hit) = collider.query_within(Vec3::from(*x), skin) else { return false };
    *x = (Vec3::from(*x) + (skin - hit.distance) * hit.normal).to_array();
    *v = collider_response(Vec3::from(*v), &hit, collider.contact, collider.friction).to_array();
    true
}
