//! The elastic energy of everything as a function of the grid's velocities, with its gradient and the Hessian's product:
//! what an implicit step solves with.
//!
//! Moving with velocities `v` for a step takes a point's deformation to `(I + dt grad v) F`, a vertex to `x + dt v`, and an element's
//! directions to those of its moved vertices within the manifold and to `(I + dt grad v) d` across it [Jiang2017, Sec. 4.4].
//! All three are affine in `v`, so that energy and product differ only in what the laws are asked for.
//!
//! Three passes over the particles: vertices move, laws answer, forces go to the grid.

use crate::kind::{Group, Kind};
use crate::law::{ElasticBatch, LANES};
use crate::links::Links;
use crate::params::{Kernel, Params};
use crate::pins::held_at;
use crate::scatter::{clear, columns, scatter, tile_origin};
use crate::simd::dispatch;
use crate::split::Blocks;
use crate::state::{Particles, State, bytes_of};
use crate::tile::{Cubic, Linear, Quadratic, Spline, Stencils, Tile};
use crate::workspace::{Block, Grid};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::Run;
use std::ops::Range;

/// The particles at the start of the step, and where the grid finds them.
#[derive(Clone, Copy)]
pub struct System<'a> {
    /// What the user set.
    pub params: &'a Params,
    /// Particles as they are before the step.
    pub state: &'a State,
    /// The grid's topology.
    pub grid: &'a Grid,
    /// Mesh neighbours.
    pub links: &'a Links,
    /// Step [s].
    pub dt: f32,
}

/// What a pass over the particles is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Energy and gradient at a velocity.
    Evaluate,
    /// The Hessian's product with a change of the velocity, where the last evaluation was.
    Differentiate,
}

/// The particles as they would be at the end of the step.
#[derive(Debug, Default)]
pub struct InternalForce {
    /// How far vertices move in the step [m]; empty where there are no meshes. Kept apart from where they are: added to it, it
    /// would round to the precision of positions, and stiff elements would answer the rounding. [particles]
    way: Vec<[f32; 3]>,
    /// Its change in a product [m]. [particles]
    way_change: Vec<[f32; 3]>,
    /// Deformation gradients, or directions of elements, at the end of the step [-]. [particles]
    f: Vec<Mat3>,
    /// What each particle pushes with. Of a point: the volume times `P F^T` [J]. Of an element: the derivative of its energy by
    /// its edges [N], then by the directions across [J]. Of a vertex: the force of its springs [N], in the first column. [particles]
    pulls: Vec<Mat3>,
}

impl InternalForce {
    /// Makes room, and puts held vertices where they are at the end of the step, at time `end` [s].
    pub fn begin(&mut self, system: System<'_>, end: f64) {
        let n = system.state.particles.len();
        self.f.resize(n, Mat3::ZERO);
        self.pulls.clear();
        self.pulls.resize(n, Mat3::ZERO);
        if !system.params.meshes.corners.is_empty() {
            self.way.resize(n, [0.0; 3]);
            self.way_change.clear();
            self.way_change.resize(n, [0.0; 3]);
            held_at(system.params, system.state.time, end, |vertex, x, _| {
                let place = system.links.place_of(vertex);
                self.way[place] = difference(x, system.state.particles.x[place]);
            });
        }
    }

    /// The energy [J] after a step with the given velocities; `gradient` becomes its derivative by them [kg m/s].
    pub fn evaluate(&mut self, system: System<'_>, velocity: &[Block], gradient: &mut Vec<Block>) -> f64 {
        self.pass(system, Task::Evaluate, velocity, gradient)
    }

    /// The change of the gradient when the velocities of the last evaluation change by `change` [kg m/s].
    pub fn differentiate(&mut self, system: System<'_>, change: &[Block], product: &mut Vec<Block>) {
        self.pass(system, Task::Differentiate, change, product);
    }

    /// Memory held [bytes].
    pub fn bytes(&self) -> usize {
        bytes_of(&self.way) + bytes_of(&self.way_change) + bytes_of(&self.f) + bytes_of(&self.pulls)
    }

    fn pass(&mut self, system: System<'_>, task: Task, velocity: &[Block], out: &mut Vec<Block>) -> f64 {
        match system.params.kernel {
            Kernel::Linear => self.pass_with::<Linear>(system, task, velocity, out),
            Kernel::Quadratic => self.pass_with::<Quadratic>(system, task, velocity, out),
            Kernel::Cubic => self.pass_with::<Cubic>(system, task, velocity, out),
        }
    }

