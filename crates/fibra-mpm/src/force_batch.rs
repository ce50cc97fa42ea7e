//! Energy, stress and Hessian-vector products for a batch of particles in an implicit step; see [`crate::internal_force`].

use crate::internal_force::System;
use crate::law::{ElasticBatch, LANES};
use crate::materials::Material;
use crate::mesh::RestShape;
use crate::scatter::tile_origin;
use crate::tile::{Node, Slopes, Spline, Stencils, Tile};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::Run;
use fibra_core::simd::dispatch;
use fibra_materials::kind::{Group, Kind};
use std::ops::Range;

/// The quantity that a pass over the particles computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Energy and gradient at a velocity.
    Evaluate,
    /// The product of the Hessian at the last evaluation with a change of the velocity.
    Differentiate,
}

/// Displacements of vertices, their changes [m], and the rest shapes of elements. [particles]
#[derive(Clone, Copy)]
pub(crate) struct Moves<'a> {
    pub(crate) displacement: &'a [[f32; 3]],
    pub(crate) displacement_change: &'a [[f32; 3]],
    pub(crate) rest: &'a [RestShape],
}

/// Scratch of a thread.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) tile: Tile,
    pub(crate) stencils: Stencils,
    /// For surfaces: derivatives along their normals.
    pub(crate) slopes: Slopes,
    /// Deformed normals of surfaces, one array per component [-].
    pub(crate) normals: [[f32; LANES]; 3],
    batch: ElasticBatch,
    /// Velocity gradients [1/s].
    grad_v: [Mat3; LANES],
}

#[inline(always)]
pub(crate) fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn sum(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Copies the third directions of a batch of surface elements.
#[inline(always)]
pub(crate) fn find_normals(f: &[Mat3], normals: &mut [[f32; LANES]; 3]) {
    for (l, f) in f.iter().enumerate().take(LANES) {
        (normals[0][l], normals[1][l], normals[2][l]) = (f.xz, f.yz, f.zz);
    }
}

/// Computes the points of one run: `(I + dt grad v) F` or its change, and the response of the constitutive model. For
/// [`Task::Evaluate`], returns the energy [J]. For [`Task::Differentiate`], returns the dot product of the deformations' changes with the resulting
/// changes of the stresses [J].
pub(crate) fn respond_points<S: Spline>(
    k: System<'_>,
    task: Task,
    run: &Run,
    scratch: &mut Scratch,
    f: &mut [Mat3],
    pulls: &mut [Mat3],
) -> f64 {
    let material = &k.params.substances[Group::of_number(run.group).material as usize].material;
    let viscosity = material.explicit_viscosity();
    let p = &k.state.particles;
    let mut energy = 0.0;
    for (start, f, pulls) in batches(run, f, pulls) {
        let n = f.len();
        if task == Task::Differentiate {
            load(&mut scratch.batch.f, f);
        }
        deform_points::<S>(k, task, run, start..start + n, scratch);
        energy += evaluate_model(k, task, material, start, &mut scratch.batch, f);
        for (l, pull) in pulls.iter_mut().enumerate().take(LANES) {
            let place = start + l;
            *pull = lane(&scratch.batch.piola, l).scale(p.volume[place]).mul_transpose(&p.f[place]);
        }
        if viscosity > 0.0 {
            energy += add_viscosity(k, task, viscosity, start, &scratch.grad_v, pulls);
        }
    }
    energy
}

/// Computes the elements of one run. On input, `pulls` holds the directions normal to the manifold, or the changes of these directions. On
/// output, it holds the derivatives in [`InternalForce`](crate::internal_force::InternalForce). Returns the same
/// quantities as [`respond_points`].
pub(crate) fn respond_elements(
    k: System<'_>,
    task: Task,
    moves: Moves<'_>,
    run: &Run,
    scratch: &mut Scratch,
    f: &mut [Mat3],
    pulls: &mut [Mat3],
) -> f64 {
    let Group { material, kind } = Group::of_number(run.group);
    let material = &k.params.substances[material as usize].material;
    let mut energy = 0.0;
    for (start, f, pulls) in batches(run, f, pulls) {
        if task == Task::Differentiate {
            load(&mut scratch.batch.f, f);
        }
        let (to, _) = displaced(&mut scratch.batch, task);
        load(to, pulls);
        put_tangents(k, task, moves, kind, start..start + f.len(), to);
        energy += evaluate_model(k, task, material, start, &mut scratch.batch, f);
        store_pulls(k, moves, kind, start, &scratch.batch, pulls);
    }
    energy
}

/// Splits a run into batches; yields for each batch its first index, its deformations at the end of the step, and its `pulls`.
fn batches<'a>(
    run: &Run,
    f: &'a mut [Mat3],
    pulls: &'a mut [Mat3],
) -> impl Iterator<Item = (usize, &'a mut [Mat3], &'a mut [Mat3])> {
    let starts = (run.start as usize..run.end as usize).step_by(LANES);
    starts.zip(f.chunks_mut(LANES)).zip(pulls.chunks_mut(LANES)).map(|((start, f), pulls)| (start, f, pulls))
}

