//! Grid to particles on the device: mirrors [`crate::g2p`]. A thread block loads the velocities around a block into a tile and moves the block's particles.

use super::bounds;
use super::clock::{BROKEN, Clock, DRIFTED, SPEED2, WAVE2, step_length};
use super::grid_update::NUMBERS;
use super::laws::{LawSet, is_fluid, is_slime, respond};
use super::p2g::{Shape, UNITS, particle_at};
use super::particles::{
    ALIGNMENT, C, CURVE, DeviceParticles, F, HELD, MEMORY, POINT, SURFACE, V, X, kind_of, material_of, read_mat3,
    write_mat3, write_stress,
};
use super::stencil::{Axis, axis, reaches};
use super::substances::{DeviceSubstances, first_of, inverse_density, law_of};
use crate::g2p::COMPRESSED;
use crate::law::Trial;
use crate::params::{Params, Transfer};
use cubecl::prelude::*;
use fibra_core::block_key::BLOCK_NODES;
use fibra_core::mat3::{Diag3, Mat3};
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::chunks::Chunk;
use fibra_gpu::launch::{item_at, iterations};
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// Compile-time parameters of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Motion {
    shape: Shape,
    /// Whether particle positions may deviate from the grid's motion.
    separating: bool,
    /// Whether particles store an alignment of their grains.
    aligned: bool,
    laws: LawSet,
}

/// Constants of the velocity transfer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// Decay rate of the symmetric part of the affine velocity [1/s].
    damping: f32,
    /// Fraction of the particle's own velocity that is kept [-].
    ratio: f32,
    /// Fractions of the FLIP velocity correction that are also applied to positions: the first where the material compresses, the second where it
    /// separates [-].
    trap_breaking: [f32; 2],
}

impl Shares {
    pub(super) fn new(transfer: Transfer) -> Shares {
        let none = Shares { damping: 0.0, ratio: 0.0, trap_breaking: [0.0; 2] };
        match transfer {
            Transfer::Pic => none,
            Transfer::Apic { damping } => Shares { damping, ..none },
            Transfer::Flip { ratio } => Shares { ratio, ..none },
            Transfer::Sflip { ratio, trap_breaking } => Shares { ratio, trap_breaking, ..none },
        }
    }
}

impl Motion {
    pub(super) fn new(params: &Params, shape: Shape, laws: LawSet, aligned: bool) -> Motion {
        Motion { shape, separating: matches!(params.transfer, Transfer::Sflip { .. }), aligned, laws }
    }
}

/// A velocity on the grid and its derivative along each axis [1/cell].
#[derive(CubeType, Clone, Copy)]
struct Flow {
    v: Vector3,
    x: Vector3,
    y: Vector3,
    z: Vector3,
}

/// Computes weighted sums over a stencil.
#[cube]
fn gather(
    tile: &SharedMemory<f32>,
    x: &Axis,
    y: &Axis,
    z: &Axis,
    #[comptime] component: u32,
    #[comptime] shape: Shape,
) -> (f32, f32, f32, f32) {
    let edge = comptime!(shape.edge());
    let first = comptime!(component * shape.nodes()) + (x.base * edge + y.base) * edge + z.base;
    let mut value = 0.0f32;
    let mut slope_x = 0.0f32;
    let mut slope_y = 0.0f32;
    let mut slope_z = 0.0f32;
    #[unroll]
    for i in 0..shape.width {
        let mut layer = 0.0f32;
        let mut layer_y = 0.0f32;
        let mut layer_z = 0.0f32;
        #[unroll]
        for j in 0..shape.width {
            let mut row = 0.0f32;
            let mut row_z = 0.0f32;
            #[unroll]
            for k in 0..shape.width {
                let node = tile[(first + comptime!((i * edge + j) * edge + k)) as usize];
                row += z.w.at(k) * node;
                row_z += z.g.at(k) * node;
            }
            layer += y.w.at(j) * row;
            layer_y += y.g.at(j) * row;
            layer_z += y.w.at(j) * row_z;
        }
        value += x.w.at(i) * layer;
        slope_x += x.g.at(i) * layer;
        slope_y += x.w.at(i) * layer_y;
        slope_z += x.w.at(i) * layer_z;
    }
    (value, slope_x, slope_y, slope_z)
}

