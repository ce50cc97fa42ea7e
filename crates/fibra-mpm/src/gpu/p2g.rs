//! Particles to grid on the device: mirrors [`crate::p2g`].
//!
//! A cube (a group of units that share memory) adds up the particles of a block in a tile. The sums are of integers: a float added by many units at
//! once would depend on their order, and devices are slow at it. What one of a tile's integers is worth is chosen for each block so that the sum of all
//! its particles still fits, and does not depend on their order either. Tiles are written out; the grid's update gathers them.

use super::clock::step_length;
use super::particles::{
    C, CURVE, DeviceParticles, F, HELD, MASS, PULL, SURFACE, V, VERTEX, VOLUME, X, kind_of, read_mat3, read_stress,
    read_vec3,
};
use super::stencil::{Axis, axis};
use crate::params::{Kernel, Params, Transfer};
use crate::tile::{Cubic, Quadratic, Spline};
use cubecl::prelude::*;
use fibra_core::mat3::Mat3;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::launch::cubes;
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, Gpu};

/// Units of a cube.
pub(super) const UNITS: u32 = 128;

/// What kernels of the transfers are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// Nodes that a particle touches along an axis.
    pub(super) width: u32,
    /// Whether the impulse of forces is summed apart, because the velocity before it is needed.
    pub(super) split: bool,
    /// Whether there are particles other than points.
    pub(super) meshes: bool,
}

impl Shape {
    pub(super) fn new(params: &Params) -> Shape {
        let width = match params.kernel {
            Kernel::Linear => 2,
            Kernel::Quadratic => 3,
            Kernel::Cubic => 4,
        };
        Shape { width, split: params.transfer.needs_old_velocity(), meshes: !params.meshes.corners.is_empty() }
    }

    /// Nodes along the edge of a tile.
    pub(super) fn edge(self) -> u32 {
        self.width + 5
    }

    /// Nodes of a tile.
    pub(super) fn nodes(self) -> u32 {
        self.edge().pow(3)
    }

    /// Sums of a node: momentum and mass, and the impulse if it is apart.
    pub(super) fn sums(self) -> u32 {
        if self.split { 7 } else { 4 }
    }
}

/// The largest sum that a tile's integers are to hold: half of what they can, so that rounding has room.
const LARGEST: f32 = (1u32 << 30) as f32;
/// A bound on gradient weights and moments relative to the weight 1: of a quadratic spline `4 w(d) d` is at most 1.1.
const STEEPEST: f32 = 1.25;

/// Numbers of a run that every particle needs; see `crate::p2g`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors {
    inv_dx: f32,
    affine: f32,
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

/// What a particle gives to the grid, over its mass.
#[derive(CubeType, Clone, Copy)]
struct Gift {
    /// Velocity [m/s].
    v: Vector3,
    /// Change of velocity by forces on the particle itself [m/s].
    push: Vector3,
    /// Affine velocity, as coefficients of the gradient weights [m/s].
    affine: Mat3,
    /// Impulse of stress, as coefficients of the gradient weights [m/s].
    stress: Mat3,
}