/// Evaluates a constitutive model for a batch; returns the same quantities as [`respond_points`]. For [`Task::Evaluate`], also stores the
/// deformations in `f`.
fn evaluate_model(
    k: System<'_>,
    task: Task,
    material: &Material,
    start: usize,
    batch: &mut ElasticBatch,
    f: &mut [Mat3],
) -> f64 {
    let p = &k.state.particles;
    let n = f.len();
    batch.memory[..n].copy_from_slice(&p.memory[start..start + n]);
    for (l, alignment) in p.alignment.iter().skip(start).take(n).enumerate() {
        (0..3).for_each(|k| batch.alignment[k][l] = alignment[k]);
    }
    match task {
        Task::Evaluate => {
            material.piola(batch, n);
            material.energies(batch, n);
            for (l, f) in f.iter_mut().enumerate().take(LANES) {
                *f = lane(&batch.f, l);
            }
        }
        Task::Differentiate => {
            material.piola_change(batch, n);
            for l in 0..LANES {
                batch.energy[l] = (0..9).map(|e| batch.change[e][l] * batch.piola[e][l]).sum();
            }
        }
    }
    p.volume[start..start + n].iter().zip(&batch.energy).map(|(volume, energy)| f64::from(volume * energy)).sum()
}

/// Matrices of a batch, one array per component.
type Lanes = [[f32; LANES]; 9];

#[inline(always)]
fn load(to: &mut Lanes, from: &[Mat3]) {
    for (l, from) in from.iter().enumerate().take(LANES) {
        let rows = from.to_rows();
        for e in 0..9 {
            to[e][l] = rows[e];
        }
    }
}

#[inline(always)]
fn lane(m: &Lanes, l: usize) -> Mat3 {
    Mat3::from_rows([m[0][l], m[1][l], m[2][l], m[3][l], m[4][l], m[5][l], m[6][l], m[7][l], m[8][l]])
}

/// Returns the array of the batch in which a task stores `coefficient * F` plus terms linear in the velocity. Also returns the
/// coefficient: 1 for the deformation at the end of the step, 0 for its change.
#[inline(always)]
fn displaced(batch: &mut ElasticBatch, task: Task) -> (&mut Lanes, f32) {
    match task {
        Task::Evaluate => (&mut batch.f, 1.0),
        Task::Differentiate => (&mut batch.change, 0.0),
    }
}

#[inline(always)]
fn gradient([gx, gy, gz]: [Node; 3]) -> Mat3 {
    Mat3::from_rows([gx[0], gy[0], gz[0], gx[1], gy[1], gz[1], gx[2], gy[2], gz[2]])
}

dispatch! {
    fn deform_points[S: Spline; for V](
        k: System<'_>, task: Task, run: &Run, places: Range<usize>, scratch: &mut Scratch,
    ) {
        let Scratch { tile, stencils, batch, grad_v, .. } = scratch;
        let inv_dx = 1.0 / k.params.dx;
        let p = &k.state.particles;
        stencils.find::<S>(&p.x[places.clone()], tile_origin(run.key), inv_dx);
        let (to, keep) = displaced(batch, task);
        for (l, before) in p.f[places].iter().enumerate().take(LANES) {
            let (_, slopes) = tile.gather::<S, V>((stencils, l));
            grad_v[l] = gradient(slopes).scale(inv_dx);
            let after = before.scale(keep).add(&grad_v[l].mul(before).scale(k.dt)).to_rows();
            for e in 0..9 {
                to[e][l] = after[e];
            }
        }
    }
}

dispatch! {
    /// Writes the directions normal to curves, or their changes, to the second and third columns of `pulls`.
    pub(crate) fn advect_curve_normals[S: Spline; for V](
        k: System<'_>, task: Task, run: &Run, scratch: &mut Scratch, pulls: &mut [Mat3],
    ) {
        let Scratch { tile, stencils, .. } = scratch;
        let inv_dx = 1.0 / k.params.dx;
        let p = &k.state.particles;
        let keep = if task == Task::Evaluate { 1.0 } else { 0.0 };
        let starts = (run.start as usize..run.end as usize).step_by(LANES);
        for (start, pulls) in starts.zip(pulls.chunks_mut(LANES)) {
            stencils.find::<S>(&p.x[start..start + pulls.len()], tile_origin(run.key), inv_dx);
            for (l, pull) in pulls.iter_mut().enumerate() {
                let before = &p.f[start + l];
                let (_, slopes) = tile.gather::<S, V>((stencils, l));
                *pull = before.scale(keep).add(&gradient(slopes).mul(before).scale(k.dt * inv_dx));
            }
        }
    }
}