#[cube]
fn flow_at(
    tile: &SharedMemory<f32>,
    x: &Axis,
    y: &Axis,
    z: &Axis,
    #[comptime] first: u32,
    #[comptime] shape: Shape,
) -> Flow {
    let (vx, xx, xy, xz) = gather(tile, x, y, z, first, shape);
    let (vy, yx, yy, yz) = gather(tile, x, y, z, comptime!(first + 1), shape);
    let (vz, zx, zy, zz) = gather(tile, x, y, z, comptime!(first + 2), shape);
    Flow {
        v: Vector3 { x: vx, y: vy, z: vz },
        x: Vector3 { x: xx, y: yx, z: zx },
        y: Vector3 { x: xy, y: yy, z: zy },
        z: Vector3 { x: xz, y: yz, z: zz },
    }
}

/// Loads the velocities around a block into the tile.
#[cube]
fn load_tile(
    nodes: &Array<f32>,
    neighbors: &Array<u32>,
    tile: &mut SharedMemory<f32>,
    block: usize,
    first_block: usize,
    #[comptime] first: u32,
    #[comptime] shape: Shape,
) {
    let edge = comptime!(shape.edge());
    let count = comptime!(shape.nodes());
    let per_block = comptime!(NUMBERS as usize * BLOCK_NODES);
    for round in 0..comptime!(shape.nodes().div_ceil(UNITS)) {
        let node = round * UNITS + UNIT_POS;
        if node < count {
            // The tile starts one node before the block; blocks have four nodes along an axis.
            let x = node / comptime!(edge * edge) + 3;
            let y = node / edge % edge + 3;
            let z = node % edge + 3;
            let from = neighbors[block * 27 + ((x / 4 * 3 + y / 4) * 3 + z / 4) as usize] as usize + first_block;
            let at = from * per_block + ((x % 4 * 4 + y % 4) * 4 + z % 4) as usize;
            let to = comptime!(first * shape.nodes()) + node;
            tile[to as usize] = nodes[at];
            tile[(to + count) as usize] = nodes[at + comptime!(BLOCK_NODES)];
            tile[(to + 2 * count) as usize] = nodes[at + comptime!(2 * BLOCK_NODES)];
        }
    }
}

/// Returns the alignment of a particle's grains, if particles store one.
#[cube]
fn alignment_of(fields: &Array<f32>, n: usize, p: usize, none: f32, #[comptime] aligned: bool) -> Diag3 {
    if comptime!(aligned) {
        let at = ALIGNMENT as usize * n + p;
        Diag3 { x: fields[at], y: fields[at + n], z: fields[at + 2 * n] }
    } else {
        Diag3 { x: none, y: none, z: none }
    }
}

