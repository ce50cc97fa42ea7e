//! Grid to particles: velocities, positions, the deformation update and the return mapping of each particle's constitutive model.

use crate::law::{Batch, LANES};
use crate::params::{Kernel, Params, Transfer};
use crate::scatter::tile_origin;
use crate::split::{Blocks, Merge, Split};
use crate::state::{Extremes, ParticlesMut, State};
use crate::tile::{Cubic, Linear, Quadratic, Spline, Stencils, Tile, reaches};
use crate::workspace::Grid;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::Run;
use fibra_core::simd::dispatch;
use fibra_materials::kind::{Group, Kind};

/// Moves the particles with the grid over `dt` [s] and updates their stress. Elements get only velocities and normals here:
/// their positions and tangents follow from their vertices.
pub fn g2p(params: &Params, state: &mut State, grid: &Grid, dt: f32) -> Extremes {
    let whole = Gather { params, blocks: Blocks { runs: &state.runs, grid }, dt };
    let particles = state.particles.as_mut();
    match params.kernel {
        Kernel::Linear => whole.gather::<Linear>(particles),
        Kernel::Quadratic => whole.gather::<Quadratic>(particles),
        Kernel::Cubic => whole.gather::<Cubic>(particles),
    }
}

/// Inputs of the transfer.
#[derive(Clone, Copy)]
struct Gather<'a> {
    params: &'a Params,
    blocks: Blocks<'a>,
    dt: f32,
}

impl Gather<'_> {
    fn gather<S: Spline>(self, particles: ParticlesMut<'_>) -> Extremes {
        let Gather { params, blocks, dt } = self;
        blocks.share(particles, &|range, mut rest| {
            let mut scratch = Scratch::default();
            let mut extremes = Extremes::default();
            for block in range {
                let neighbors = &blocks.grid.topology.neighbors[block];
                scratch.tile.load::<S>(&blocks.grid.nodes, neighbors);
                if params.transfer.needs_old_velocity() {
                    scratch.old.load::<S>(&blocks.grid.old, neighbors);
                }
                for run in blocks.runs_of(block) {
                    let mine;
                    (mine, rest) = rest.split_at((run.end - run.start) as usize);
                    let run = RunUpdate { params, run, dt };
                    extremes = extremes.merge(gather_run::<S>(run, &mut scratch, mine));
                }
            }
            extremes
        })
    }
}

/// Scratch of a task: the grid around a block, and a batch of its particles.
#[derive(Default)]
struct Scratch {
    /// Velocities after the grid update.
    tile: Tile,
    /// Velocities before the grid update, if the transfer needs them.
    old: Tile,
    stencils: Stencils,
    batch: Batch,
}

/// Volume ratio below which material counts as compressed [-]; the authors of SFLIP compare logarithms with -0.001.
pub const COMPRESSED: f32 = 0.999;

/// Returns whether material separates [Fei2021]: whether its elastic volume ratio at the end of the step, from the ratio at its start and the volumetric
/// strain of the step, shows no compression. The sign of the strain alone would let compressed material separate as soon as it expands.
#[inline]
pub fn separates(volume_ratio: f32, strain: f32) -> bool {
    volume_ratio * (1.0 + strain) >= COMPRESSED
}

/// One run of particles of the same block, kind and material.
#[derive(Clone, Copy)]
struct RunUpdate<'a> {
    params: &'a Params,
    run: &'a Run,
    dt: f32,
}

fn gather_run<S: Spline>(k: RunUpdate<'_>, scratch: &mut Scratch, p: ParticlesMut<'_>) -> Extremes {
    let Group { material, kind } = Group::of_number(k.run.group);
    if kind == Kind::Held {
        return Extremes::default();
    }
    let substance = &k.params.substances[material as usize];
    let mut modulus = 0.0f32;
    let mut extremes = Extremes::default();
    let mut rest = p;
    while !rest.x.is_empty() {
        let n = rest.x.len().min(LANES);
        let (mut mine, others) = rest.split_at(n);
        rest = others;
        extremes = extremes.merge(gather_batch::<S>(k, kind, scratch, &mut mine));
        if kind == Kind::Point {
            substance.material.respond(&mut scratch.batch, n, k.dt);
            let (stiffest, sound) = store_batch(&scratch.batch, &mut mine);
            modulus = modulus.max(stiffest);
            extremes.broken |= !sound;
        }
    }
    Extremes { wave_speed: (modulus / substance.density).sqrt(), ..extremes }
}