    fn pass_with<S: Spline>(&mut self, k: System<'_>, task: Task, velocity: &[Block], out: &mut Vec<Block>) -> f64 {
        let way = if task == Task::Evaluate { &mut self.way } else { &mut self.way_change };
        if !way.is_empty() {
            move_vertices::<S>(k, velocity, way);
        }
        let energy = self.respond::<S>(k, task, velocity);
        clear(out, k.grid.topology.keys.len());
        let runs = &k.state.runs;
        scatter::<S, Forces, 1>(&k.grid.topology, [out], |block, forces, around| {
            let [from, to] = k.grid.runs_of[block];
            scatter_block::<S>(k, &self.pulls, &runs[from as usize..to as usize], forces);
            around.add::<S>(0, &forces.tile);
        });
        energy
    }

    /// Asks the laws for what each particle pushes with; returns the energy [J].
    fn respond<S: Spline>(&mut self, k: System<'_>, task: Task, velocity: &[Block]) -> f64 {
        let InternalForce { way, way_change, f, pulls } = self;
        let blocks = Blocks { runs: &k.state.runs, grid: k.grid };
        let moves = Moves { way, way_change };
        blocks.share((&mut f[..], &mut pulls[..]), &|range, (mut all_f, mut all_pulls)| {
            let mut scratch = Scratch::default();
            let mut energy = 0.0;
            for block in range {
                scratch.tile.load::<S>(velocity, &k.grid.topology.neighbors[block]);
                for run in blocks.runs_of(block) {
                    let (f, pulls);
                    (f, all_f) = all_f.split_at_mut((run.end - run.start) as usize);
                    (pulls, all_pulls) = all_pulls.split_at_mut((run.end - run.start) as usize);
                    energy += match Group::of_number(run.group).kind {
                        Kind::Vertex | Kind::Held => spring_run(k, task, moves, run, pulls),
                        _ => respond_run::<S>(k, task, moves, run, &mut scratch, f, pulls),
                    };
                }
            }
            energy
        })
    }
}

/// How far vertices move, and how that changes [m].
#[derive(Clone, Copy)]
struct Moves<'a> {
    way: &'a [[f32; 3]],
    way_change: &'a [[f32; 3]],
}