#[cube(launch_unchecked)]
fn g2p_kernel(
    fields: &mut Array<f32>,
    group: &Array<u32>,
    chunks: &Array<u32>,
    coordinates: &Array<i32>,
    neighbors: &Array<u32>,
    nodes: &Array<f32>,
    table: &Array<f32>,
    clock: &Array<u32>,
    extremes: &Array<Atomic<u32>>,
    bounds: &mut Array<u32>,
    sums: &mut Array<i32>,
    order: &Array<u32>,
    counts: &Array<u32>,
    inv_dx: f32,
    damping: f32,
    ratio: f32,
    trap_pressed: f32,
    trap_separating: f32,
    #[comptime] motion: Motion,
    #[comptime] listed: bool,
) {
    let shape = comptime!(motion.shape);
    let dt = step_length(clock);
    let tiles = comptime!(if shape.split { 2usize } else { 1usize });
    let mut tile = SharedMemory::<f32>::new(comptime!(tiles * 3 * shape.nodes() as usize));
    let n = group.len();
    let mut speed2 = 0.0f32;
    let mut wave2 = 0.0f32;
    let mut drifted = 0u32;
    let mut broken = 0u32;
    for iteration in 0..select(dt > 0.0f32, iterations(counts[2usize]), 0u32) {
        let chunk = Chunk::read(chunks, item_at(iteration));
        let block = chunk.block as usize;
        load_tile(nodes, neighbors, &mut tile, block, 0usize, 0u32, shape);
        if comptime!(shape.split) {
            load_tile(nodes, neighbors, &mut tile, block, counts[1usize] as usize, 3u32, shape);
        }
        // The bounds and sums of this step are no longer needed; set them to zero for the next step.
        if chunk.part == 0 {
            if UNIT_POS < comptime!(bounds::NUMBERS) {
                bounds[block * comptime!(bounds::NUMBERS as usize) + UNIT_POS as usize] = 0u32;
            }
            for round in 0..comptime!(shape.tile().div_ceil(UNITS)) {
                let at = round * UNITS + UNIT_POS;
                if at < comptime!(shape.tile()) {
                    sums[block * comptime!(shape.tile() as usize) + at as usize] = 0i32;
                }
            }
        }
        sync_cube();
        let home = neighbors[block * 27 + 13] as usize * 3;
        let origin_x = f32::cast_from(coordinates[home] * 4 - 1);
        let origin_y = f32::cast_from(coordinates[home + 1] * 4 - 1);
        let origin_z = f32::cast_from(coordinates[home + 2] * 4 - 1);
        for round in 0..(chunk.to - chunk.from + comptime!(UNITS - 1)) / UNITS {
            let i = chunk.from + round * UNITS + UNIT_POS;
            let p = particle_at(order, u32::min(i, chunk.to - 1u32), listed);
            let of = group[p];
            let kind = kind_of(of);
            let at = X as usize * n + p;
            let was = Vector3 { x: fields[at], y: fields[at + n], z: fields[at + 2 * n] };
            if i < chunk.to && kind != HELD {
                let x = axis(was.x * inv_dx - origin_x, shape.width);
                let y = axis(was.y * inv_dx - origin_y, shape.width);
                let z = axis(was.z * inv_dx - origin_z, shape.width);
                let flow = flow_at(&tile, &x, &y, &z, 0u32, shape);
                let grad_v = Mat3 {
                    xx: flow.x.x * inv_dx,
                    xy: flow.y.x * inv_dx,
                    xz: flow.z.x * inv_dx,
                    yx: flow.x.y * inv_dx,
                    yy: flow.y.y * inv_dx,
                    yz: flow.z.y * inv_dx,
                    zx: flow.x.z * inv_dx,
                    zy: flow.y.z * inv_dx,
                    zz: flow.z.z * inv_dx,
                };
                let at_v = V as usize * n + p;
                let mut v = flow.v;
                let mut drift = flow.v;
                if comptime!(shape.split) {
                    let old = flow_at(&tile, &x, &y, &z, 3u32, shape);
                    let before = Vector3 { x: fields[at_v], y: fields[at_v + n], z: fields[at_v + 2 * n] };
                    let own = before.minus(old.v).times(ratio);
                    if comptime!(motion.separating) {
                        // See `separates` in `g2p.rs`.
                        let mut volume = f32::new(1.0);
                        if kind == POINT {
                            volume = read_mat3(fields, F, n, p).det();
                            let law = law_of(table, material_of(of));
                            if is_fluid(law) {
                                volume = fields[MEMORY as usize * n + p];
                            }
                            if is_slime(law) {
                                volume *= fields[MEMORY as usize * n + p];
                            }
                        }
                        let separates = volume * (1.0f32 + dt * grad_v.trace()) >= COMPRESSED;
                        let share = select(separates, trap_separating, trap_pressed);
                        drift = v.plus(own.times(share));
                        v = v.plus(own);
                    } else {
                        v = v.plus(own);
                    }
                }
                if comptime!(motion.shape.affine) {
                    // C = skew + (1 - nu) symmetric [Jiang2017, Eq. 2]
                    let nu = 1.0f32 - f32::exp(-damping * dt);
                    let c = grad_v.scale(1.0f32 - 0.5f32 * nu).add(&grad_v.transpose().scale(-0.5f32 * nu));
                    write_mat3(fields, C, n, p, &c);
                }
                fields[at_v] = v.x;
                fields[at_v + n] = v.y;
                fields[at_v + 2 * n] = v.z;
                let mut now = was;
                if kind < CURVE {
                    now = was.plus(drift.times(dt));
                    fields[at] = now.x;
                    fields[at + n] = now.y;
                    fields[at + 2 * n] = now.z;
                }
                let fast = v.x * v.x + v.y * v.y + v.z * v.z;
                speed2 = f32::max(speed2, fast);
                let inside = reaches(now.x * inv_dx - origin_x, shape.width)
                    && reaches(now.y * inv_dx - origin_y, shape.width)
                    && reaches(now.z * inv_dx - origin_z, shape.width);
                if !inside {
                    drifted = 1u32;
                }
                if !(fast < f32::MAX) {
                    broken = 1u32;
                }
                if comptime!(motion.laws != LawSet::default()) {
                    if kind == POINT {
                        let material = material_of(of);
                        let f = read_mat3(fields, F, n, p);
                        let trial = Trial {
                            f: f.add(&grad_v.mul(&f).scale(dt)),
                            grad_v,
                            memory: fields[MEMORY as usize * n + p],
                            dt,
                        };
                        let alignment = alignment_of(fields, n, p, dt * 0.0f32, motion.aligned);
                        let aligned = respond(
                            &trial,
                            &alignment,
                            law_of(table, material),
                            first_of(table, material),
                            table,
                            motion.laws,
                        );
                        let response = aligned.response;
                        write_mat3(fields, F, n, p, &response.f);
                        write_stress(fields, n, p, &response.tau);
                        fields[MEMORY as usize * n + p] = response.memory;
                        if comptime!(motion.aligned) {
                            let at = ALIGNMENT as usize * n + p;
                            fields[at] = aligned.alignment.x;
                            fields[at + n] = aligned.alignment.y;
                            fields[at + 2 * n] = aligned.alignment.z;
                        }
                        let tau = response.tau;
                        let total = f32::abs(tau.xx + tau.yy + tau.zz + tau.yz + tau.xz + tau.xy);
                        if !(total < f32::MAX) {
                            broken = 1u32;
                        }
                        wave2 = f32::max(wave2, response.modulus * inverse_density(table, material));
                    }
                }
                if comptime!(shape.meshes) {
                    if kind == CURVE {
                        let f = read_mat3(fields, F, n, p);
                        write_mat3(fields, F, n, p, &f.add(&grad_v.mul(&f).scale(dt)));
                    } else if kind == SURFACE {
                        // The grid moves the normal, which is the third column [Jiang2017, Eq. 4].
                        let f = read_mat3(fields, F, n, p);
                        let at = F as usize * n + p;
                        fields[at + 2 * n] = f.xz + dt * (grad_v.xx * f.xz + grad_v.xy * f.yz + grad_v.xz * f.zz);
                        fields[at + 5 * n] = f.yz + dt * (grad_v.yx * f.xz + grad_v.yy * f.yz + grad_v.yz * f.zz);
                        fields[at + 8 * n] = f.zz + dt * (grad_v.zx * f.xz + grad_v.zy * f.yz + grad_v.zz * f.zz);
                    }
                }
            }
        }
        // After this barrier the tile can be overwritten.
        sync_cube();
    }
    // The bits of positive floats have the same order as the floats.
    let block_extremes = SharedMemory::<Atomic<u32>>::new(4usize);
    if UNIT_POS < 4 {
        block_extremes[UNIT_POS as usize].store(0u32);
    }
    sync_cube();
    block_extremes[0usize].fetch_max(u32::reinterpret(speed2));
    block_extremes[1usize].fetch_max(u32::reinterpret(wave2));
    block_extremes[2usize].fetch_max(drifted);
    block_extremes[3usize].fetch_max(broken);
    sync_cube();
    if UNIT_POS == 0 && dt > 0.0f32 {
        extremes[SPEED2].fetch_max(block_extremes[0usize].load());
        extremes[WAVE2].fetch_max(block_extremes[1usize].load());
        extremes[DRIFTED].fetch_max(block_extremes[2usize].load());
        extremes[BROKEN].fetch_max(block_extremes[3usize].load());
    }
}

