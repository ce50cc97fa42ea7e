//! Particles to grid: mass, momentum and the impulse of the internal forces.
//!
//! Each block's particles add into a tile; the tile is then added to the grid. Blocks of one colour share no neighbour,
//! so they are written at once; colours follow each other in a fixed order, so that every node sums its contributions in
//! the same order for any number of threads.

use crate::kind::{Group, Kind};
use crate::law::LANES;
use crate::params::{Kernel, Params, Transfer};
use crate::simd::dispatch;
use crate::state::{Particles, State};
use crate::tile::{Cubic, Linear, Quadratic, Spline, Stencils, Tile};
use crate::workspace::{Block, Grid};
use fibra_core::block_key::BlockKey;
use fibra_core::mat3::Mat3;
use fibra_core::particle_sort::Run;
use rayon::prelude::*;
use std::marker::PhantomData;

/// Fills the grid with mass, momentum and, for `dt` [s], the impulse of internal forces.
pub fn p2g(params: &Params, state: &State, grid: &mut Grid, dt: f32) {
    match params.kernel {
        Kernel::Linear => p2g_with::<Linear>(params, state, grid, dt),
        Kernel::Quadratic => p2g_with::<Quadratic>(params, state, grid, dt),
        Kernel::Cubic => p2g_with::<Cubic>(params, state, grid, dt),
    }
}

/// What every particle needs from the parameters.
#[derive(Clone, Copy)]
struct Scatter {
    /// [1/m]
    inv_dx: f32,
    /// From `C` to the coefficients of the gradient weights: `dx / b` [m] [Jiang2015].
    affine: f32,
    /// From `V0 tau / m` to the coefficients of the gradient weights: `-dt / dx` [s/m].
    impulse: f32,
    /// Step [s].
    dt: f32,
    /// Whether the impulse goes to a tile of its own.
    split: bool,
}

/// What a task works on: the grid around a block, and the stencils of a batch of its particles.
#[derive(Default)]
struct Scratch {
    /// Momentum and mass, and the impulse unless the transfer asks for it apart.
    momentum: Tile,
    impulse: Tile,
    stencils: Stencils,
}

fn p2g_with<S: Spline>(params: &Params, state: &State, grid: &mut Grid, dt: f32) {
    let split = params.transfer.needs_old_velocity();
    let blocks = grid.topology.keys.len();
    clear(&mut grid.nodes, blocks);
    clear(&mut grid.old, if split { blocks } else { 0 });
    let inv_dx = 1.0 / params.dx;
    let affine = match params.transfer {
        Transfer::Apic { .. } if S::AFFINE > 0.0 => params.dx / S::AFFINE,
        Transfer::Apic { .. } => params.dx,
        _ => 0.0,
    };
    let scatter = Scatter { inv_dx, affine, impulse: -dt * inv_dx, dt, split };
    let nodes = SharedBlocks::new(&mut grid.nodes);
    let old = SharedBlocks::new(&mut grid.old);
    for color in &grid.topology.colors {
        color.par_iter().for_each_init(Scratch::default, |scratch, &block| {
            let [from, to] = grid.runs_of[block as usize];
            let runs = &state.runs[from as usize..to as usize];
            scatter_block::<S>(scatter, &state.particles, runs, scratch);
            let neighbors = &grid.topology.neighbors[block as usize];
            // SAFETY: only blocks of one colour are written at once, and no two of those have a neighbour in
            // common (tested in `fibra_core::block_grid`).
            unsafe { nodes.add::<S>(&scratch.momentum, neighbors) };
            if split {
                // SAFETY: as above; `old` has as many blocks as `nodes`.
                unsafe { old.add::<S>(&scratch.impulse, neighbors) };
            }
        });
    }
}

fn clear(blocks: &mut Vec<Block>, len: usize) {
    blocks.truncate(len);
    // Exactly: the grid is large, and doubling it on every growth would waste half of it.
    blocks.reserve_exact(len - blocks.len());
    blocks.par_iter_mut().with_min_len(64).for_each(|block| *block = [[0.0; 4]; 64]);
    blocks.resize(len, [[0.0; 4]; 64]);
}

