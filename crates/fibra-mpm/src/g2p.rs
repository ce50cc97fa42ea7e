//! Grid to particles: velocities, positions, then the deformation update and plastic flow of each particle's law.

use crate::law::{Batch, LANES};
use crate::p2g::tile_origin;
use crate::params::{Kernel, Params, Transfer};
use crate::simd::dispatch;
use crate::state::{Extremes, ParticlesMut, State};
use crate::tile::{Cubic, Linear, Quadratic, Spline, Stencils, Tile};
use crate::workspace::Grid;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::Run;

/// Moves the particles with the grid over `dt` [s] and updates their stress.
pub fn g2p(params: &Params, state: &mut State, grid: &Grid, dt: f32) -> Extremes {
    let whole = Range { params, runs: &state.runs, grid, dt, blocks: 0..grid.runs_of.len() };
    let particles = state.particles.as_mut();
    match params.kernel {
        Kernel::Linear => whole.gather::<Linear>(particles),
        Kernel::Quadratic => whole.gather::<Quadratic>(particles),
        Kernel::Cubic => whole.gather::<Cubic>(particles),
    }
}

/// A range of occupied blocks, whose particles are a range too.
#[derive(Clone)]
struct Range<'a> {
    params: &'a Params,
    runs: &'a [Run],
    grid: &'a Grid,
    dt: f32,
    blocks: std::ops::Range<usize>,
}

/// Blocks a task takes without splitting further.
const BLOCKS_PER_TASK: usize = 4;

impl Range<'_> {
    fn runs_of(&self, block: usize) -> &[Run] {
        let [from, to] = self.grid.runs_of[block];
        &self.runs[from as usize..to as usize]
    }

    /// Splits the particles between threads by halving the range of blocks.
    fn gather<S: Spline>(self, particles: ParticlesMut<'_>) -> Extremes {
        if self.blocks.len() > BLOCKS_PER_TASK {
            let middle = self.blocks.start + self.blocks.len() / 2;
            let first = self.runs_of(self.blocks.start)[0].start;
            let cut = (self.runs_of(middle)[0].start - first) as usize;
            let (left, right) = particles.split_at(cut);
            let (a, b) = (
                Range { blocks: self.blocks.start..middle, ..self.clone() },
                Range { blocks: middle..self.blocks.end, ..self },
            );
            let (a, b) = rayon::join(|| a.gather::<S>(left), || b.gather::<S>(right));
            return a.merge(b);
        }
        let mut scratch = Scratch::default();
        let mut extremes = Extremes::default();
        let mut rest = particles;
        for block in self.blocks.clone() {
            let neighbors = &self.grid.topology.neighbors[block];
            scratch.tile.load::<S>(&self.grid.nodes, neighbors);
            if self.params.transfer.needs_old_velocity() {
                scratch.old.load::<S>(&self.grid.old, neighbors);
            }
            for run in self.runs_of(block) {
                let (mine, others) = rest.split_at((run.end - run.start) as usize);
                rest = others;
                let run = RunUpdate { params: self.params, run, dt: self.dt };
                extremes = extremes.merge(gather_run::<S>(run, &mut scratch, mine));
            }
        }
        extremes
    }
}

/// What a task works on: the grid around a block, and a batch of its particles.
#[derive(Default)]
struct Scratch {
    /// Velocities after the grid's update.
    tile: Tile,
    /// Velocities before it, where the transfer asks for them.
    old: Tile,
    stencils: Stencils,
    batch: Batch,
}

/// One run of particles of the same block and material.
#[derive(Clone, Copy)]
struct RunUpdate<'a> {
    params: &'a Params,
    run: &'a Run,
    dt: f32,
}

fn gather_run<S: Spline>(k: RunUpdate<'_>, scratch: &mut Scratch, p: ParticlesMut<'_>) -> Extremes {
    let substance = &k.params.substances[k.run.group as usize];
    let mut modulus = 0.0f32;
    let mut extremes = Extremes::default();
    let mut rest = p;
    while !rest.x.is_empty() {
        let n = rest.x.len().min(LANES);
        let (mut mine, others) = rest.split_at(n);
        rest = others;
        extremes = extremes.merge(gather_batch::<S>(k, scratch, &mut mine));
        substance.material.respond(&mut scratch.batch, n, k.dt);
        let (stiffest, sound) = store_batch(&scratch.batch, &mut mine);
        modulus = modulus.max(stiffest);
        extremes.broken |= !sound;
    }
    Extremes { wave_speed: (modulus / substance.density).sqrt(), ..extremes }
}