#[cube]
fn gift_of(
    fields: &Array<f32>,
    kind: u32,
    n: usize,
    i: usize,
    dt: f32,
    inv_dx: f32,
    affine: f32,
    #[comptime] shape: Shape,
) -> Gift {
    let inv_mass = 1.0f32 / fields[MASS as usize * n + i];
    let volume = fields[VOLUME as usize * n + i];
    let full = read_stress(fields, n, i).to_mat3().scale(volume);
    let scale = 0.0f32 - dt * inv_dx * inv_mass;
    let v = read_vec3(fields, V, n, i);
    let c = read_mat3(fields, C, n, i).scale(affine);
    if comptime!(shape.meshes) {
        let pull = read_vec3(fields, PULL, n, i);
        let f = read_mat3(fields, F, n, i);
        let is_curve = f32::cast_from(u32::cast_from(kind == CURVE));
        let is_surface = f32::cast_from(u32::cast_from(kind == SURFACE));
        let is_vertex = f32::cast_from(u32::cast_from(kind == VERTEX));
        // Along which direction the mesh, not the grid, carries the pull [Jiang2017, Sec. 4.4].
        let direction = Vector3 {
            x: is_surface * f.xz - is_curve * f.xx,
            y: is_surface * f.yz - is_curve * f.yx,
            z: is_surface * f.zz - is_curve * f.zx,
        };
        // Surfaces have no stress of their own, vertices neither.
        let own = full.scale(1.0f32 - is_surface);
        let mesh = Mat3 {
            xx: pull.x * direction.x,
            xy: pull.x * direction.y,
            xz: pull.x * direction.z,
            yx: pull.y * direction.x,
            yy: pull.y * direction.y,
            yz: pull.y * direction.z,
            zx: pull.z * direction.x,
            zy: pull.z * direction.y,
            zz: pull.z * direction.z,
        };
        let force = dt * inv_mass * is_vertex;
        let push = Vector3 { x: pull.x * force, y: pull.y * force, z: pull.z * force };
        Gift { v, push, affine: c, stress: own.add(&mesh).scale(scale) }
    } else {
        let zero = volume * 0.0f32;
        Gift { v, push: Vector3 { x: zero, y: zero, z: zero }, affine: c, stress: full.scale(scale) }
    }
}

#[cube]
fn largest3(a: f32, b: f32, c: f32) -> f32 {
    f32::max(f32::abs(a), f32::max(f32::abs(b), f32::abs(c)))
}

/// A bound on what a matrix of coefficients gives to a node, whose component is largest.
#[cube]
fn steepness(m: &Mat3) -> f32 {
    let x = f32::abs(m.xx) + f32::abs(m.xy) + f32::abs(m.xz);
    let y = f32::abs(m.yx) + f32::abs(m.yy) + f32::abs(m.yz);
    let z = f32::abs(m.zx) + f32::abs(m.zy) + f32::abs(m.zz);
    STEEPEST * largest3(x, y, z)
}

/// The largest momentum and, apart, impulse that a particle gives to any node [kg m/s].
#[cube]
fn bounds_of(gift: &Gift, mass: f32, #[comptime] shape: Shape) -> (f32, f32) {
    let speed = largest3(gift.v.x, gift.v.y, gift.v.z);
    let push = largest3(gift.push.x, gift.push.y, gift.push.z) + steepness(&gift.stress);
    let own = speed + steepness(&gift.affine);
    if comptime!(shape.split) { (mass * own, mass * push) } else { (mass * (own + push), mass * push) }
}

/// One over what one of a tile's integers is worth.
#[cube]
fn per_unit(bound: f32) -> f32 {
    LARGEST / f32::max(bound, comptime!(1e-28f32))
}

/// The nearest integer.
#[cube]
fn nearest(x: f32) -> i32 {
    i32::cast_from(f32::floor(x + 0.5f32))
}

/// Adds `w q + g . a` of one component to the nodes of a stencil.
#[cube]
fn add_component(
    tile: &SharedMemory<Atomic<i32>>,
    x: &Axis,
    y: &Axis,
    z: &Axis,
    q: f32,
    ax: f32,
    ay: f32,
    az: f32,
    #[comptime] component: u32,
    #[comptime] moments: bool,
    #[comptime] shape: Shape,
) {
    let edge = comptime!(shape.edge());
    let first = comptime!(component * shape.nodes()) + (x.base * edge + y.base) * edge + z.base;
    #[unroll]
    for i in 0..shape.width {
        let wx = x.w.at(i);
        let gx = if comptime!(moments) { x.d.at(i) } else { x.g.at(i) };
        let layer = wx * q + gx * ax;
        let layer_y = wx * ay;
        let layer_z = wx * az;
        #[unroll]
        for j in 0..shape.width {
            let wy = y.w.at(j);
            let gy = if comptime!(moments) { y.d.at(j) } else { y.g.at(j) };
            let row = wy * layer + gy * layer_y;
            let row_z = wy * layer_z;
            #[unroll]
            for k in 0..shape.width {
                let gz = if comptime!(moments) { z.d.at(k) } else { z.g.at(k) };
                let value = nearest(z.w.at(k) * row + gz * row_z);
                let node = first + comptime!((i * edge + j) * edge + k);
                tile[node as usize].fetch_add(value);
            }
        }
    }
}

