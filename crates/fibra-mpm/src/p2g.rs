//! Particles to grid: mass, momentum and the impulse of the internal forces.

use crate::law::LANES;
use crate::params::{Kernel, Params, Transfer};
use crate::scatter::{clear, columns, scatter, tile_origin};
use crate::state::{Particles, State};
use crate::tile::{Cubic, Linear, Quadratic, Spline, Stencils, Tile};
use crate::workspace::Grid;
use fibra_core::mat3::Mat3;
use fibra_core::particle_sort::Run;
use fibra_core::simd::dispatch;
use fibra_materials::kind::{Group, Kind};
use std::cell::RefCell;

/// Fills the grid with mass, momentum and, for `dt` [s], the impulse of internal forces.
pub fn p2g(params: &Params, state: &State, grid: &mut Grid, dt: f32) {
    match params.kernel {
        Kernel::Linear => p2g_with::<Linear>(params, state, grid, dt),
        Kernel::Quadratic => p2g_with::<Quadratic>(params, state, grid, dt),
        Kernel::Cubic => p2g_with::<Cubic>(params, state, grid, dt),
    }
}

/// Constants used for every particle.
#[derive(Clone, Copy)]
struct Scatter {
    /// Inverse node spacing [1/m].
    inv_dx: f32,
    /// Maps `C` to the coefficients of the gradient weights: `dx / b` [m] [Jiang2015].
    affine: f32,
    /// Maps `V0 tau / m` to the coefficients of the gradient weights: `-dt / dx` [s/m].
    impulse: f32,
    /// Time step [s].
    dt: f32,
    /// Whether the impulse goes to a separate tile.
    split: bool,
}

/// Scratch of a task: the grid around a block, and the stencils of a batch of its particles.
#[derive(Default)]
struct Scratch {
    /// Momentum and mass; includes the impulse unless the transfer needs it separately.
    momentum: Tile,
    impulse: Tile,
    stencils: Stencils,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
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
    let scatter_terms = Scatter { inv_dx, affine, impulse: -dt * inv_dx, dt, split };
    let Grid { topology, nodes, old, runs_of, .. } = grid;
    let fill = |block: usize, scratch: &mut Scratch| {
        let [from, to] = runs_of[block];
        scatter_block::<S>(scatter_terms, &state.particles, &state.runs[from as usize..to as usize], scratch);
    };
    if split {
        scatter::<Scratch, 2>(topology, [nodes, old], &SCRATCH, |block, scratch, around| {
            fill(block, scratch);
            around.add::<S>(0, &scratch.momentum);
            around.add::<S>(1, &scratch.impulse);
        });
    } else {
        scatter::<Scratch, 1>(topology, [nodes], &SCRATCH, |block, scratch, around| {
            fill(block, scratch);
            around.add::<S>(0, &scratch.momentum);
        });
    }
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
                // The mass multiplies the weights, not the values. The mass and momentum of a node then have the same
                // rounding errors, which cancel in the velocity. Otherwise the errors would accumulate over thousands of
                // steps.
                stencils.weigh::<S>(&mass[start..end]);
                for i in start..end {
                    let at = (&*stencils, i - start);
                    let gradients = stencils.gradients();
                    let inv_mass = 1.0 / mass[i];
                    let c = c[i].scale(k.affine);
                    // `stress` is multiplied by the gradient weights, and `push` by the weights. The in-manifold stress of an element acts through
                    // its vertices; the element itself contributes only the remaining stress [Jiang2017, Sec. 4.4].
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
                        // Linear splines: the affine velocity uses the first moments, the stress uses the gradients.
                        momentum.scatter::<S, V>(at, stencils.moments(), q, &columns(&c));
                        momentum.scatter::<S, V>(at, gradients, [0.0; 4], &columns(&stress));
                    }
                }
            }
        }
    }
}
