//! Resolves penetration of elements into colliders on the device: mirrors [`crate::element_contact`].

use super::clock::{Clock, DRIFTED, step_length};
use super::elements::in_reach;
use super::meshes::{DeviceMeshes, PUSH_NUMBERS, VERTEX_NUMBERS};
use super::p2g::Shape;
use super::particles::{DeviceParticles, HELD, V, VERTEX, X, kind_of, read_vec3, write_vec3};
use crate::element_contact::{ALIGNED, FAR, SEARCHES};
use crate::params::Params;
use cubecl::prelude::*;
use fibra_gpu::Gpu;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::colliders::{DeviceColliders, Hit, nearest_within, respond_to};
use fibra_gpu::launch::cubes_for;
use fibra_gpu::vector::{Vector3, pick};

const UNITS: u32 = 128;

/// An element, seen from one of its vertices: the corners start with this vertex.
#[derive(CubeType, Clone, Copy)]
struct Element {
    a: Vector3,
    b: Vector3,
    c: Vector3,
    va: Vector3,
    vb: Vector3,
    vc: Vector3,
    is_triangle: bool,
}

/// The changes of a vertex, weighted by depth.
#[derive(CubeType, CubeTypeMut, Clone, Copy)]
struct MeanPush {
    displacement: Vector3,
    velocity: Vector3,
    depth: f32,
}

/// The deepest point found on an edge; outside if its distance is not negative.
#[derive(CubeType, Clone, Copy)]
struct Deepest {
    share: f32,
    hit: Hit,
}

/// Returns the deepest point on the edge from `a` to `b` [m].
#[cube]
fn deepest_on_edge(shapes: &Array<f32>, placed: &Array<f32>, collider: u32, a: Vector3, b: Vector3) -> Deepest {
    let along = b.minus(a);
    let length = along.length();
    let none = Vector3::new(0.0f32, 0.0f32, 0.0f32);
    let mut share = 0.0f32;
    let mut distance = 0.0f32;
    let mut normal = none;
    let mut velocity = none;
    let mut at = 0.5f32;
    let mut rest = 0.5f32;
    let mut searching = true;
    for _ in 0..SEARCHES {
        if searching {
            let reach = rest * length;
            let hit = nearest_within(shapes, placed, collider, a.plus(along.times(at)), reach);
            if hit.distance < reach {
                if hit.distance < distance {
                    share = at;
                    distance = hit.distance;
                    normal = hit.normal;
                    velocity = hit.velocity;
                }
                let slope = hit.normal.dot(along);
                searching = hit.distance < rest * f32::abs(slope);
                rest *= 0.5f32;
                at += select(slope > 0.0f32, -rest, rest);
            } else {
                searching = false;
            }
        }
    }
    Deepest { share, hit: Hit { distance, normal, velocity } }
}

/// Returns whether `x` [m] may be inside a convex collider, given its query `own` at `a` [m].
#[cube]
fn may_be_inside(own: &Hit, a: Vector3, x: Vector3) -> bool {
    own.distance + own.normal.dot(x.minus(a)) < 0.0f32
}

/// Adds the push of a sample with the given barycentric coordinates, if it is inside the collider.
#[cube]
fn add(
    shapes: &Array<f32>,
    collider: u32,
    element: &Element,
    hit: &Hit,
    wa: f32,
    wb: f32,
    wc: f32,
    mean: &MeanPush,
) -> MeanPush {
    let depth = f32::max(-hit.distance, 0.0f32);
    let along = element.b.minus(element.a);
    let face = along.cross(element.c.minus(element.a));
    let of_triangle = face.times(face.dot(hit.normal));
    let of_segment = hit.normal.times(along.dot(along)).minus(along.times(along.dot(hit.normal)));
    let across = pick(element.is_triangle, of_triangle, of_segment);
    let size = across.length();
    let unit = across.times(1.0f32 / f32::max(size, 1e-30f32));
    let slope = unit.dot(hit.normal);
    let aligned = size > 0.0f32 && slope > ALIGNED;
    let normal = pick(aligned, unit, hit.normal);
    let distance = select(aligned, depth / f32::max(slope, ALIGNED), depth);
    let velocity = element.va.times(wa).plus(element.vb.times(wb)).plus(element.vc.times(wc));
    let contact = Hit { distance: hit.distance, normal, velocity: hit.velocity };
    let change = respond_to(shapes, collider, velocity, &contact).minus(velocity);
    let weight = depth * wa / (wa * wa + wb * wb + wc * wc);
    MeanPush {
        displacement: mean.displacement.plus(normal.times(weight * distance)),
        velocity: mean.velocity.plus(change.times(weight)),
        depth: mean.depth + depth,
    }
}

