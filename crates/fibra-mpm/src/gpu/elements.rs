//! Curves and surfaces on the device, after their vertices have moved with the grid: mirrors [`crate::pins`], [`crate::resolve_penetration`] and [`crate::elements`].

use super::bending::force_on;
use super::clock::{BROKEN, Clock, DRIFTED, SPEED2, WAVE2, raise, step_length};
use super::element_contact::resolve_elements;
use super::laws::{LawSet, respond_element};
use super::meshes::{DeviceMeshes, HOLD_NUMBERS, VERTEX_NUMBERS};
use super::p2g::Shape;
use super::particles::{
    C, CURVE, DeviceParticles, F, HELD, PULL, SURFACE, V, VERTEX, VOLUME, X, kind_of, material_of, read_mat3,
    read_vec3, write_mat3, write_stress, write_vec3,
};
use super::stencil::reaches;
use super::substances::{DeviceSubstances, first_of, inverse_density, law_of};
use crate::params::Params;
use cubecl::prelude::*;
use fibra_core::mat3::Mat3;
use fibra_gpu::Gpu;
use fibra_gpu::block_grid::DeviceGrid;
use fibra_gpu::colliders::{ANY, DeviceColliders, point_of_body, project_out};
use fibra_gpu::launch::cubes_for;
use fibra_gpu::vector::Vector3;

const UNITS: u32 = 128;

/// Returns whether a particle at `x` [m] is still within reach of the tile of the block that it had in the last sort.
#[cube]
pub(super) fn in_reach(
    x: Vector3,
    block: usize,
    neighbors: &Array<u32>,
    coordinates: &Array<i32>,
    inv_dx: f32,
    #[comptime] shape: Shape,
) -> bool {
    let home = neighbors[block * 27 + 13] as usize * 3;
    reaches(x.x * inv_dx - f32::cast_from(coordinates[home] * 4 - 1), shape.width)
        && reaches(x.y * inv_dx - f32::cast_from(coordinates[home + 1] * 4 - 1), shape.width)
        && reaches(x.z * inv_dx - f32::cast_from(coordinates[home + 2] * 4 - 1), shape.width)
}

/// Moves pinned vertices to their prescribed positions, and projects all other vertices out of colliders.
#[cube(launch)]
fn move_vertices(
    fields: &mut Array<f32>,
    group: &Array<u32>,
    id: &Array<u32>,
    vertex: &Array<u32>,
    holds: &Array<f32>,
    pins: &Array<f32>,
    shapes: &Array<f32>,
    placed: &Array<f32>,
    block_of: &Array<u32>,
    neighbors: &Array<u32>,
    coordinates: &Array<i32>,
    clock: &Array<u32>,
    extremes: &Array<Atomic<u32>>,
    colliders: u32,
    dx: f32,
    #[comptime] shape: Shape,
) {
    let p = ABSOLUTE_POS;
    let n = group.len();
    let mut speed2 = 0.0f32;
    if step_length(clock) > 0.0f32 && p < n {
        let kind = kind_of(group[p]);
        if kind == HELD {
            let hold = (vertex[id[p] as usize * VERTEX_NUMBERS + 2] - 1u32) as usize * HOLD_NUMBERS;
            let body = u32::cast_from(holds[hold + 3]);
            let prescribed = point_of_body(pins, body, Vector3::read(holds, hold));
            write_vec3(fields, X, n, p, prescribed.x);
            write_vec3(fields, V, n, p, prescribed.v);
            #[unroll]
            for c in 0..9u32 {
                fields[(C + c) as usize * n + p] = 0.0f32;
            }
            speed2 = prescribed.v.dot(prescribed.v);
        } else if kind == VERTEX && colliders > 0 {
            let skin = dx * comptime!(crate::resolve_penetration::SKIN);
            let x = read_vec3(fields, X, n, p);
            let pushed = project_out(shapes, placed, colliders, ANY, skin, x, read_vec3(fields, V, n, p));
            if pushed.moved {
                write_vec3(fields, X, n, p, pushed.x);
                write_vec3(fields, V, n, p, pushed.v);
                if !in_reach(pushed.x, block_of[p] as usize, neighbors, coordinates, 1.0f32 / dx, shape) {
                    extremes[DRIFTED].fetch_max(1u32);
                }
            }
        }
    }
    raise(extremes, SPEED2, speed2, comptime!(shape.planes));
}

