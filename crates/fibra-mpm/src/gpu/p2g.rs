//! Particles to grid on the device: mirrors [`crate::p2g`].
//!
//! A thread block (CubeCL: a cube) sums the particles of a chunk of a block in a tile in shared memory. The sums are fixed-point integers: a float
//! sum of many threads would depend on their order, and float atomics are slow on many devices. The quantum is chosen for each block such
//! that the sum of all its particles fits; it does not depend on the order of the particles or on the chunks. The tiles of chunks are added
//! to the tile of the block; the grid update sums the tiles.

use super::bounds::Quantum;
use super::clock::{Clock, step_length};
use super::contribution::contribution_of;
use super::particles::{DeviceParticles, HELD, MASS, X, kind_of, read_vec3};
use super::stencil::{RotatedAxis, axis};
use crate::params::{Kernel, Params, Transfer};
use crate::tile::{Cubic, Quadratic, Spline};
use cubecl::prelude::*;
use fibra_core::mat3::Mat3;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::chunks::Chunk;
use fibra_gpu::launch::{item_at, iterations};
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// Number of threads in a thread block.
pub(super) const UNITS: u32 = 128;

/// Compile-time parameters of the transfer kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// Number of nodes along an axis to which a particle contributes.
    pub(super) width: u32,
    /// Whether the impulse of forces is summed separately, because the velocity before forces is needed.
    pub(super) split: bool,
    /// Whether there are mesh particles.
    pub(super) meshes: bool,
    /// Whether the transfer is affine.
    pub(super) affine: bool,
    /// Whether threads of a warp (CubeCL: units of a plane) can exchange values.
    pub(super) planes: bool,
}

impl Shape {
    pub(super) fn new<R: Runtime>(gpu: &Gpu<R>, params: &Params) -> Shape {
        let width = match params.kernel {
            Kernel::Linear => 2,
            Kernel::Quadratic => 3,
            Kernel::Cubic => 4,
        };
        Shape {
            width,
            split: params.transfer.needs_old_velocity(),
            meshes: !params.meshes.corners.is_empty(),
            affine: matches!(params.transfer, Transfer::Apic { .. }),
            planes: gpu.client.properties().features.plane.contains(cubecl::ir::features::Plane::Ops),
        }
    }

    /// Returns the number of nodes along the edge of a tile.
    pub(super) fn edge(self) -> u32 {
        self.width + 5
    }

    /// Returns the number of nodes of a tile.
    pub(super) fn nodes(self) -> u32 {
        self.edge().pow(3)
    }

    /// Returns the number of sums per node: momentum and mass, and the impulse if it is separate.
    pub(super) fn sums(self) -> u32 {
        if self.split { 7 } else { 4 }
    }

    /// Returns the number of integers in a tile.
    pub(super) fn tile(self) -> u32 {
        self.sums() * self.nodes()
    }
}

/// Constants used for every particle; see `crate::p2g`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors {
    pub(super) inv_dx: f32,
    pub(super) affine: f32,
}

impl Factors {
    pub(super) fn new(params: &Params) -> Factors {
        let affine = match (params.transfer, params.kernel) {
            (Transfer::Apic { .. }, Kernel::Linear) => params.dx,
            (Transfer::Apic { .. }, Kernel::Quadratic) => params.dx / Quadratic::AFFINE,
            (Transfer::Apic { .. }, Kernel::Cubic) => params.dx / Cubic::AFFINE,
            _ => 0.0,
        };
        Factors { inv_dx: 1.0 / params.dx, affine }
    }
}

/// Rounds to the nearest integer.
#[cube]
fn nearest(x: f32) -> i32 {
    i32::cast_from(f32::floor(x + 0.5f32))
}

