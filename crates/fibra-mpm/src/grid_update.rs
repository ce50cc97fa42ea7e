//! The grid's momentum update: velocity from momentum, gravity, collisions.

use crate::params::Params;
use crate::tile::Node;
use crate::workspace::{Block, Grid};
use fibra_core::block_key::BlockKey;
use fibra_core::geometry::{PlacedCollider, collider_response};
use glam::Vec3;
use rayon::prelude::*;

/// Turns momentum into velocity, adds gravity over `dt` [s], and lets colliders correct it.
pub fn grid_update(params: &Params, colliders: &[PlacedCollider], grid: &mut Grid, dt: f32) {
    let gravity = params.gravity.map(|g| g * dt);
    let keys = &grid.topology.keys;
    if params.transfer.needs_old_velocity() {
        grid.nodes.par_iter_mut().zip(&mut grid.old).zip(keys).with_min_len(16).for_each(|((nodes, old), &key)| {
            for (node, old) in nodes.iter_mut().zip(old) {
                let impulse = *old;
                *old = velocity(*node, [0.0; 3]);
                for k in 0..3 {
                    node[k] += impulse[k];
                }
                *node = velocity(*node, gravity);
            }
            collide(params.dx, colliders, key, nodes);
        });
    } else {
        grid.nodes.par_iter_mut().zip(keys).with_min_len(16).for_each(|(nodes, &key)| {
            for node in nodes.iter_mut() {
                *node = velocity(*node, gravity);
            }
            collide(params.dx, colliders, key, nodes);
        });
    }
}

/// Velocity of a node from its momentum, plus a change; nodes without mass stay at rest.
#[inline(always)]
fn velocity([px, py, pz, m]: Node, change: [f32; 3]) -> Node {
    let filled = m > 0.0;
    let k = if filled { 1.0 / m } else { 0.0 };
    let [x, y, z] = if filled { change } else { [0.0; 3] };
    [px * k + x, py * k + y, pz * k + z, m]
}

/// Applies every collider that reaches into the block to the nodes inside it.
fn collide(dx: f32, colliders: &[PlacedCollider], key: BlockKey, nodes: &mut Block) {
    let first = Vec3::from(key.coordinates().map(|c| (4 * c) as f32 * dx));
    let center = first + Vec3::splat(1.5 * dx);
    // Half the diagonal of the block's nodes, and one cell for distances that are interpolated.
    let reach = 3.6 * dx;
    for collider in colliders {
        if collider.signed_distance(center) > reach {
            continue;
        }
        for (n, node) in nodes.iter_mut().enumerate() {
            if node[3] <= 0.0 {
                continue;
            }
            let at = first + Vec3::new((n / 16) as f32, (n / 4 % 4) as f32, (n % 4) as f32) * dx;
            let hit = collider.query(at);
            if hit.distance < 0.0 {
                let v =
                    collider_response(Vec3::new(node[0], node[1], node[2]), &hit, collider.contact, collider.friction);
                *node = [v.x, v.y, v.z, node[3]];
            }
        }
    }
}
