//! `p2g`, `grid_update` and `g2p` against the naive version.

use crate::naive::{self, Nodes, vector, wide};
use crate::scene::{JELLY, KERNELS, TRANSFERS, WATER, node_index, params, random_cloud};
use fibra_core::random::CounterRng;
use fibra_mpm::internals::g2p::g2p;
use fibra_mpm::internals::grid_update::grid_update;
use fibra_mpm::internals::p2g::p2g;
use fibra_mpm::internals::params::Params;
use fibra_mpm::internals::sort::sort;
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::workspace::{Block, Grid, Workspace};
use glam::{DMat3, DVec3};

/// Time step of these tests [s].
const DT: f32 = 1e-3;

/// The error of the weights is a few times the rounding of a position ten cells from the origin, 1e-6 of a cell. Summing over some dozens of
/// particles adds to this error.
const TOLERANCE: f64 = 2e-5;

/// Compares a quantity at every node of the grid, including empty nodes.
fn compare(grid: &Grid, blocks: &[Block], expected: impl Fn(&[i32; 3]) -> [f64; 4], what: &str) {
    let all = || (0..blocks.len()).flat_map(|b| (0..64).map(move |n| (b, n)));
    let mut scale = [1e-30f64; 2];
    for (b, n) in all() {
        let e = expected(&node_index(grid, b, n));
        scale[0] = e[..3].iter().fold(scale[0], |s, e| s.max(e.abs()));
        scale[1] = scale[1].max(e[3]);
    }
    for (b, n) in all() {
        let index = node_index(grid, b, n);
        let (node, expected) = (blocks[b][n], expected(&index));
        for k in 0..4 {
            let error = (f64::from(node[k]) - expected[k]).abs() / scale[k / 3];
            assert!(error < TOLERANCE, "{what}[{k}] at {index:?}: {} is not {}", node[k], expected[k]);
        }
    }
}

fn check_p2g(params: &Params, state: &State, grid: &Grid, nodes: &Nodes) {
    let at = |index: &[i32; 3]| nodes.get(index).copied().unwrap_or_default();
    let entry = |v: DVec3, m: f64| [v.x, v.y, v.z, m];
    if params.transfer.needs_old_velocity() {
        compare(grid, &grid.nodes, |i| entry(at(i).momentum, at(i).mass), "momentum and mass");
        compare(grid, &grid.old, |i| entry(at(i).impulse, 0.0), "impulse");
    } else {
        compare(grid, &grid.nodes, |i| entry(at(i).momentum + at(i).impulse, at(i).mass), "momentum and mass");
    }
    let present: std::collections::BTreeSet<[i32; 3]> =
        (0..grid.nodes.len()).flat_map(|b| (0..64).map(move |n| node_index(grid, b, n))).collect();
    assert_eq!(present.len(), grid.node_count());
    assert!(nodes.keys().all(|index| present.contains(index)), "the grid lacks a node of {}", state.particles.len());
}

fn close(a: DVec3, b: DVec3, scale: f64, what: &str, id: u32) {
    let error = (a - b).abs().max_element() / scale;
    assert!(error < TOLERANCE, "{what} of particle {id}: {a} is not {b}, relative error {error:e}");
}

fn close_matrix(a: DMat3, b: DMat3, scale: f64, what: &str, id: u32) {
    (0..3).for_each(|k| close(a.col(k), b.col(k), scale, what, id));
}

/// Compares the transfers of one step with the naive version, on sorted particles.
fn check_round_trip(params: &Params, state: &mut State, work: &mut Workspace) {
    let dt = f64::from(DT);
    let before = state.particles.clone();
    p2g(params, state, &mut work.grid, DT);
    let nodes = naive::p2g(params, &before, dt);
    check_p2g(params, state, &work.grid, &nodes);
    grid_update(params, &[], &mut work.grid, DT);
    g2p(params, state, &work.grid, DT);

    let moved: Vec<_> = (0..before.len()).map(|i| naive::g2p(params, &before, i, &nodes, dt)).collect();
    // The fastest node determines the rounding error: light nodes at the boundary move faster than any particle.
    let speed = nodes.values().map(|n| ((n.momentum + n.impulse) / n.mass).length()).fold(1.0, f64::max);
    let rate = speed / f64::from(params.dx);
    for (i, expected) in moved.into_iter().enumerate() {
        let p = &state.particles;
        let id = p.id[i];
        assert_eq!(id, before.id[i]);
        close(vector(p.v[i]), expected.v, speed, "velocity", id);
        close(vector(p.x[i]), expected.x, f64::from(params.dx), "position", id);
        close_matrix(wide(&p.c[i]), expected.c, rate, "affine velocity", id);
        match p.object[i] {
            JELLY => {
                let f = wide(&before.f[i]) + expected.grad_v * wide(&before.f[i]) * dt;
                close_matrix(wide(&p.f[i]), f, 1.0 + rate * dt, "deformation", id);
            }
            WATER => {
                let divergence = expected.grad_v.x_axis.x + expected.grad_v.y_axis.y + expected.grad_v.z_axis.z;
                let j = (f64::from(before.memory[i]) * (1.0 + dt * divergence)).clamp(0.3, 1.02);
                close(DVec3::splat(p.memory[i].into()), DVec3::splat(j), 1.0 + rate * dt, "volume", id);
            }
            _ => {}
        }
    }
}

#[test]
fn every_transfer_with_every_kernel_matches_the_naive_one() {
    for kernel in KERNELS {
        for transfer in TRANSFERS {
            let params = params(0.1, kernel, transfer);
            let params = Params { gravity: [0.3, -9.81, 1.0], ..params };
            let mut state = random_cloud(&params, 700);
            let mut work = Workspace::default();
            sort(&params, &mut state, &mut work).unwrap();
            assert!(state.runs.len() > 60, "several blocks and materials: {}", state.runs.len());
            check_round_trip(&params, &mut state, &mut work);
        }
    }
}

/// Between two sorts particles may leave their block by up to a cell in any direction.
#[test]
fn particles_that_drifted_out_of_their_block_are_transferred_correctly() {
    let rng = CounterRng::new(5);
    for kernel in KERNELS {
        for transfer in TRANSFERS {
            let params = params(0.1, kernel, transfer);
            let mut state = random_cloud(&params, 500);
            let mut work = Workspace::default();
            sort(&params, &mut state, &mut work).unwrap();
            for (i, x) in state.particles.x.iter_mut().enumerate() {
                // Moving by whole cells keeps the distance from the nodes; moving by less than a cell keeps the particle in its tile.
                for a in 0..3 {
                    x[a] += (rng.uniform(&[i as u64, a as u64]) * 3.0 - 1.0).floor() as f32 * 0.999 * params.dx;
                }
            }
            check_round_trip(&params, &mut state, &mut work);
        }
    }
}