/// Computes position, deformation and stress of every element, and the forces on its edges.
#[cube(launch)]
fn respond_elements(
    fields: &mut Array<f32>,
    group: &Array<u32>,
    id: &Array<u32>,
    place: &Array<u32>,
    corners: &Array<u32>,
    rest: &Array<f32>,
    edge_pulls: &mut Array<f32>,
    table: &Array<f32>,
    block_of: &Array<u32>,
    neighbors: &Array<u32>,
    coordinates: &Array<i32>,
    clock: &Array<u32>,
    extremes: &Array<Atomic<u32>>,
    first_element: u32,
    inv_dx: f32,
    #[comptime] shape: Shape,
    #[comptime] laws: LawSet,
) {
    let p = ABSOLUTE_POS;
    let dt = step_length(clock);
    let n = group.len();
    let mut wave2 = 0.0f32;
    if dt > 0.0f32 && p < n {
        let of = group[p];
        let kind = kind_of(of);
        if kind == CURVE || kind == SURFACE {
            let element = (id[p] - first_element) as usize;
            let surface = kind == SURFACE;
            let p0 = place[corners[element * 3] as usize] as usize;
            let p1 = place[corners[element * 3 + 1] as usize] as usize;
            let p2 = place[corners[element * 3 + 2] as usize] as usize;
            let a = read_vec3(fields, X, n, p0);
            let e1 = read_vec3(fields, X, n, p1).minus(a);
            let e2 = read_vec3(fields, X, n, p2).minus(a);
            let (along, shear, across) = (rest[element * 3], rest[element * 3 + 1], rest[element * 3 + 2]);
            let d1 = e1.times(along);
            let in_surface = e1.times(shear).plus(e2.times(across));
            let carried = read_mat3(fields, F, n, p);
            let d = Mat3 {
                xx: d1.x,
                xy: select(surface, in_surface.x, carried.xy),
                xz: carried.xz,
                yx: d1.y,
                yy: select(surface, in_surface.y, carried.yy),
                yz: carried.yz,
                zx: d1.z,
                zy: select(surface, in_surface.z, carried.zy),
                zz: carried.zz,
            };
            // An element whose vertices are all pinned follows them; see `crate::pins`.
            let held = kind_of(group[p0]) == HELD && kind_of(group[p1]) == HELD && kind_of(group[p2]) == HELD;
            if held {
                let share = select(surface, comptime!(1.0f32 / 3.0f32), 0.5f32);
                let third = read_vec3(fields, V, n, p2).times(select(surface, 1.0f32, 0.0f32));
                let prescribed = read_vec3(fields, V, n, p0).plus(read_vec3(fields, V, n, p1)).plus(third).times(share);
                let own = read_vec3(fields, V, n, p);
                let follow = 1.0f32 - f32::exp(-dt / comptime!(crate::pins::FOLLOWS as f32));
                write_vec3(fields, V, n, p, own.plus(prescribed.minus(own).times(follow)));
            }
            let middle = select(surface, comptime!(1.0f32 / 3.0f32), 0.5f32);
            let sum = e1.plus(e2.times(select(surface, 1.0f32, 0.0f32)));
            let center = a.plus(sum.times(middle));
            write_vec3(fields, X, n, p, center);
            if !in_reach(center, block_of[p] as usize, neighbors, coordinates, inv_dx, shape) {
                extremes[DRIFTED].fetch_max(1u32);
            }
            let material = material_of(of);
            let response = respond_element(&d, law_of(table, material), first_of(table, material), table, laws);
            write_mat3(fields, F, n, p, &response.d);
            let volume = fields[VOLUME as usize * n + p];
            let piola = response.piola.scale(volume);
            let p1 = Vector3 { x: piola.xx, y: piola.yx, z: piola.zx };
            let p2 = Vector3 { x: piola.xy, y: piola.yy, z: piola.zy };
            let p3 = Vector3 { x: piola.xz, y: piola.yz, z: piola.zz };
            if surface {
                write_vec3(fields, PULL, n, p, p3);
                p1.times(along).plus(p2.times(shear)).write(edge_pulls, element * 6);
                p2.times(across).write(edge_pulls, element * 6 + 3);
            } else {
                // The stress of a surface acts on the grid only through `PULL`.
                write_stress(fields, n, p, &response.tau);
                write_vec3(fields, PULL, n, p, p1);
                p1.times(along).write(edge_pulls, element * 6);
            }
            let tau = response.tau;
            let total = f32::abs(tau.xx + tau.yy + tau.zz + tau.yz + tau.xz + tau.xy);
            if !(total < f32::MAX) {
                extremes[BROKEN].fetch_max(1u32);
            }
            wave2 = f32::max(response.modulus * inverse_density(table, material), 0.0f32);
        }
    }
    raise(extremes, WAVE2, wave2, comptime!(shape.planes));
}

