//! The flow of the material at a point: the GPU version of [`crate::display_grains::flow`].

use super::super::grid_update::NUMBERS;
use super::super::stencil::{Four, weights};
use crate::display_grains::flow::STABILIZATION;
use cubecl::prelude::*;
use fibra_core::block_key::{BLOCK_EDGE, BLOCK_NODES, BlockKey};
use fibra_core::mat3::{Diag3, Mat3};
use fibra_gpu::vector::Vector3;

/// Distance along an axis from the run origin beyond which a point is outside the grid [cells].
const FAR: f32 = (BlockKey::LIMIT * BLOCK_EDGE) as f32;

/// Grid values at a point.
#[derive(CubeType, CubeTypeMut, Clone, Copy)]
pub(super) struct Flow {
    /// Velocity [m/s].
    pub(super) v: Vector3,
    /// Velocity gradient [1/s].
    pub(super) grad_v: Mat3,
    /// Density [kg/m^3].
    pub(super) density: f32,
}

/// A node.
#[derive(CubeType, Clone, Copy)]
struct Node {
    /// Velocity [m/s].
    v: Vector3,
    /// Mass [kg].
    mass: f32,
}

/// Nodes of a point's stencil and the weights of each axis.
#[derive(CubeType)]
struct Stencil {
    /// Indices, counted from 1, of the block of the first node and its seven neighbors toward larger coordinates, z varying fastest; 0 for none.
    blocks: Array<u32>,
    /// First node, within the first block.
    x: u32,
    y: u32,
    z: u32,
    /// Weights, four along each axis.
    w: Array<f32>,
    /// Offset of the point from the first node [cells].
    offset: Vector3,
}

/// Returns whether block `at` comes before the block at `x`, `y`, `z`.
#[cube]
fn comes_before(coordinates: &Array<i32>, at: u32, x: i32, y: i32, z: i32) -> bool {
    let first = at as usize * 3;
    let (ax, ay, az) = (coordinates[first], coordinates[first + 1], coordinates[first + 2]);
    ax < x || (ax == x && (ay < y || (ay == y && az < z)))
}

/// Returns the index of block `at`, from 1, if it exists and is at `x`, `y`, `z`; else 0.
#[cube]
fn if_there(coordinates: &Array<i32>, at: u32, x: i32, y: i32, z: i32) -> u32 {
    let first = usize::min(at as usize * 3, coordinates.len() - 3);
    let there = coordinates[first] == x && coordinates[first + 1] == y && coordinates[first + 2] == z;
    // An index beyond the end is clamped to the last block, which comes before the wanted one.
    select(there, (first / 3) as u32 + 1u32, 0u32)
}

/// Finds two blocks that are adjacent along z.
#[cube]
fn find_pair(coordinates: &Array<i32>, x: i32, y: i32, z: i32, blocks: &mut Array<u32>, #[comptime] to: u32) {
    let mut low = u32::new(0);
    let mut high = (coordinates.len() / 3) as u32;
    while low < high {
        let middle = (low + high) / 2u32;
        if comes_before(coordinates, middle, x, y, z) {
            low = middle + 1u32;
        } else {
            high = middle;
        }
    }
    let first = if_there(coordinates, low, x, y, z);
    // The second block follows the first, or takes its place if the first is missing.
    let after = low + u32::min(first, 1u32);
    blocks[to as usize] = first;
    blocks[comptime!(to as usize + 1)] = if_there(coordinates, after, x, y, z + 1i32);
}

#[cube]
fn put(w: &mut Array<f32>, #[comptime] axis: u32, from: &Four) {
    #[unroll]
    for k in 0..4u32 {
        w[comptime!((4 * axis + k) as usize)] = from.at(k);
    }
}

#[cube]
fn node_of(nodes: &Array<f32>, stencil: &Stencil, i: u32, j: u32, k: u32) -> Node {
    let x = stencil.x + i;
    let y = stencil.y + j;
    let z = stencil.z + k;
    let block = stencil.blocks[((x / 4u32 * 2u32 + y / 4u32) * 2u32 + z / 4u32) as usize];
    let mut vx = f32::new(0.0);
    let mut vy = f32::new(0.0);
    let mut vz = f32::new(0.0);
    let mut mass = f32::new(0.0);
    if block > 0u32 {
        let at = (block - 1u32) as usize * comptime!(NUMBERS as usize * BLOCK_NODES)
            + ((x % 4u32 * 4u32 + y % 4u32) * 4u32 + z % 4u32) as usize;
        vx = nodes[at];
        vy = nodes[at + comptime!(BLOCK_NODES)];
        vz = nodes[at + comptime!(2 * BLOCK_NODES)];
        mass = nodes[at + comptime!(3 * BLOCK_NODES)];
    }
    Node { v: Vector3 { x: vx, y: vy, z: vz }, mass }
}