dispatch! {
    /// Writes the normals of surfaces, or their changes, to the third column of `pulls`.
    pub(crate) fn advect_surface_normals[S: Spline; for V](
        k: System<'_>, task: Task, run: &Run, scratch: &mut Scratch, pulls: &mut [Mat3],
    ) {
        let Scratch { tile, stencils, slopes, normals, .. } = scratch;
        let inv_dx = 1.0 / k.params.dx;
        let p = &k.state.particles;
        let keep = if task == Task::Evaluate { 1.0 } else { 0.0 };
        let dt = k.dt * inv_dx;
        let starts = (run.start as usize..run.end as usize).step_by(LANES);
        for (start, pulls) in starts.zip(pulls.chunks_mut(LANES)) {
            let stop = start + pulls.len();
            stencils.find::<S>(&p.x[start..stop], tile_origin(run.key), inv_dx);
            find_normals(&p.f[start..stop], normals);
            slopes.find::<S>(stencils, normals);
            for (l, pull) in pulls.iter_mut().enumerate().take(LANES) {
                let turn = tile.gather_slope::<S, V>((stencils, slopes, l));
                pull.xz = keep * normals[0][l] + dt * turn[0];
                pull.yz = keep * normals[1][l] + dt * turn[1];
                pull.zz = keep * normals[2][l] + dt * turn[2];
            }
        }
    }
}

/// Overwrites the in-manifold directions, which follow the mesh.
fn put_tangents(k: System<'_>, task: Task, moves: Moves<'_>, kind: Kind, places: Range<usize>, to: &mut Lanes) {
    let p = &k.state.particles;
    for (l, place) in places.enumerate().take(LANES) {
        let rest = &moves.rest[place];
        let [a, b, c] = k.links.corners(place);
        let directions = |of: &[[f32; 3]]| rest.directions([difference(of[b], of[a]), difference(of[c], of[a])]);
        let [d1, d2] = match task {
            Task::Evaluate => {
                let ([a1, a2], [b1, b2]) = (directions(&p.x), directions(moves.displacement));
                [sum(a1, b1), sum(a2, b2)]
            }
            Task::Differentiate => directions(moves.displacement_change),
        };
        for a in 0..3 {
            to[3 * a][l] = d1[a];
            if kind == Kind::Surface {
                to[3 * a + 1][l] = d2[a];
            }
        }
    }
}

/// Stores the energy derivatives of elements.
fn store_pulls(k: System<'_>, moves: Moves<'_>, kind: Kind, start: usize, batch: &ElasticBatch, pulls: &mut [Mat3]) {
    let p = &k.state.particles;
    for (l, pull) in pulls.iter_mut().enumerate().take(LANES) {
        let place = start + l;
        let piola = lane(&batch.piola, l).scale(p.volume[place]);
        let [e1, e2] = moves.rest[place].edge_pulls([piola.column_x(), piola.column_y()]);
        // The second direction of a curve is normal to it.
        let second = if kind == Kind::Surface { e2 } else { piola.column_y() };
        *pull = Mat3 { xx: e1[0], yx: e1[1], zx: e1[2], xy: second[0], yy: second[1], zy: second[2], ..piola };
    }
}

/// Adds the stress of a Newtonian liquid, `2 eta J dev D` with `J` from before the step, to a batch of points. For
/// [`Task::Evaluate`], returns the potential of that stress, `dt V eta J |dev D|^2` [J]. For [`Task::Differentiate`], `D` is computed
/// from the change of the velocity. The function then returns the dot product of `dt D` with the resulting change of the stress, which is twice that
/// expression [J].
fn add_viscosity(
    k: System<'_>,
    task: Task,
    viscosity: f32,
    start: usize,
    grad_v: &[Mat3; LANES],
    pulls: &mut [Mat3],
) -> f64 {
    let p = &k.state.particles;
    let mut potential = 0.0;
    for (l, (pull, grad_v)) in pulls.iter_mut().zip(grad_v).enumerate() {
        let rate = grad_v.symmetric_part().add_isotropic(-grad_v.trace() / 3.0);
        let weight = p.volume[start + l] * viscosity * p.memory[start + l];
        *pull = pull.add(&rate.to_mat3().scale(2.0 * weight));
        potential += f64::from(k.dt * weight * norm2(&rate));
    }
    if task == Task::Evaluate { potential } else { 2.0 * potential }
}

fn norm2(s: &Sym3) -> f32 {
    s.xx * s.xx + s.yy * s.yy + s.zz * s.zz + 2.0 * (s.yz * s.yz + s.xz * s.xz + s.xy * s.xy)
}