dispatch! {
    fn gather_batch[S: Spline; for V](
        k: RunUpdate<'_>, kind: Kind, scratch: &mut Scratch, p: &mut ParticlesMut<'_>,
    ) -> Extremes {
        let Scratch { tile, old, stencils, batch } = scratch;
        let inv_dx = 1.0 / k.params.dx;
        let origin = tile_origin(k.run.key);
        let dt = k.dt;
        let nu = k.params.transfer.removed_share(dt);
        let material = &k.params.substances[Group::of_number(k.run.group).material as usize].material;
        let moves = !kind.is_element();
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
                Transfer::Apic { .. } => {
                    // C = skew + (1 - nu) symmetric [Jiang2017, Eq. 2]
                    p.c[l] = grad_v.scale(1.0 - 0.5 * nu).add(&grad_v.transpose().scale(-0.5 * nu));
                }
                Transfer::Flip { ratio } => {
                    let (was, _) = old.gather::<S, V>((stencils, l));
                    v = std::array::from_fn(|a| v[a] + ratio * (p.v[l][a] - was[a]));
                }
                Transfer::Sflip { ratio, trap_breaking } => {
                    let (was, _) = old.gather::<S, V>((stencils, l));
                    let volume = if kind == Kind::Point { material.elastic_volume_ratio(&p.f[l], p.memory[l]) } else { 1.0 };
                    let share = trap_breaking[usize::from(separates(volume, dt * grad_v.trace()))];
                    let own: [f32; 3] = std::array::from_fn(|a| ratio * (p.v[l][a] - was[a]));
                    drift = std::array::from_fn(|a| v[a] + share * own[a]);
                    v = std::array::from_fn(|a| v[a] + own[a]);
                }
            }
            p.v[l] = v;
            if moves {
                p.x[l] = [x[0] + dt * drift[0], x[1] + dt * drift[1], x[2] + dt * drift[2]];
            }
            let fast = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            speed2 = speed2.max(fast);
            sound &= fast < f32::INFINITY;
            inside &= reaches::<S>(p.x[l], origin, inv_dx);
            match kind {
                Kind::Point => {
                    let (g, f) = (grad_v.to_rows(), p.f[l].to_rows());
                    for e in 0..9 {
                        batch.grad_v[e][l] = g[e];
                        batch.f[e][l] = f[e];
                    }
                    batch.memory[l] = p.memory[l];
                    if let Some(alignment) = p.alignment.get(l) {
                        for a in 0..3 {
                            batch.alignment[a][l] = alignment[a];
                        }
                    }
                }
                // The grid moves the normals, d <- d + dt grad v d [Jiang2017, Eq. 4]. The tangents are recomputed from
                // the mesh afterwards.
                Kind::Curve => p.f[l] = p.f[l].add(&grad_v.mul(&p.f[l]).scale(dt)),
                Kind::Surface => {
                    let d = p.f[l].column_z();
                    let change = grad_v.mul_vec(d);
                    p.f[l].xz = d[0] + dt * change[0];
                    p.f[l].yz = d[1] + dt * change[1];
                    p.f[l].zz = d[2] + dt * change[2];
                }
                Kind::Vertex | Kind::Held => {}
            }
        }
        Extremes { speed: speed2.sqrt(), wave_speed: 0.0, drifted: !inside, broken: !sound }
    }
}

dispatch! {
    /// Writes a batch back; returns the largest wave modulus [Pa] and whether every stress is finite.
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
            if let Some(alignment) = p.alignment.get_mut(l) {
                *alignment = std::array::from_fn(|a| batch.alignment[a][l]);
            }
            modulus = modulus.max(batch.modulus[l]);
            sound &= (xx + yy + zz + yz + xz + xy).abs() < f32::INFINITY;
        }
        (modulus, sound)
    }
}