/// Computes the change of every free vertex near a collider; zero if the elements around it are outside.
#[cube(launch)]
fn find_pushes(
    fields: &Array<f32>,
    group: &Array<u32>,
    id: &Array<u32>,
    place: &Array<u32>,
    corners: &Array<u32>,
    vertex: &Array<u32>,
    around: &Array<u32>,
    pushes: &mut Array<f32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    clock: &Array<u32>,
    colliders: u32,
    dx: f32,
) {
    let p = ABSOLUTE_POS;
    let n = group.len();
    if step_length(clock) > 0.0f32 && p < n {
        if kind_of(group[p]) == VERTEX {
            let index = id[p] as usize;
            let none = Vector3::new(0.0f32, 0.0f32, 0.0f32);
            let mut mean = MeanPush { displacement: none, velocity: none, depth: 0.0f32 };
            let x = read_vec3(fields, X, n, p);
            let v = read_vec3(fields, V, n, p);
            for collider in 0..colliders {
                let far = dx * FAR;
                let own = nearest_within(shapes, placed, collider, x, far);
                if own.distance < far {
                    for at in vertex[index * VERTEX_NUMBERS]..vertex[(index + 1) * VERTEX_NUMBERS] {
                        let code = around[at as usize];
                        let first = (code / 4u32) as usize * 3;
                        let corner = code % 4u32;
                        let p0 = place[corners[first] as usize] as usize;
                        let p1 = place[corners[first + 1] as usize] as usize;
                        let p2 = place[corners[first + 2] as usize] as usize;
                        let is_triangle = p1 != p2;
                        // A segment repeats its second vertex.
                        let starts = corner < 2u32;
                        let b = select(starts, p1, select(corner == 2u32, select(is_triangle, p2, p0), p0));
                        let c = select(starts, p2, select(corner == 2u32, p0, p1));
                        let held =
                            kind_of(group[p0]) == HELD || kind_of(group[p1]) == HELD || kind_of(group[p2]) == HELD;
                        if !held {
                            let element = Element {
                                a: x,
                                b: read_vec3(fields, X, n, b),
                                c: read_vec3(fields, X, n, c),
                                va: v,
                                vb: read_vec3(fields, V, n, b),
                                vc: read_vec3(fields, V, n, c),
                                is_triangle,
                            };
                            if may_be_inside(&own, x, element.b) {
                                let ab = deepest_on_edge(shapes, placed, collider, x, element.b);
                                let kept = 1.0f32 - ab.share;
                                mean = add(shapes, collider, &element, &ab.hit, kept, ab.share, 0.0f32, &mean);
                            }
                            if is_triangle {
                                if may_be_inside(&own, x, element.c) {
                                    let ac = deepest_on_edge(shapes, placed, collider, x, element.c);
                                    let kept = 1.0f32 - ac.share;
                                    mean = add(shapes, collider, &element, &ac.hit, kept, 0.0f32, ac.share, &mean);
                                }
                                let third = comptime!(1.0f32 / 3.0f32);
                                let center = x.plus(element.b).plus(element.c).times(third);
                                if may_be_inside(&own, x, center) {
                                    let hit = nearest_within(shapes, placed, collider, center, 0.0f32);
                                    if hit.distance < 0.0f32 {
                                        mean = add(shapes, collider, &element, &hit, third, third, third, &mean);
                                    }
                                }
                            }
                        }
                    }
                }
            }
            let scale = select(mean.depth > 0.0f32, 1.0f32 / f32::max(mean.depth, 1e-30f32), 0.0f32);
            mean.displacement.times(scale).write(pushes, index * PUSH_NUMBERS);
            mean.velocity.times(scale).write(pushes, index * PUSH_NUMBERS + 3);
        }
    }
}

#[cube(launch)]
fn apply_pushes(
    fields: &mut Array<f32>,
    group: &Array<u32>,
    id: &Array<u32>,
    pushes: &Array<f32>,
    block_of: &Array<u32>,
    neighbors: &Array<u32>,
    coordinates: &Array<i32>,
    clock: &Array<u32>,
    extremes: &Array<Atomic<u32>>,
    inv_dx: f32,
    #[comptime] shape: Shape,
) {
    let p = ABSOLUTE_POS;
    let n = group.len();
    if step_length(clock) > 0.0f32 && p < n {
        if kind_of(group[p]) == VERTEX {
            let at = id[p] as usize * PUSH_NUMBERS;
            let moved = Vector3::read(pushes, at);
            if moved.dot(moved) > 0.0f32 {
                let x = read_vec3(fields, X, n, p).plus(moved);
                write_vec3(fields, X, n, p, x);
                let v = read_vec3(fields, V, n, p).plus(Vector3::read(pushes, at + 3));
                write_vec3(fields, V, n, p, v);
                if !in_reach(x, block_of[p] as usize, neighbors, coordinates, inv_dx, shape) {
                    extremes[DRIFTED].fetch_max(1u32);
                }
            }
        }
    }
}

/// Moves vertices such that the elements around them do not cut through colliders.
pub(super) fn resolve_elements<R: Runtime>(
    gpu: &Gpu<R>,
    params: &Params,
    particles: &DeviceParticles,
    meshes: &DeviceMeshes,
    grid: &DeviceGrid,
    colliders: &DeviceColliders,
    clock: &Clock,
    shape: Shape,
) {
    if colliders.count() == 0 {
        return;
    }
    let (client, dim) = (&gpu.client, CubeDim::new_1d(UNITS));
    find_pushes::launch::<R>(
        client,
        cubes_for(particles.n, UNITS),
        dim,
        particles.fields.arg(),
        particles.group.arg(),
        particles.id.arg(),
        particles.place.arg(),
        meshes.corners.arg(),
        meshes.vertex.arg(),
        meshes.around.arg(),
        meshes.pushes.arg(),
        colliders.shapes(),
        colliders.placed(),
        clock.buffer.arg(),
        colliders.count(),
        params.dx,
    );
    apply_pushes::launch::<R>(
        client,
        cubes_for(particles.n, UNITS),
        dim,
        particles.fields.arg(),
        particles.group.arg(),
        particles.id.arg(),
        meshes.pushes.arg(),
        grid.block_of.arg(),
        grid.neighbors.arg(),
        grid.coordinates.arg(),
        clock.buffer.arg(),
        clock.extremes.arg(),
        1.0 / params.dx,
        shape,
    );
}