#[cube]
fn add_matrix(
    tile: &SharedMemory<Atomic<i32>>,
    x: &Axis,
    y: &Axis,
    z: &Axis,
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

/// Where the first place of a block is told; the one after its last is told next to it.
#[cube]
pub(super) fn first_entry(block: usize, #[comptime] listed: bool) -> usize {
    if comptime!(listed) { block * 2 } else { block }
}

/// The particle that comes at a place of the order of blocks.
#[cube]
pub(super) fn particle_at(order: &Array<u32>, at: u32, #[comptime] listed: bool) -> usize {
    if comptime!(listed) { order[at as usize] as usize } else { at as usize }
}

#[cube(launch_unchecked)]
fn p2g_kernel(
    fields: &Array<f32>,
    group: &Array<u32>,
    starts: &Array<u32>,
    coordinates: &Array<i32>,
    neighbors: &Array<u32>,
    clock: &Array<Atomic<u32>>,
    tiles: &mut Array<f32>,
    order: &Array<u32>,
    counts: &Array<u32>,
    inv_dx: f32,
    affine: f32,
    #[comptime] shape: Shape,
    #[comptime] listed: bool,
) {
    let dt = step_length(clock);
    let block = CUBE_POS;
    if dt > 0.0f32 && (block as u32) < counts[0usize] {
        let sums = comptime!((shape.sums() * shape.nodes()) as usize);
        let tile = SharedMemory::<Atomic<i32>>::new(sums);
        let largest = SharedMemory::<Atomic<u32>>::new(3usize);
        if UNIT_POS < 3 {
            largest[UNIT_POS as usize].store(0u32);
        }
        sync_cube();
        let n = group.len();
        let from = starts[first_entry(block, listed)];
        let to = starts[first_entry(block, listed) + 1];
        // As often for every unit, whether there is something to do for it or not: not all drivers bring units together again after loops.
        let rounds = (to - from + comptime!(UNITS - 1)) / UNITS;
        // The block itself is the middle one of those around it.
        let home = neighbors[block * 27 + 13] as usize * 3;
        let origin_x = f32::cast_from(coordinates[home] * 4 - 1);
        let origin_y = f32::cast_from(coordinates[home + 1] * 4 - 1);
        let origin_z = f32::cast_from(coordinates[home + 2] * 4 - 1);
        let mut momentum = 0.0f32;
        let mut impulse = 0.0f32;
        let mut mass = 0.0f32;
        for round in 0..rounds {
            let i = from + round * UNITS + UNIT_POS;
            let p = particle_at(order, u32::min(i, to - 1u32), listed);
            let kind = kind_of(group[p]);
            if i < to && kind != HELD {
                let m = fields[MASS as usize * n + p];
                let gift = gift_of(fields, kind, n, p, dt, inv_dx, affine, shape);
                let (own, push) = bounds_of(&gift, m, shape);
                momentum = f32::max(momentum, own);
                impulse = f32::max(impulse, push);
                mass = f32::max(mass, m);
            }
        }
        // Positive floats are ordered as their bits are. As many as there are of the largest bound the sum in any order.
        largest[0usize].fetch_max(u32::reinterpret(momentum));
        largest[1usize].fetch_max(u32::reinterpret(mass));
        largest[2usize].fetch_max(u32::reinterpret(impulse));
        sync_cube();
        let many = f32::cast_from(to - from);
        let per_momentum = per_unit(many * f32::reinterpret(largest[0usize].load()));
        let per_mass = per_unit(many * f32::reinterpret(largest[1usize].load()));
        let mut per_impulse = per_momentum;
        if comptime!(shape.split) {
            per_impulse = per_unit(many * f32::reinterpret(largest[2usize].load()));
        }
        // From here on: what is not used at the same time may lie in the same memory.
        sync_cube();
        #[unroll]
        for round in 0..comptime!((shape.sums() * shape.nodes()).div_ceil(UNITS)) {
            let at = comptime!(round * UNITS) + UNIT_POS;
            if at < comptime!(shape.sums() * shape.nodes()) {
                tile[at as usize].store(0i32);
            }
        }
        sync_cube();
        for round in 0..rounds {
            let i = from + round * UNITS + UNIT_POS;
            let p = particle_at(order, u32::min(i, to - 1u32), listed);
            let kind = kind_of(group[p]);
            if i < to && kind != HELD {
                let m = fields[MASS as usize * n + p];
                let gift = gift_of(fields, kind, n, p, dt, inv_dx, affine, shape);
                let place = read_vec3(fields, X, n, p);
                let x = axis(place.x * inv_dx - origin_x, shape.width);
                let y = axis(place.y * inv_dx - origin_y, shape.width);
                let z = axis(place.z * inv_dx - origin_z, shape.width);
                let units = m * per_momentum;
                let nothing = m * 0.0f32;
                let none = Mat3 {
                    xx: nothing,
                    xy: nothing,
                    xz: nothing,
                    yx: nothing,
                    yy: nothing,
                    yz: nothing,
                    zx: nothing,
                    zy: nothing,
                    zz: nothing,
                };
                let still = Vector3 { x: nothing, y: nothing, z: nothing };
                let heavy = m * per_mass;
                add_component(&tile, &x, &y, &z, heavy, nothing, nothing, nothing, 3u32, false, shape);
                if comptime!(shape.split) {
                    add_matrix(&tile, &x, &y, &z, gift.v.times(units), &none, 0u32, false, shape);
                    let pushes = m * per_impulse;
                    let (q, a) = (gift.push.times(pushes), gift.stress.scale(pushes));
                    add_matrix(&tile, &x, &y, &z, q, &a, 4u32, false, shape);
                } else if comptime!(shape.width == 2) {
                    // Linear splines: the affine velocity goes with the first moments, the stress with the gradients.
                    let q = gift.v.plus(gift.push).times(units);
                    add_matrix(&tile, &x, &y, &z, q, &gift.affine.scale(units), 0u32, true, shape);
                    add_matrix(&tile, &x, &y, &z, still, &gift.stress.scale(units), 0u32, false, shape);
                } else {
                    let q = gift.v.plus(gift.push).times(units);
                    let a = gift.affine.add(&gift.stress).scale(units);
                    add_matrix(&tile, &x, &y, &z, q, &a, 0u32, false, shape);
                }
            }
        }
        sync_cube();
        let nodes = comptime!(shape.nodes());
        for round in 0..comptime!((shape.sums() * shape.nodes()).div_ceil(UNITS)) {
            let at = round * UNITS + UNIT_POS;
            if at < comptime!(shape.sums() * shape.nodes()) {
                let component = at / nodes;
                let mut worth = 1.0f32 / per_momentum;
                if component == 3u32 {
                    worth = 1.0f32 / per_mass;
                } else if component > 3u32 {
                    worth = 1.0f32 / per_impulse;
                }
                tiles[block * sums + at as usize] = f32::cast_from(tile[at as usize].load()) * worth;
            }
        }
    }
}

/// Fills the tiles of all occupied blocks.
pub(super) fn p2g<R: Runtime>(
    gpu: &Gpu<R>,
    particles: &DeviceParticles,
    grid: &DeviceGrid,
    clock: &Buffer<u32>,
    tiles: &Buffer<f32>,
    factors: Factors,
    shape: Shape,
) {
    assert!(tiles.len() >= grid.occupied * (shape.sums() * shape.nodes()) as usize);
    // SAFETY: blocks, starts, neighbours and coordinates are those of one `DeviceGrid`, made for these particles; places of nodes are held
    // inside the tile by `axis`; the tiles have room by the assertion.
    unsafe {
        p2g_kernel::launch_unchecked::<R>(
            &gpu.client,
            cubes(grid.occupied),
            CubeDim::new_1d(UNITS),
            particles.fields.arg(),
            particles.group.arg(),
            grid.starts.arg(),
            grid.coordinates.arg(),
            grid.neighbors.arg(),
            clock.arg(),
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
