//! The grid's momentum update: velocity from momentum, gravity, collisions.

use crate::params::Params;
use crate::tile::Node;
use crate::workspace::{Block, Grid};
use fibra_core::block_key::BlockKey;
use fibra_core::geometry::{Hit, PlacedCollider, collider_response};
use glam::Vec3;
use rayon::prelude::*;

/// Turns momentum into velocity, adds gravity over `dt` [s] and applies colliders.
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

/// Nodes lighter than this count as empty [kg]. A particle at the edge of a node's support may give it a mass whose
/// inverse overflows. Ignoring such a node is safe: its weight in the transfer back is equally small.
pub(crate) const SMALLEST_MASS: f32 = 1e-36;

/// Computes a node's velocity from its momentum, plus a change; nodes without mass stay at rest.
#[inline(always)]
pub(crate) fn velocity([px, py, pz, m]: Node, change: [f32; 3]) -> Node {
    let filled = m > SMALLEST_MASS;
    let k = if filled { 1.0 / m } else { 0.0 };
    let [x, y, z] = if filled { change } else { [0.0; 3] };
    [px * k + x, py * k + y, pz * k + z, m]
}

/// Distance outside a collider within which a node still belongs to it [cells]. Floors and walls often coincide with grid nodes. These nodes must be
/// constrained whatever their rounding errors are; otherwise the surface would give way by a whole cell.
pub(crate) const SKIN: f32 = 0.01;

/// Applies every collider that overlaps the block to the nodes inside it or on its surface.
pub(crate) fn collide(dx: f32, colliders: &[PlacedCollider], key: BlockKey, nodes: &mut Block) {
    for_each_hit(dx, colliders, key, nodes, |_, node, collider, hit| {
        let v = collider_response(Vec3::new(node[0], node[1], node[2]), hit, collider.contact, collider.friction);
        *node = [v.x, v.y, v.z, node[3]];
    });
}

/// Calls `each` for every node with mass inside a collider or on its surface, with its index in the block.
pub(crate) fn for_each_hit(
    dx: f32,
    colliders: &[PlacedCollider],
    key: BlockKey,
    nodes: &mut Block,
    mut each: impl FnMut(usize, &mut Node, &PlacedCollider, &Hit),
) {
    let first = Vec3::from(key.coordinates().map(|c| (4 * c) as f32 * dx));
    let center = first + Vec3::splat(1.5 * dx);
    // Half the diagonal of the block's nodes, plus one cell for interpolated distances.
    let reach = 3.6 * dx;
    for collider in colliders {
        if !collider.is_within(center, reach) {
            continue;
        }
        for (n, node) in nodes.iter_mut().enumerate() {
            if node[3] <= 0.0 {
                continue;
            }
            let at = first + Vec3::new((n / 16) as f32, (n / 4 % 4) as f32, (n % 4) as f32) * dx;
            if let Some(hit) = collider.query_within(at, SKIN * dx) {
                each(n, node, collider, &hit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
    use glam::DVec3;

    #[test]
    fn nodes_with_tiny_mass_get_finite_velocities() {
        for m in [0.0, 1e-45, 1e-39, 1e-37, 1e-20, 1.0] {
            let [x, y, z, _] = velocity([m, -m, 0.0, m], [1.0, 2.0, 3.0]);
            assert!(x.is_finite() && y.is_finite() && z.is_finite(), "mass {m}: {x} {y} {z}");
        }
    }

    #[test]
    fn nodes_on_a_floor_are_stopped_and_those_above_are_not() {
        let dx = 0.1;
        // The floor coincides with the nodes at y = 3 dx, up to rounding.
        for height in [0.3, 0.3 - 1e-6, 0.3 + 1e-6] {
            let floor = Collider {
                name: "floor".to_owned(),
                shape: Shape::plane(Vec3::ZERO, Vec3::Y).unwrap(),
                rest: RigidPose::at(DVec3::new(0.0, height, 0.0)),
                motion: Motion::Still,
                contact: Contact::Separating,
                friction: 0.0,
            };
            let mut nodes = [[1.0, -1.0, 0.0, 1.0]; 64];
            let key = BlockKey::new([0, 0, 0]).unwrap();
            collide(dx, &[floor.place(0.0, DVec3::ZERO)], key, &mut nodes);
            assert!(nodes.iter().all(|v| v[1] == 0.0));
            let mut nodes = [[1.0, -1.0, 0.0, 1.0]; 64];
            let key = BlockKey::new([0, 1, 0]).unwrap();
            collide(dx, &[floor.place(0.0, DVec3::ZERO)], key, &mut nodes);
            assert!(nodes.iter().all(|v| v[1] == -1.0));
        }
    }
}