/// Adds `w q + g . a` of one component to the nodes of a stencil.
#[cube]
fn add_component(
    tile: &SharedMemory<Atomic<i32>>,
    x: &RotatedAxis,
    y: &RotatedAxis,
    z: &RotatedAxis,
    q: f32,
    ax: f32,
    ay: f32,
    az: f32,
    #[comptime] component: u32,
    #[comptime] moments: bool,
    #[comptime] shape: Shape,
) {
    let edge = comptime!(shape.edge());
    let first = comptime!(component * shape.nodes());
    let (wx_of, wy_of, wz_of) = (x.axis, y.axis, z.axis);
    #[unroll]
    for i in 0..shape.width {
        let wx = wx_of.w.at(i);
        let gx = if comptime!(moments) { wx_of.d.at(i) } else { wx_of.g.at(i) };
        let layer = wx * q + gx * ax;
        let layer_y = wx * ay;
        let layer_z = wx * az;
        #[unroll]
        for j in 0..shape.width {
            let wy = wy_of.w.at(j);
            let gy = if comptime!(moments) { wy_of.d.at(j) } else { wy_of.g.at(j) };
            let row = wy * layer + gy * layer_y;
            let row_z = wy * layer_z;
            #[unroll]
            for k in 0..shape.width {
                let gz = if comptime!(moments) { wz_of.d.at(k) } else { wz_of.g.at(k) };
                let value = nearest(wz_of.w.at(k) * row + gz * row_z);
                let node = first + (x.node(i) * edge + y.node(j)) * edge + z.node(k);
                tile[node as usize].fetch_add(value);
            }
        }
    }
}

#[cube]
fn add_matrix(
    tile: &SharedMemory<Atomic<i32>>,
    x: &RotatedAxis,
    y: &RotatedAxis,
    z: &RotatedAxis,
    q: Vector3,
    m: &Mat3,
    #[comptime] first: u32,
    #[comptime] moments: bool,
    #[comptime] shape: Shape,
) {
    add_component(tile, x, y, z, q.x, m.xx, m.xy, m.xz, first, moments, shape);
    add_component(tile, x, y, z, q.y, m.yx, m.yy, m.yz, comptime!(first + 1), moments, shape);
    add_component(tile, x, y, z, q.z, m.zx, m.zy, m.zz, comptime!(first + 2), moments, shape);
}

/// Returns the particle at a position of the block order.
#[cube]
pub(super) fn particle_at(order: &Array<u32>, at: u32, #[comptime] listed: bool) -> usize {
    if comptime!(listed) { order[at as usize] as usize } else { at as usize }
}