#[inline(always)]
fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn sum(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// What a task of the second pass works on.
#[derive(Default)]
struct Scratch {
    tile: Tile,
    stencils: Stencils,
    batch: ElasticBatch,
    /// Velocity gradients, row after row [1/s].
    grad_v: [[f32; LANES]; 9],
}

/// How far the vertices move.
fn move_vertices<S: Spline>(k: System<'_>, velocity: &[Block], way: &mut [[f32; 3]]) {
    let blocks = Blocks { runs: &k.state.runs, grid: k.grid };
    blocks.share(way, &|range, mut views: &mut [[f32; 3]]| {
        let mut scratch = Scratch::default();
        for block in range {
            let mut loaded = false;
            for run in blocks.runs_of(block) {
                let mine;
                (mine, views) = views.split_at_mut((run.end - run.start) as usize);
                if Group::of_number(run.group).kind == Kind::Vertex {
                    if !loaded {
                        scratch.tile.load::<S>(velocity, &k.grid.topology.neighbors[block]);
                        loaded = true;
                    }
                    move_run::<S>(k, run, &mut scratch, mine);
                }
            }
        }
    });
}

dispatch! {
    fn move_run[S: Spline; for V](k: System<'_>, run: &Run, scratch: &mut Scratch, way: &mut [[f32; 3]]) {
        let Scratch { tile, stencils, .. } = scratch;
        let x = &k.state.particles.x[run.start as usize..run.end as usize];
        for (x, way) in x.chunks(LANES).zip(way.chunks_mut(LANES)) {
            stencils.find::<S>(x, tile_origin(run.key), 1.0 / k.params.dx);
            for l in 0..x.len() {
                let v = tile.gather_value::<S, V>((stencils, l));
                way[l] = [k.dt * v[0], k.dt * v[1], k.dt * v[2]];
            }
        }
    }
}

/// The springs of a run of vertices. Both ends see a spring; each counts half of its energy.
fn spring_run(k: System<'_>, task: Task, moves: Moves<'_>, run: &Run, pulls: &mut [Mat3]) -> f64 {
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

/// The points or elements of one run, a batch at a time.
fn respond_run<S: Spline>(
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
    let mut energy = 0.0;
    let starts = (run.start as usize..run.end as usize).step_by(LANES);
    for ((start, f), pulls) in starts.zip(f.chunks_mut(LANES)).zip(pulls.chunks_mut(LANES)) {
        let n = f.len();
        gather_batch::<S>(k, task, run, start, scratch, f);
        if kind.is_element() {
            put_tangents(k, task, moves, kind, start..start + n, &mut scratch.batch);
        }
        match task {
            Task::Evaluate => {
                material.piola(&mut scratch.batch, n);
                material.energies(&mut scratch.batch, n);
                let volume = &k.state.particles.volume[start..start + n];
                energy += (0..n).map(|l| f64::from(volume[l] * scratch.batch.energy[l])).sum::<f64>();
            }
            Task::Differentiate => material.piola_change(&mut scratch.batch, n),
        }
        store_batch(k, task, kind, start, scratch, f, pulls);
        if viscosity > 0.0 && kind == Kind::Point {
            energy += add_viscosity(k, viscosity, start, scratch, pulls);
        }
    }
    energy
}

/// Where a batch takes the directions that the step gives: as they are, or as a change.
#[inline(always)]
fn displaced(batch: &mut ElasticBatch, task: Task) -> &mut [[f32; LANES]; 9] {
    match task {
        Task::Evaluate => &mut batch.f,
        Task::Differentiate => &mut batch.change,
    }
}

dispatch! {
    /// Deformations that the grid alone gives: `(I + dt grad v) F`, or their change `dt grad v F`.
    fn gather_batch[S: Spline; for V](
        k: System<'_>, task: Task, run: &Run, start: usize, scratch: &mut Scratch, f: &[Mat3],
    ) {
        let Scratch { tile, stencils, batch, grad_v } = scratch;
        let n = f.len();
        let range = start..start + n;
        let inv_dx = 1.0 / k.params.dx;
        let p = &k.state.particles;
        stencils.find::<S>(&p.x[range.clone()], tile_origin(run.key), inv_dx);
        for l in 0..n {
            let (_, [gx, gy, gz]) = tile.gather::<S, V>((stencils, l));
            for a in 0..3 {
                grad_v[3 * a][l] = gx[a];
                grad_v[3 * a + 1][l] = gy[a];
                grad_v[3 * a + 2][l] = gz[a];
            }
        }
        if task == Task::Differentiate {
            for (l, f) in f.iter().enumerate() {
                let rows = f.to_rows();
                for e in 0..9 {
                    batch.f[e][l] = rows[e];
                }
            }
        }
        batch.memory[..n].copy_from_slice(&p.memory[range.clone()]);
        let mut before = [[0.0f32; LANES]; 9];
        for (l, f) in p.f[range].iter().enumerate() {
            let rows = f.to_rows();
            for e in 0..9 {
                before[e][l] = rows[e];
            }
        }
        let keep = if task == Task::Evaluate { 1.0 } else { 0.0 };
        let to = displaced(batch, task);
        let dt = k.dt * inv_dx;
        for a in 0..3 {
            for b in 0..3 {
                for l in 0..LANES {
                    let turn = grad_v[3 * a][l] * before[b][l]
                        + grad_v[3 * a + 1][l] * before[3 + b][l]
                        + grad_v[3 * a + 2][l] * before[6 + b][l];
                    to[3 * a + b][l] = keep * before[3 * a + b][l] + dt * turn;
                }
            }
        }
        for e in 0..9 {
            for l in 0..LANES {
                grad_v[e][l] *= inv_dx;
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
    let (meshes, p) = (&k.params.meshes, &k.state.particles);
    let to = displaced(batch, task);
    for (l, place) in places.enumerate() {
        let rest = meshes.rest_of(kind, p.id[place], p.memory[place]);
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

dispatch! {
    /// Keeps the deformations of an evaluation, and what the particles push with.
    fn store_batch[; for _V](
        k: System<'_>, task: Task, kind: Kind, start: usize, scratch: &Scratch, f: &mut [Mat3], pulls: &mut [Mat3],
    ) {
        let batch = &scratch.batch;
        let (meshes, p) = (&k.params.meshes, &k.state.particles);
        let row = |m: &[[f32; LANES]; 9], l: usize| {
            Mat3::from_rows([m[0][l], m[1][l], m[2][l], m[3][l], m[4][l], m[5][l], m[6][l], m[7][l], m[8][l]])
        };
        for l in 0..f.len().min(LANES) {
            let place = start + l;
            if task == Task::Evaluate {
                f[l] = row(&batch.f, l);
            }
            let piola = row(&batch.piola, l).scale(p.volume[place]);
            pulls[l] = match kind {
                Kind::Surface => {
                    let rest = meshes.rest_of(kind, p.id[place], p.memory[place]);
                    let [e1, e2] = rest.edge_pulls(piola.column_x(), piola.column_y());
                    Mat3 { xx: e1[0], yx: e1[1], zx: e1[2], xy: e2[0], yy: e2[1], zy: e2[2], ..piola }
                }
                Kind::Curve => {
                    let along = p.memory[place];
                    Mat3 { xx: along * piola.xx, yx: along * piola.yx, zx: along * piola.zx, ..piola }
                }
                _ => piola.mul_transpose(&p.f[place]),
            };
        }
    }
}

/// Adds the stress of a Newtonian liquid, `2 eta J dev D` with `J` as it was, to a batch of points. Returns the potential
/// `dt V eta J |dev D|^2` of that stress, the work it dissipates in a step being twice as much [J].
fn add_viscosity(k: System<'_>, viscosity: f32, start: usize, scratch: &Scratch, pulls: &mut [Mat3]) -> f64 {
    let p = &k.state.particles;
    let mut potential = 0.0;
    for (l, pull) in pulls.iter_mut().enumerate() {
        let grad_v = Mat3::from_rows(std::array::from_fn(|e| scratch.grad_v[e][l]));
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

/// What a task of the third pass works on.
#[derive(Default)]
struct Forces {
    tile: Tile,
    stencils: Stencils,
}

dispatch! {
    /// Adds up the derivative of the energy by the velocities of the nodes around one block.
    fn scatter_block[S: Spline; for V](k: System<'_>, pulls: &[Mat3], runs: &[Run], forces: &mut Forces) {
        let Forces { tile, stencils } = forces;
        tile.clear::<S>();
        let inv_dx = 1.0 / k.params.dx;
        let p = &k.state.particles;
        for run in runs {
            let kind = Group::of_number(run.group).kind;
            if kind == Kind::Held {
                continue;
            }
            let end = run.end as usize;
            for start in (run.start as usize..end).step_by(LANES) {
                let stop = end.min(start + LANES);
                stencils.find::<S>(&p.x[start..stop], tile_origin(run.key), inv_dx);
                for i in start..stop {
                    let at = (&*stencils, i - start);
                    let pull = &pulls[i];
                    let stress = match kind {
                        Kind::Vertex | Kind::Held => {
                            let [x, y, z] = vertex_force(k.links, p, pulls, i);
                            tile.scatter_value::<S, V>(at, [-k.dt * x, -k.dt * y, -k.dt * z, 0.0]);
                            continue;
                        }
                        Kind::Point => *pull,
                        Kind::Curve => Mat3::outer(pull.column_y(), p.f[i].column_y())
                            .add(&Mat3::outer(pull.column_z(), p.f[i].column_z())),
                        Kind::Surface => Mat3::outer(pull.column_z(), p.f[i].column_z()),
                    };
                    let stress = columns(&stress.scale(k.dt * inv_dx));
                    tile.scatter::<S, V>(at, stencils.gradients(), [0.0; 4], &stress);
                }
            }
        }
    }
}

/// Force of its elements and springs on a vertex [N].
#[inline(always)]
fn vertex_force(links: &Links, p: &Particles, pulls: &[Mat3], vertex: usize) -> [f32; 3] {
    let mut total = pulls[vertex].column_x();
    for (element, corner) in links.elements_of(vertex) {
        let pull = &pulls[element];
        let push = match corner {
            0 if p.kind[element] == Kind::Curve => pull.column_x(),
            0 => [pull.xx + pull.xy, pull.yx + pull.yy, pull.zx + pull.zy],
            1 => [-pull.xx, -pull.yx, -pull.zx],
            _ => [-pull.xy, -pull.yy, -pull.zy],
        };
        total = sum(total, push);
    }
    total
}