dispatch! {
    fn scatter_block[S: Spline; for V](k: Scatter, p: &Particles, runs: &[Run], scratch: &mut Scratch) {
        let Scratch { momentum, impulse, stencils } = scratch;
        momentum.clear::<S>();
        if k.split {
            impulse.clear::<S>();
        }
        let origin = tile_origin(runs[0].key);
        for run in runs {
            let kind = Group::of_number(run.group).kind;
            if kind == Kind::Held {
                continue;
            }
            let range = run.start as usize..run.end as usize;
            let (x, v, c, f) = (&p.x[range.clone()], &p.v[range.clone()], &p.c[range.clone()], &p.f[range.clone()]);
            let (tau, mass, volume) = (&p.tau[range.clone()], &p.mass[range.clone()], &p.volume[range.clone()]);
            let pull = if kind == Kind::Point { &[][..] } else { &p.pull[range] };
            for start in (0..x.len()).step_by(LANES) {
                let end = (start + LANES).min(x.len());
                stencils.find::<S>(&x[start..end], origin, k.inv_dx);
                // The mass goes into the weights, not into what they weigh: mass and momentum of a node then carry the
                // same errors of rounding, and their ratio none that would add up over thousands of steps.
                stencils.weigh::<S>(&mass[start..end]);
                for i in start..end {
                    let at = (&*stencils, i - start);
                    let gradients = stencils.gradients();
                    let inv_mass = 1.0 / mass[i];
                    let c = c[i].scale(k.affine);
                    // What the gradients of the weights carry, and the force that the weights themselves carry. An element's
                    // in-manifold stress goes to its vertices; its own share is the rest [Jiang2017, Sec. 4.4].
                    let (stress, push) = match kind {
                        Kind::Point => (tau[i].to_mat3().scale(volume[i]), [0.0; 3]),
                        Kind::Curve => (tau[i].to_mat3().scale(volume[i]).sub(&Mat3::outer(pull[i], f[i].column_x())), [0.0; 3]),
                        Kind::Surface => (Mat3::outer(pull[i], f[i].column_z()), [0.0; 3]),
                        Kind::Vertex | Kind::Held => (Mat3::ZERO, pull[i]),
                    };
                    let stress = stress.scale(k.impulse * inv_mass);
                    let push = push.map(|push| push * (k.dt * inv_mass));
                    let v = v[i];
                    if k.split {
                        momentum.scatter::<S, V>(at, gradients, [v[0], v[1], v[2], 1.0], &columns(&Mat3::ZERO));
                        impulse.scatter::<S, V>(at, gradients, [push[0], push[1], push[2], 0.0], &columns(&stress));
                        continue;
                    }
                    let q = [v[0] + push[0], v[1] + push[1], v[2] + push[2], 1.0];
                    if S::AFFINE > 0.0 {
                        momentum.scatter::<S, V>(at, gradients, q, &columns(&c.add(&stress)));
                    } else {
                        // Linear splines: the affine velocity goes with the first moments, the stress with the gradients.
                        momentum.scatter::<S, V>(at, stencils.moments(), q, &columns(&c));
                        momentum.scatter::<S, V>(at, gradients, [0.0; 4], &columns(&stress));
                    }
                }
            }
        }
    }
}

/// Columns with a zero in the mass's place.
#[inline(always)]
fn columns(m: &Mat3) -> [[f32; 4]; 3] {
    [[m.xx, m.yx, m.zx, 0.0], [m.xy, m.yy, m.zy, 0.0], [m.xz, m.yz, m.zz, 0.0]]
}

/// First node of the tile of a block [cells]: one before the block's own.
#[inline(always)]
pub(crate) fn tile_origin(key: BlockKey) -> [f32; 3] {
    key.coordinates().map(|c| (c * 4 - 1) as f32)
}

/// The grid's blocks, writable from several threads as long as they write different blocks.
struct SharedBlocks<'a> {
    first: *mut Block,
    len: usize,
    owner: PhantomData<&'a mut [Block]>,
}

// SAFETY: access goes through `add`, whose caller promises that no block is written by two threads.
unsafe impl Sync for SharedBlocks<'_> {}

impl<'a> SharedBlocks<'a> {
    fn new(blocks: &'a mut [Block]) -> Self {
        SharedBlocks { first: blocks.as_mut_ptr(), len: blocks.len(), owner: PhantomData }
    }

    /// Adds a tile to the blocks around it.
    ///
    /// # Safety
    /// The neighbours must be distinct, and no other thread may access one of them during the call.
    unsafe fn add<S: Spline>(&self, tile: &Tile, neighbors: &[u32; 27]) {
        assert!(neighbors.iter().all(|&n| (n as usize) < self.len));
        let blocks = neighbors.map(|n| {
            // SAFETY: in bounds by the assertion; unshared by the caller's promise.
            unsafe { &mut *self.first.add(n as usize) }
        });
        tile.add_to::<S>(blocks);
    }
}