/// Velocity [m/s] and its derivative along each axis [m/s per cell].
#[derive(CubeType, Clone, Copy)]
struct Field {
    v: Vector3,
    slopes: Mat3,
}

/// Returns the matrix with the given columns.
#[cube]
fn columns(x: Vector3, y: Vector3, z: Vector3) -> Mat3 {
    Mat3 { xx: x.x, xy: y.x, xz: z.x, yx: x.y, yy: y.y, yz: z.y, zx: x.z, zy: y.z, zz: z.z }
}

/// Returns `a b^T`.
#[cube]
fn outer(a: Vector3, b: Vector3) -> Mat3 {
    columns(a.times(b.x), a.times(b.y), a.times(b.z))
}

/// Computes the affine least-squares fit to the nodes: see [`crate::display_grains::flow`].
#[cube]
fn fit(nodes: &Array<f32>, stencil: &Stencil, full_mass: f32, #[comptime] width: u32) -> Field {
    let mut total = f32::new(0.0);
    let mut v = stencil.offset.times(0.0f32);
    let mut d = stencil.offset.times(0.0f32);
    let mut vd_x = stencil.offset.times(0.0f32);
    let mut vd_y = stencil.offset.times(0.0f32);
    let mut vd_z = stencil.offset.times(0.0f32);
    let mut dd_x = stencil.offset.times(0.0f32);
    let mut dd_y = stencil.offset.times(0.0f32);
    let mut dd_z = stencil.offset.times(0.0f32);
    for n in 0..comptime!(width * width * width) {
        let i = n / comptime!(width * width);
        let j = n / width % width;
        let k = n % width;
        let node = node_of(nodes, stencil, i, j, k);
        let w = stencil.w[i as usize] * stencil.w[(4u32 + j) as usize] * stencil.w[(8u32 + k) as usize];
        let a = w * f32::min(node.mass / full_mass, 1.0f32);
        let at = Vector3 { x: f32::cast_from(i), y: f32::cast_from(j), z: f32::cast_from(k) }.minus(stencil.offset);
        let av = node.v.times(a);
        let ad = at.times(a);
        total += a;
        v = v.plus(av);
        d = d.plus(ad);
        vd_x = vd_x.plus(av.times(at.x));
        vd_y = vd_y.plus(av.times(at.y));
        vd_z = vd_z.plus(av.times(at.z));
        dd_x = dd_x.plus(ad.times(at.x));
        dd_y = dd_y.plus(ad.times(at.y));
        dd_z = dd_z.plus(ad.times(at.z));
    }
    let some = total > f32::MIN_POSITIVE;
    let share = select(some, 1.0f32 / f32::max(total, f32::MIN_POSITIVE), 0.0f32);
    let mean_v = v.times(share);
    let mean_d = d.times(share);
    let spread = comptime!(STABILIZATION / if width == 3 { 4.0f32 } else { 3.0f32 });
    let dd = columns(dd_x, dd_y, dd_z).scale(share).sub(&outer(mean_d, mean_d));
    let moment = Mat3 {
        xx: dd.xx + spread,
        xy: dd.xy,
        xz: dd.xz,
        yx: dd.yx,
        yy: dd.yy + spread,
        yz: dd.yz,
        zx: dd.zx,
        zy: dd.zy,
        zz: dd.zz + spread,
    };
    // The matrix is symmetric, so its cofactor matrix over the determinant is its inverse.
    let inverse = moment.cofactor().scale(1.0f32 / moment.det());
    let vd = columns(vd_x, vd_y, vd_z).scale(share).sub(&outer(mean_v, mean_d));
    let slopes = vd.scale(comptime!(1.0f32 + STABILIZATION)).mul(&inverse);
    let shift = slopes.apply(&Diag3 { x: mean_d.x, y: mean_d.y, z: mean_d.z });
    Field { v: mean_v.minus(Vector3 { x: shift.x, y: shift.y, z: shift.z }), slopes }
}

