//! What the laws say to a batch of particles within an implicit step; see [`crate::internal_force`].

use crate::internal_force::System;
use crate::kind::{Group, Kind};
use crate::law::{ElasticBatch, LANES};
use crate::scatter::tile_origin;
use crate::simd::dispatch;
use crate::tile::{Slopes, Spline, Stencils, Tile};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::Run;
use std::ops::Range;

/// What a pass over the particles is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Energy and gradient at a velocity.
    Evaluate,
    /// The Hessian's product with a change of the velocity, where the last evaluation was.
    Differentiate,
}

/// How far vertices move, and how that changes [m].
#[derive(Clone, Copy)]
pub(crate) struct Moves<'a> {
    pub(crate) way: &'a [[f32; 3]],
    pub(crate) way_change: &'a [[f32; 3]],
}

/// What a thread works on.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) tile: Tile,
    pub(crate) stencils: Stencils,
    /// Of surfaces, along their normals.
    pub(crate) slopes: Slopes,
    /// Deformed normals of surfaces, one component after the other [-].
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

/// The third directions of a batch of surface elements.
#[inline(always)]
pub(crate) fn find_normals(f: &[Mat3], normals: &mut [[f32; LANES]; 3]) {
    for (l, f) in f.iter().enumerate().take(LANES) {
        (normals[0][l], normals[1][l], normals[2][l]) = (f.xz, f.yz, f.zz);
    }
}

/// The springs of a run of vertices. Both ends see a spring; each counts half of its energy.
pub(crate) fn spring_run(k: System<'_>, task: Task, moves: Moves<'_>, run: &Run, pulls: &mut [Mat3]) -> f64 {
    let springs = &k.params.meshes.springs;
    if springs.is_empty() {
        return 0.0;
    }
    let x = &k.state.particles.x;
    let mut energy = 0.0;
    for (vertex, pull) in (run.start as usize..).zip(pulls) {
        let mut total = [0.0f32; 3];
        for (other, spring) in k.links.springs_of(vertex) {
            let spring = &springs[spring];
            let apart = |of: &[[f32; 3]]| difference(of[other], of[vertex]);
            let span = sum(apart(x), apart(moves.way));
            let push = match task {
                Task::Evaluate => {
                    energy += 0.5 * f64::from(spring.energy([0.0; 3], span));
                    spring.force([0.0; 3], span)
                }
                Task::Differentiate => spring.force_change([0.0; 3], span, apart(moves.way_change)),
            };
            total = sum(total, push);
        }
        *pull = Mat3::outer(total, [1.0, 0.0, 0.0]);
    }
    energy
}

/// The points or elements of one run, a batch at a time; returns their energy [J].
pub(crate) fn respond_run<S: Spline>(
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
    let viscosity = material.explicit_viscosity();
    let p = &k.state.particles;
    let mut energy = 0.0;
    let starts = (run.start as usize..run.end as usize).step_by(LANES);
    for ((start, f), pulls) in starts.zip(f.chunks_mut(LANES)).zip(pulls.chunks_mut(LANES)) {
        let n = f.len();
        if task == Task::Differentiate {
            load(&mut scratch.batch.f, f);
        }
        scratch.batch.memory[..n].copy_from_slice(&p.memory[start..start + n]);
        match kind {
            Kind::Surface => gather_normals::<S>(k, task, run, start..start + n, scratch),
            _ => gather_gradients::<S>(k, task, run, start..start + n, scratch),
        }
        if kind.is_element() {
            put_tangents(k, task, moves, kind, start..start + n, &mut scratch.batch);
        }
        match task {
            Task::Evaluate => {
                material.piola(&mut scratch.batch, n);
                material.energies(&mut scratch.batch, n);
                let volume = &p.volume[start..start + n];
                energy += (0..n).map(|l| f64::from(volume[l] * scratch.batch.energy[l])).sum::<f64>();
                store(&scratch.batch.f, f);
            }
            Task::Differentiate => material.piola_change(&mut scratch.batch, n),
        }
        store_pulls(k, kind, start, &scratch.batch, pulls);
        if viscosity > 0.0 && kind == Kind::Point {
            energy += add_viscosity(k, viscosity, start, scratch, pulls);
        }
    }
    energy
}

/// Matrices of a batch, one array per component.
type Lanes = [[f32; LANES]; 9];

fn load(to: &mut Lanes, from: &[Mat3]) {
    for (l, from) in from.iter().enumerate().take(LANES) {
        let rows = from.to_rows();
        for e in 0..9 {
            to[e][l] = rows[e];
        }
    }
}

fn store(from: &Lanes, to: &mut [Mat3]) {
    for (l, to) in to.iter_mut().enumerate().take(LANES) {
        *to = lane(from, l);
    }
}

#[inline(always)]
fn lane(m: &Lanes, l: usize) -> Mat3 {
    Mat3::from_rows([m[0][l], m[1][l], m[2][l], m[3][l], m[4][l], m[5][l], m[6][l], m[7][l], m[8][l]])
}

/// Where a batch takes the deformations that the step gives: as they are, or as a change.
#[inline(always)]
fn displaced(batch: &mut ElasticBatch, task: Task) -> (&mut Lanes, f32) {
    match task {
        Task::Evaluate => (&mut batch.f, 1.0),
        Task::Differentiate => (&mut batch.change, 0.0),
    }
}