#[cube(launch_unchecked)]
fn p2g_kernel(
    fields: &Array<f32>,
    group: &Array<u32>,
    chunks: &Array<u32>,
    coordinates: &Array<i32>,
    neighbors: &Array<u32>,
    clock: &Array<u32>,
    bounds: &Array<u32>,
    tiles: &Array<Atomic<i32>>,
    order: &Array<u32>,
    counts: &Array<u32>,
    inv_dx: f32,
    affine: f32,
    #[comptime] shape: Shape,
    #[comptime] listed: bool,
) {
    let dt = step_length(clock);
    let tile = SharedMemory::<Atomic<i32>>::new(comptime!(shape.tile() as usize));
    for round in 0..comptime!(shape.tile().div_ceil(UNITS)) {
        let at = round * UNITS + UNIT_POS;
        if at < comptime!(shape.tile()) {
            tile[at as usize].store(0i32);
        }
    }
    let n = group.len();
    for iteration in 0..select(dt > 0.0f32, iterations(counts[2usize]), 0u32) {
        let chunk = Chunk::read(chunks, item_at(iteration));
        let block = chunk.block as usize;
        let quantum = Quantum::of(bounds, block, shape);
        let per_momentum = 1.0f32 / quantum.momentum;
        let per_mass = 1.0f32 / quantum.mass;
        let per_impulse = 1.0f32 / quantum.impulse;
        sync_cube();
        // The block itself is the middle one of its 27 neighbors.
        let home = neighbors[block * 27 + 13] as usize * 3;
        let origin_x = f32::cast_from(coordinates[home] * 4 - 1);
        let origin_y = f32::cast_from(coordinates[home + 1] * 4 - 1);
        let origin_z = f32::cast_from(coordinates[home + 2] * 4 - 1);
        // All threads run the same number of iterations, because not all drivers reconverge threads after divergent loops.
        for round in 0..(chunk.to - chunk.from + comptime!(UNITS - 1)) / UNITS {
            let i = chunk.from + round * UNITS + UNIT_POS;
            let p = particle_at(order, u32::min(i, chunk.to - 1u32), listed);
            // Everything is read before the kind is checked, because dependent reads would be serialized.
            let kind = kind_of(group[p]);
            let m = fields[MASS as usize * n + p];
            let contribution = contribution_of(fields, kind, n, p, dt, inv_dx, affine, shape);
            let place = read_vec3(fields, X, n, p);
            if i < chunk.to && kind != HELD {
                // Particles in the same cell start at different nodes; otherwise concurrent threads would wait for each other at every node. The start
                // depends on the particle and not on the thread, because compilers may round the nodes of a stencil differently.
                let width = comptime!(shape.width);
                let x = RotatedAxis::new(axis(place.x * inv_dx - origin_x, width), p as u32 % width, width);
                let y = RotatedAxis::new(axis(place.y * inv_dx - origin_y, width), p as u32 / width % width, width);
                let by_z = p as u32 / comptime!(shape.width * shape.width) % width;
                let z = RotatedAxis::new(axis(place.z * inv_dx - origin_z, width), by_z, width);
                let units = m * per_momentum;
                let nothing = m * 0.0f32;
                let still = Vector3 { x: nothing, y: nothing, z: nothing };
                let heavy = m * per_mass;
                add_component(&tile, &x, &y, &z, heavy, nothing, nothing, nothing, 3u32, false, shape);
                if comptime!(shape.split) {
                    let (q, pushes) = (contribution.v.times(units), m * per_impulse);
                    add_component(&tile, &x, &y, &z, q.x, nothing, nothing, nothing, 0u32, false, shape);
                    add_component(&tile, &x, &y, &z, q.y, nothing, nothing, nothing, 1u32, false, shape);
                    add_component(&tile, &x, &y, &z, q.z, nothing, nothing, nothing, 2u32, false, shape);
                    let (q, a) = (contribution.push.times(pushes), contribution.stress.scale(pushes));
                    add_matrix(&tile, &x, &y, &z, q, &a, 4u32, false, shape);
                } else if comptime!(shape.width == 2) {
                    // Linear splines: the affine velocity uses the first moments, the stress uses the gradients.
                    let q = contribution.v.plus(contribution.push).times(units);
                    add_matrix(&tile, &x, &y, &z, q, &contribution.affine.scale(units), 0u32, true, shape);
                    add_matrix(&tile, &x, &y, &z, still, &contribution.stress.scale(units), 0u32, false, shape);
                } else {
                    let q = contribution.v.plus(contribution.push).times(units);
                    let a = contribution.affine.add(&contribution.stress).scale(units);
                    add_matrix(&tile, &x, &y, &z, q, &a, 0u32, false, shape);
                }
            }
        }
        sync_cube();
        let first = block * comptime!(shape.tile() as usize);
        for round in 0..comptime!(shape.tile().div_ceil(UNITS)) {
            let at = round * UNITS + UNIT_POS;
            if at < comptime!(shape.tile()) {
                // The swap resets the tile to zero for the next chunk.
                let sum = tile[at as usize].swap(0i32);
                if sum != 0i32 {
                    tiles[first + at as usize].fetch_add(sum);
                }
            }
        }
    }
}

/// Adds the particles of all blocks to their tiles, which must be zero before.
pub(super) fn p2g<R: Runtime>(
    gpu: &Gpu<R>,
    particles: &DeviceParticles,
    grid: &DeviceGrid,
    clock: &Clock,
    bounds: &Buffer<u32>,
    tiles: &Buffer<i32>,
    factors: Factors,
    shape: Shape,
) {
    assert!(tiles.len() >= grid.occupied * shape.tile() as usize);
    // SAFETY: chunks, neighbors and coordinates are those of one `DeviceGrid`, built for these particles, and its occupied blocks have bounds;
    // `axis` clamps tile indices; the assertion guarantees space for the tiles.
    unsafe {
        p2g_kernel::launch_unchecked::<R>(
            &gpu.client,
            grid.cubes_for_chunks(),
            CubeDim::new_1d(UNITS),
            particles.fields.arg(),
            particles.group.arg(),
            grid.chunks.arg(),
            grid.coordinates.arg(),
            grid.neighbors.arg(),
            clock.buffer.arg(),
            bounds.arg(),
            tiles.arg(),
            grid.order.arg(),
            grid.counts.arg(),
            factors.inv_dx,
            factors.affine,
            shape,
            grid.listed,
        );
    }
}