/// Moves the particles with the grid over the step and updates their stress.
pub(super) fn g2p<R: Runtime>(
    gpu: &Gpu<R>,
    params: &Params,
    particles: &DeviceParticles,
    grid: &DeviceGrid,
    nodes: &Buffer<f32>,
    substances: &DeviceSubstances,
    clock: &Clock,
    bounds: &Buffer<u32>,
    tiles: &Buffer<i32>,
    shares: Shares,
    motion: Motion,
) {
    // SAFETY: chunks, neighbors and coordinates are those of one `DeviceGrid`, built for these particles and nodes; `axis` clamps
    // tile indices; materials are those of the table.
    unsafe {
        g2p_kernel::launch_unchecked::<R>(
            &gpu.client,
            grid.cubes_for_chunks(),
            CubeDim::new_1d(UNITS),
            particles.fields.arg(),
            particles.group.arg(),
            grid.chunks.arg(),
            grid.coordinates.arg(),
            grid.neighbors.arg(),
            nodes.arg(),
            substances.table.arg(),
            clock.buffer.arg(),
            clock.extremes.arg(),
            bounds.arg(),
            tiles.arg(),
            grid.order.arg(),
            grid.counts.arg(),
            1.0 / params.dx,
            shares.damping,
            shares.ratio,
            shares.trap_breaking[0],
            shares.trap_breaking[1],
            motion,
            grid.listed,
        );
    }
}