/// Sums the forces of elements, hinges and joints on every free vertex.
#[cube(launch)]
fn push_vertices(
    fields: &mut Array<f32>,
    group: &Array<u32>,
    id: &Array<u32>,
    vertex: &Array<u32>,
    around: &Array<u32>,
    bends: &Array<u32>,
    bend_forces: &Array<f32>,
    edge_pulls: &Array<f32>,
    clock: &Array<u32>,
) {
    let p = ABSOLUTE_POS;
    let n = group.len();
    if step_length(clock) > 0.0f32 && p < n {
        if kind_of(group[p]) == VERTEX {
            let index = id[p] as usize;
            let mut force = Vector3::new(0.0f32, 0.0f32, 0.0f32);
            for at in vertex[index * VERTEX_NUMBERS]..vertex[(index + 1) * VERTEX_NUMBERS] {
                let code = around[at as usize];
                let pulls = (code / 4u32) as usize * 6;
                let corner = code % 4u32;
                // The coefficients of `Corner::shares`.
                let by_first = select(corner < 2u32, 1.0f32, select(corner == 2u32, -1.0f32, 0.0f32));
                let by_second = select(corner == 1u32, 1.0f32, select(corner == 3u32, -1.0f32, 0.0f32));
                force = force.plus(Vector3::read(edge_pulls, pulls).times(by_first));
                force = force.plus(Vector3::read(edge_pulls, pulls + 3).times(by_second));
            }
            for at in vertex[index * VERTEX_NUMBERS + 1]..vertex[(index + 1) * VERTEX_NUMBERS + 1] {
                force = force.plus(force_on(bend_forces, bends[at as usize]));
            }
            write_vec3(fields, PULL, n, p, force);
        }
    }
}

/// Runs all stages of curves and surfaces that follow the grid-to-particle transfer.
pub(super) fn elements<R: Runtime>(
    gpu: &Gpu<R>,
    params: &Params,
    particles: &DeviceParticles,
    meshes: &DeviceMeshes,
    grid: &DeviceGrid,
    colliders: &DeviceColliders,
    substances: &DeviceSubstances,
    clock: &Clock,
    shape: Shape,
) {
    let (client, dim) = (&gpu.client, CubeDim::new_1d(UNITS));
    meshes.pins.place(gpu, &clock.buffer);
    // One thread per particle in block order, so that neighboring threads access neighboring memory.
    let cubes = || cubes_for(particles.n, UNITS);
    move_vertices::launch::<R>(
        client,
        cubes(),
        dim,
        particles.fields.arg(),
        particles.group.arg(),
        particles.id.arg(),
        meshes.vertex.arg(),
        meshes.holds.arg(),
        meshes.pins.placed(),
        colliders.shapes(),
        colliders.placed(),
        grid.block_of.arg(),
        grid.neighbors.arg(),
        grid.coordinates.arg(),
        clock.buffer.arg(),
        clock.extremes.arg(),
        colliders.count(),
        params.dx,
        shape,
    );
    resolve_elements(gpu, params, particles, meshes, grid, colliders, clock, shape);
    respond_elements::launch::<R>(
        client,
        cubes(),
        dim,
        particles.fields.arg(),
        particles.group.arg(),
        particles.id.arg(),
        particles.place.arg(),
        meshes.corners.arg(),
        meshes.rest.arg(),
        meshes.edge_pulls.arg(),
        substances.table.arg(),
        grid.block_of.arg(),
        grid.neighbors.arg(),
        grid.coordinates.arg(),
        clock.buffer.arg(),
        clock.extremes.arg(),
        meshes.first_element,
        1.0 / params.dx,
        shape,
        substances.elements,
    );
    meshes.bending.bend(gpu, particles, &meshes.pins, clock);
    push_vertices::launch::<R>(
        client,
        cubes(),
        dim,
        particles.fields.arg(),
        particles.group.arg(),
        particles.id.arg(),
        meshes.vertex.arg(),
        meshes.around.arg(),
        meshes.bends.arg(),
        meshes.bending.forces.arg(),
        meshes.edge_pulls.arg(),
        clock.buffer.arg(),
    );
}