dispatch! {
    /// Deformations that the grid alone gives: `(I + dt grad v) F`, or their change `dt grad v F`.
    fn gather_gradients[S: Spline; for V](
        k: System<'_>, task: Task, run: &Run, places: Range<usize>, scratch: &mut Scratch,
    ) {
        let Scratch { tile, stencils, batch, grad_v, .. } = scratch;
        let inv_dx = 1.0 / k.params.dx;
        let p = &k.state.particles;
        stencils.find::<S>(&p.x[places.clone()], tile_origin(run.key), inv_dx);
        let (to, keep) = displaced(batch, task);
        for (l, before) in p.f[places].iter().enumerate().take(LANES) {
            let (_, [gx, gy, gz]) = tile.gather::<S, V>((stencils, l));
            let gradient =
                Mat3::from_rows([gx[0], gy[0], gz[0], gx[1], gy[1], gz[1], gx[2], gy[2], gz[2]]).scale(inv_dx);
            grad_v[l] = gradient;
            let after = before.scale(keep).add(&gradient.mul(before).scale(k.dt)).to_rows();
            for e in 0..9 {
                to[e][l] = after[e];
            }
        }
    }
}

dispatch! {
    /// The same for the normals of surfaces, which need no other part of the gradient.
    fn gather_normals[S: Spline; for V](
        k: System<'_>, task: Task, run: &Run, places: Range<usize>, scratch: &mut Scratch,
    ) {
        let Scratch { tile, stencils, slopes, normals, batch, .. } = scratch;
        let inv_dx = 1.0 / k.params.dx;
        let p = &k.state.particles;
        stencils.find::<S>(&p.x[places.clone()], tile_origin(run.key), inv_dx);
        find_normals(&p.f[places.clone()], normals);
        slopes.find::<S>(stencils, normals);
        let (to, keep) = displaced(batch, task);
        let dt = k.dt * inv_dx;
        for l in 0..places.len().min(LANES) {
            let turn = tile.gather_slope::<S, V>((stencils, slopes, l));
            for a in 0..3 {
                to[3 * a + 2][l] = keep * normals[a][l] + dt * turn[a];
            }
        }
    }
}

/// Puts the directions within the manifold, which follow the mesh, over those that the grid gave.
fn put_tangents(
    k: System<'_>,
    task: Task,
    moves: Moves<'_>,
    kind: Kind,
    places: Range<usize>,
    batch: &mut ElasticBatch,
) {
    let p = &k.state.particles;
    let (to, _) = displaced(batch, task);
    for (l, place) in places.enumerate().take(LANES) {
        let rest = k.params.meshes.rest_of(kind, p.id[place], p.memory[place]);
        let corners = k.links.corners(place);
        let directions = |of: &[[f32; 3]]| rest.directions(corners.map(|corner| of[corner]));
        let [d1, d2] = match task {
            Task::Evaluate => {
                let ([a1, a2], [b1, b2]) = (directions(&p.x), directions(moves.way));
                [sum(a1, b1), sum(a2, b2)]
            }
            Task::Differentiate => directions(moves.way_change),
        };
        for a in 0..3 {
            to[3 * a][l] = d1[a];
            if kind == Kind::Surface {
                to[3 * a + 1][l] = d2[a];
            }
        }
    }
}

/// Keeps what the particles push with.
fn store_pulls(k: System<'_>, kind: Kind, start: usize, batch: &ElasticBatch, pulls: &mut [Mat3]) {
    let p = &k.state.particles;
    for (l, pull) in pulls.iter_mut().enumerate().take(LANES) {
        let place = start + l;
        let piola = lane(&batch.piola, l).scale(p.volume[place]);
        *pull = match kind {
            Kind::Surface | Kind::Curve => {
                let rest = k.params.meshes.rest_of(kind, p.id[place], p.memory[place]);
                let [e1, e2] = rest.edge_pulls(piola.column_x(), piola.column_y());
                // A curve's second direction lies across it.
                let second = if kind == Kind::Surface { e2 } else { piola.column_y() };
                Mat3 { xx: e1[0], yx: e1[1], zx: e1[2], xy: second[0], yy: second[1], zy: second[2], ..piola }
            }
            _ => piola.mul_transpose(&p.f[place]),
        };
    }
}

/// Adds the stress of a Newtonian liquid, `2 eta J dev D` with `J` as it was, to a batch of points. Returns the potential of
/// that stress, `dt V eta J |dev D|^2` [J].
fn add_viscosity(k: System<'_>, viscosity: f32, start: usize, scratch: &Scratch, pulls: &mut [Mat3]) -> f64 {
    let p = &k.state.particles;
    let mut potential = 0.0;
    for (l, (pull, grad_v)) in pulls.iter_mut().zip(&scratch.grad_v).enumerate() {
        let rate = grad_v.symmetric_part().add_isotropic(-grad_v.trace() / 3.0);
        let weight = p.volume[start + l] * viscosity * p.memory[start + l];
        *pull = pull.add(&rate.to_mat3().scale(2.0 * weight));
        potential += f64::from(k.dt * weight * norm2(&rate));
    }
    potential
}

fn norm2(s: &Sym3) -> f32 {
    s.xx * s.xx + s.yy * s.yy + s.zz * s.zz + 2.0 * (s.yz * s.yz + s.xz * s.xz + s.xy * s.xy)
}
