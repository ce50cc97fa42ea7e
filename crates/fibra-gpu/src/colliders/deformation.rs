//! Motion of the vertices of deforming meshes during a time span, and the resulting triangles and bounding boxes on the device.

use super::bisect::bisected;
use super::layout::{CORNERS, HEADER, NODE, SIZES};
use super::place::{between, cubic};
use super::surface::surface_at;
use crate::vector::Vector3;
use cubecl::prelude::*;
use fibra_core::geometry::DeformingMesh;
use glam::Vec3;

/// Tolerance of vertex positions, relative to the size of the mesh [-].
const PLACE_ERROR: f32 = 2e-6;
/// Tolerance of vertex velocities, relative to the largest velocity [-].
const VELOCITY_ERROR: f32 = 1e-3;
/// Largest number of samples of the motion of a mesh.
const MOST: usize = 65;

/// Number of threads per thread block, which compute the bounding box of a node together.
pub(super) const BOX_UNITS: u32 = 64;

/// Samples a mesh from `t0` to `t1` [s]. Returns the span [s], the number of samples, and the time of each sample as a fraction of the
/// span. The positions [m, relative to the center] and velocities [m/s] of the vertices in each sample follow.
pub(super) fn deformation_table(mesh: &DeformingMesh, [t0, t1]: [f64; 2]) -> Vec<f32> {
    let span = t1 - t0;
    let at = |share: f64| {
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        mesh.vertices(t0 + share * span, &mut positions, &mut velocities);
        positions.into_iter().zip(velocities).collect::<Vec<(Vec3, Vec3)>>()
    };
    let size = mesh.bounds().extent().max_element() as f32;
    let fits = |a: &Vec<_>, b: &Vec<_>, length: f64, share: f64, exact: &Vec<_>| {
        let fastest = a.iter().chain(b).fold(0.0f32, |most, (_, v): &(Vec3, Vec3)| most.max(v.length()));
        a.iter().zip(b).zip(exact).all(|(((x, v), (y, w)), (place, velocity))| {
            let (h, s) = ((length * span) as f32, share as f32);
            let rest = 1.0 - s;
            let found = *x + s * s * (3.0 - 2.0 * s) * (*y - *x) + h * s * rest * (rest * *v - s * *w);
            found.distance(*place) <= PLACE_ERROR * size
                && v.lerp(*w, s).distance(*velocity) <= VELOCITY_ERROR * fastest
        })
    };
    let samples = bisected(at, fits, MOST);
    let mut table = vec![span as f32, samples.len() as f32];
    table.extend(samples.iter().map(|(share, _)| *share as f32));
    table.extend(
        samples.iter().flat_map(|(_, vertices)| vertices).flat_map(|(x, v)| [x.to_array(), v.to_array()].concat()),
    );
    table
}

/// Moves the corners of a surface to the fraction `clock[0]` of the table's span. One thread per triangle.
#[cube(launch)]
pub(super) fn move_corners(
    shapes: &Array<f32>,
    table: &Array<f32>,
    clock: &Array<f32>,
    placed: &mut Array<f32>,
    collider: u32,
    vertices: u32,
) {
    let surface = surface_at(shapes, collider as usize * HEADER + SIZES);
    let triangle = ABSOLUTE_POS;
    if triangle < surface.triangles {
        let samples = usize::cast_from(table[1]);
        let between = between(table, 2, 1, samples, clock[0]);
        let stride = 6 * vertices as usize;
        let first = 2 + samples + stride * between.sample;
        let into = surface.moved + CORNERS * triangle;
        #[unroll]
        for corner in 0..3usize {
            let a = first + 6 * usize::cast_from(shapes[surface.corners + 3 * triangle + corner]);
            let b = a + stride;
            let from = Vector3::read(table, a + 3);
            let to = Vector3::read(table, b + 3);
            cubic(Vector3::read(table, a), Vector3::read(table, b), from, to, &between)
                .write(placed, into + 3 * corner);
            from.plus(to.minus(from).times(between.share)).write(placed, into + 9 + 3 * corner);
        }
    }
}

/// Recomputes the bounding boxes of a surface's tree. One thread block per node: all nodes process triangles at once, without waiting for their children.
#[cube(launch)]
pub(super) fn fit_boxes(shapes: &Array<f32>, placed: &mut Array<f32>, collider: u32) {
    let surface = surface_at(shapes, collider as usize * HEADER + SIZES);
    let node = CUBE_POS;
    let mut lows = SharedMemory::<f32>::new(3 * BOX_UNITS as usize);
    let mut highs = SharedMemory::<f32>::new(3 * BOX_UNITS as usize);
    let unit = UNIT_POS as usize;
    if node < surface.nodes {
        let entry = surface.tree + NODE * node;
        let first = usize::cast_from(shapes[entry]);
        let end = usize::cast_from(shapes[entry + 1]);
        let mut low = Vector3::read(placed, surface.moved + CORNERS * first);
        let mut high = Vector3::read(placed, surface.moved + CORNERS * first);
        for turn in 0..(end - first).div_ceil(BOX_UNITS as usize) {
            let triangle = first + turn * BOX_UNITS as usize + unit;
            if triangle < end {
                #[unroll]
                for corner in 0..3usize {
                    let x = Vector3::read(placed, surface.moved + CORNERS * triangle + 3 * corner);
                    low = low.least(x);
                    high = high.most(x);
                }
            }
        }
        write_shared(low, &mut lows, 3 * unit);
        write_shared(high, &mut highs, 3 * unit);
    }
    sync_cube();
    // Six threads, one for each number of the box.
    if node < surface.nodes && unit < 6 {
        let axis = unit % 3;
        let upper = unit >= 3;
        let mut least = lows[axis];
        let mut most = highs[axis];
        for other in 1..BOX_UNITS as usize {
            least = f32::min(least, lows[3 * other + axis]);
            most = f32::max(most, highs[3 * other + axis]);
        }
        placed[surface.boxes + 6 * node + unit] = select(upper, most, least);
    }
}

#[cube]
fn write_shared(v: Vector3, into: &mut SharedMemory<f32>, at: usize) {
    into[at] = v.x;
    into[at + 1] = v.y;
    into[at + 2] = v.z;
}