dispatch! {
    fn gather_batch[S: Spline; for V](k: RunUpdate<'_>, scratch: &mut Scratch, p: &mut ParticlesMut<'_>) -> Extremes {
        let Scratch { tile, old, stencils, batch } = scratch;
        let inv_dx = 1.0 / k.params.dx;
        let origin = tile_origin(k.run.key);
        let dt = k.dt;
        let (mut speed2, mut sound, mut inside) = (0.0f32, true, true);
        let n = p.x.len().min(LANES);
        stencils.find::<S>(&p.x[..n], origin, inv_dx);
        for l in 0..n {
            let x = p.x[l];
            let (v_grid, slopes) = tile.gather::<S, V>((stencils, l));
            // Column k of the velocity gradient is the sum over nodes of v_i times the gradient weight along k.
            let [gx, gy, gz] = slopes;
            let grad_v = Mat3::from_rows([gx[0], gy[0], gz[0], gx[1], gy[1], gz[1], gx[2], gy[2], gz[2]]).scale(inv_dx);
            let mut v = [v_grid[0], v_grid[1], v_grid[2]];
            let mut drift = v;
            match k.params.transfer {
                Transfer::Pic => {}
                Transfer::Apic { damping } => {
                    // C = skew + (1 - nu) symmetric [Jiang2017, Eq. 2]
                    p.c[l] = grad_v.scale(1.0 - 0.5 * damping).add(&grad_v.transpose().scale(-0.5 * damping));
                }
                Transfer::Flip { ratio } => {
                    let (was, _) = old.gather::<S, V>((stencils, l));
                    v = std::array::from_fn(|a| v[a] + ratio * (p.v[l][a] - was[a]));
                }
                Transfer::Sflip { ratio, trap_breaking } => {
                    let (was, _) = old.gather::<S, V>((stencils, l));
                    let share = if grad_v.trace() > 0.0 { trap_breaking[1] } else { trap_breaking[0] };
                    let own: [f32; 3] = std::array::from_fn(|a| ratio * (p.v[l][a] - was[a]));
                    drift = std::array::from_fn(|a| v[a] + share * own[a]);
                    v = std::array::from_fn(|a| v[a] + own[a]);
                }
            }
            p.v[l] = v;
            p.x[l] = [x[0] + dt * drift[0], x[1] + dt * drift[1], x[2] + dt * drift[2]];
            let fast = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            speed2 = speed2.max(fast);
            sound &= fast < f32::INFINITY;
            for a in 0..3 {
                // Where the stencil starts, in tile nodes; the tile reaches from 0 to 5.
                let base = p.x[l][a] * inv_dx - origin[a] - 0.5 * (S::WIDTH as f32 - 2.0);
                inside &= (0.0..6.0).contains(&base);
            }
            let (g, f) = (grad_v.to_rows(), p.f[l].to_rows());
            for e in 0..9 {
                batch.grad_v[e][l] = g[e];
                batch.f[e][l] = f[e];
            }
            batch.memory[l] = p.memory[l];
        }
        Extremes { speed: speed2.sqrt(), wave_speed: 0.0, drifted: !inside, broken: !sound }
    }
}

dispatch! {
    /// Writes a batch back; tells the stiffest wave modulus [Pa] and whether every stress is finite.
    fn store_batch[; for _V](batch: &Batch, p: &mut ParticlesMut<'_>) -> (f32, bool) {
        let (mut modulus, mut sound) = (0.0f32, true);
        let n = p.x.len().min(LANES);
        for l in 0..n {
            let f = &batch.f;
            p.f[l] = Mat3::from_rows([
                f[0][l], f[1][l], f[2][l], f[3][l], f[4][l], f[5][l], f[6][l], f[7][l], f[8][l],
            ]);
            let t = &batch.tau;
            let [xx, yy, zz, yz, xz, xy] = [t[0][l], t[1][l], t[2][l], t[3][l], t[4][l], t[5][l]];
            p.tau[l] = Sym3 { xx, yy, zz, yz, xz, xy };
            p.memory[l] = batch.memory[l];
            modulus = modulus.max(batch.modulus[l]);
            sound &= (xx + yy + zz + yz + xz + xy).abs() < f32::INFINITY;
        }
        (modulus, sound)
    }
}