/// Returns the flow of a stencil. Some or all nodes of the stencil may be missing.
#[cube]
fn flow_of(nodes: &Array<f32>, stencil: &Stencil, inv_dx: f32, full_mass: f32, #[comptime] width: u32) -> Flow {
    let mut mass = f32::new(0.0);
    let mut lightest = full_mass + 0.0f32;
    let mut v = stencil.offset.times(0.0f32);
    let mut along_x = stencil.offset.times(0.0f32);
    let mut along_y = stencil.offset.times(0.0f32);
    let mut along_z = stencil.offset.times(0.0f32);
    for i in 0..width {
        for j in 0..width {
            let mut row = stencil.offset.times(0.0f32);
            let mut slope = stencil.offset.times(0.0f32);
            let mut row_mass = f32::new(0.0);
            for k in 0..width {
                let node = node_of(nodes, stencil, i, j, k);
                let w = stencil.w[(8u32 + k) as usize];
                let part = node.v.times(w);
                lightest = f32::min(lightest, node.mass);
                row = row.plus(part);
                slope = slope.plus(part.times(f32::cast_from(k) - stencil.offset.z));
                row_mass += w * node.mass;
            }
            let w = stencil.w[i as usize] * stencil.w[(4u32 + j) as usize];
            let part = row.times(w);
            v = v.plus(part);
            along_x = along_x.plus(part.times(f32::cast_from(i) - stencil.offset.x));
            along_y = along_y.plus(part.times(f32::cast_from(j) - stencil.offset.y));
            along_z = along_z.plus(slope.times(w));
            mass += w * row_mass;
        }
    }
    let inertia = comptime!(if width == 3 { 4.0f32 } else { 3.0f32 });
    let density = mass * (inv_dx * inv_dx * inv_dx);
    if lightest >= full_mass {
        Flow { v, grad_v: columns(along_x, along_y, along_z).scale(inertia).scale(inv_dx), density }
    } else {
        let field = fit(nodes, stencil, full_mass, width);
        Flow { v: field.v, grad_v: field.slopes.scale(inv_dx), density }
    }
}

/// Returns the flow at `place` [m] on a grid with the given block coordinates; zero outside the grid. Nodes lighter than `full_mass` [kg] have less weight.
#[cube]
pub(super) fn flow_at(
    nodes: &Array<f32>,
    coordinates: &Array<i32>,
    place: Vector3,
    inv_dx: f32,
    full_mass: f32,
    #[comptime] width: u32,
) -> Flow {
    let cells = place.times(inv_dx);
    let shift = comptime!(0.5f32 * (width as f32 - 2.0));
    let base_x = f32::floor(cells.x - shift);
    let base_y = f32::floor(cells.y - shift);
    let base_z = f32::floor(cells.z - shift);
    let furthest = f32::max(f32::abs(base_x), f32::max(f32::abs(base_y), f32::abs(base_z)));
    let known = furthest < FAR && cells.dot(cells) < f32::MAX;
    if known {
        let (x, y, z) = (i32::cast_from(base_x), i32::cast_from(base_y), i32::cast_from(base_z));
        let (bx, by, bz) = (x >> 2i32, y >> 2i32, z >> 2i32);
        let mut blocks = Array::<u32>::new(8usize);
        find_pair(coordinates, bx, by, bz, &mut blocks, 0u32);
        find_pair(coordinates, bx, by + 1i32, bz, &mut blocks, 2u32);
        find_pair(coordinates, bx + 1i32, by, bz, &mut blocks, 4u32);
        find_pair(coordinates, bx + 1i32, by + 1i32, bz, &mut blocks, 6u32);
        let offset = Vector3 { x: cells.x - base_x, y: cells.y - base_y, z: cells.z - base_z };
        let mut w = Array::<f32>::new(12usize);
        put(&mut w, 0u32, &weights(offset.x, width));
        put(&mut w, 1u32, &weights(offset.y, width));
        put(&mut w, 2u32, &weights(offset.z, width));
        let stencil = Stencil {
            blocks,
            x: u32::cast_from(x & 3i32),
            y: u32::cast_from(y & 3i32),
            z: u32::cast_from(z & 3i32),
            w,
            offset,
        };
        flow_of(nodes, &stencil, inv_dx, full_mass, width)
    } else {
        let none = full_mass * 0.0f32;
        let nowhere = Vector3 { x: none, y: none, z: none };
        Flow { v: nowhere, grad_v: columns(nowhere, nowhere, nowhere), density: none }
    }
}
