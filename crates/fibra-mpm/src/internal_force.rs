//! The elastic energy of everything as a function of the grid's velocities, with its gradient and the Hessian's product:
//! what an implicit step solves with.
//!
//! Moving with velocities `v` for a step takes a point's deformation to `(I + dt grad v) F`, a vertex to `x + dt v`, and an element's
//! directions to those of its moved vertices within the manifold and to `(I + dt grad v) d` across it [Jiang2017, Sec. 4.4].
//! All three are affine in `v`, so that energy and product differ only in what the laws are asked for.
//!
//! Three passes over the particles: what the grid moves, what the meshes make of it, forces to the grid.

use crate::force_batch::{
    Moves, Scratch, Task, carry_curves, carry_surfaces, difference, find_normals, respond_elements, respond_points,
    respond_springs, sum,
};
use crate::law::LANES;
use crate::links::Links;
use crate::mesh::RestShape;
use crate::params::{Kernel, Params};
use crate::pins::held_at;
use crate::scatter::{clear, columns, scatter, tile_origin};
use crate::split::{Blocks, Split};
use crate::state::{State, bytes_of};
use crate::tile::{Cubic, Linear, Node, Quadratic, Spline};
use crate::workspace::{Block, Grid};
use fibra_core::mat3::Mat3;
use fibra_core::particle_sort::Run;
use fibra_core::simd::dispatch;
use fibra_materials::kind::{Group, Kind};
use rayon::prelude::*;
use std::cell::RefCell;

/// The particles at the start of the step, and where the grid finds them.
#[derive(Clone, Copy)]
pub struct System<'a> {
    /// What the user set.
    pub params: &'a Params,
    /// Particles as they are before the step.
    pub state: &'a State,
    /// The grid's topology.
    pub grid: &'a Grid,
    /// Mesh neighbors.
    pub links: &'a Links,
    /// Step [s].
    pub dt: f32,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The particles as they would be at the end of the step.
#[derive(Debug, Default)]
pub struct InternalForce {
    /// How far vertices move in the step [m]; empty where there are no meshes. Kept apart from where they are: added to it, it
    /// would round to the precision of positions, and stiff elements would answer the rounding. [particles]
    way: Vec<[f32; 3]>,
    /// Its change in a product [m]. [particles]
    way_change: Vec<[f32; 3]>,
    /// Rest shapes of elements in the order of the particles: looked up by number in every product, they would cost as much as
    /// the law. [particles]
    rest: Vec<RestShape>,
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
            let (p, meshes) = (&system.state.particles, &system.params.meshes);
            let kinds = p.kind.par_iter().zip(&p.id).zip(&p.memory).with_min_len(4096);
            let rest = kinds.map(|((&kind, &id), &along)| match kind.is_element() {
                true => meshes.rest_of(kind, id, along),
                false => RestShape::default(),
            });
            rest.collect_into_vec(&mut self.rest);
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
        clear(gradient, system.grid.topology.keys.len());
        self.pass(system, Task::Evaluate, velocity, gradient)
    }

    /// Adds to `product` the change of the gradient when the velocities of the last evaluation change by `change` [kg m/s];
    /// returns the scalar product of both [J].
    pub fn differentiate(&mut self, system: System<'_>, change: &[Block], product: &mut [Block]) -> f64 {
        self.pass(system, Task::Differentiate, change, product)
    }

    /// Memory held [bytes].
    pub fn bytes(&self) -> usize {
        bytes_of(&self.way)
            + bytes_of(&self.way_change)
            + bytes_of(&self.rest)
            + bytes_of(&self.f)
            + bytes_of(&self.pulls)
    }

    fn pass(&mut self, system: System<'_>, task: Task, velocity: &[Block], out: &mut [Block]) -> f64 {
        match system.params.kernel {
            Kernel::Linear => self.pass_with::<Linear>(system, task, velocity, out),
            Kernel::Quadratic => self.pass_with::<Quadratic>(system, task, velocity, out),
            Kernel::Cubic => self.pass_with::<Cubic>(system, task, velocity, out),
        }
    }

    fn pass_with<S: Spline>(&mut self, k: System<'_>, task: Task, velocity: &[Block], out: &mut [Block]) -> f64 {
        let of_points = self.gather::<S>(k, task, velocity);
        let of_meshes = if self.way.is_empty() { 0.0 } else { self.follow_meshes(k, task) };
        let runs = &k.state.runs;
        scatter::<Scratch, 1>(&k.grid.topology, [out], &SCRATCH, |block, scratch, around| {
            let [from, to] = k.grid.runs_of[block];
            scatter_block::<S>(k, &self.pulls, &runs[from as usize..to as usize], scratch);
            around.add::<S>(0, &scratch.tile);
        });
        of_points + of_meshes
    }

    /// Moves vertices and the directions of elements across the manifold with the grid, and asks the laws of points.
    fn gather<S: Spline>(&mut self, k: System<'_>, task: Task, velocity: &[Block]) -> f64 {
        let way = if task == Task::Evaluate { &mut self.way } else { &mut self.way_change };
        let blocks = Blocks { runs: &k.state.runs, grid: k.grid };
        let views = (MeshViews(way), (&mut self.f[..], &mut self.pulls[..]));
        blocks.share(views, &|range, views| {
            SCRATCH.with_borrow_mut(|scratch| {
                let mut views = views;
                let mut energy = 0.0;
                for block in range {
                    scratch.tile.load::<S>(velocity, &k.grid.topology.neighbors[block]);
                    for run in blocks.runs_of(block) {
                        let (MeshViews(way), (f, pulls));
                        ((MeshViews(way), (f, pulls)), views) = views.split_at((run.end - run.start) as usize);
                        match Group::of_number(run.group).kind {
                            Kind::Vertex => move_run::<S>(k, run, scratch, way),
                            Kind::Held => {}
                            Kind::Curve => carry_curves::<S>(k, task, run, scratch, pulls),
                            Kind::Surface => carry_surfaces::<S>(k, task, run, scratch, pulls),
                            Kind::Point => energy += respond_points::<S>(k, task, run, scratch, f, pulls),
                        }
                    }
                }
                energy
            })
        })
    }

    /// Asks the laws of elements, and springs.
    fn follow_meshes(&mut self, k: System<'_>, task: Task) -> f64 {
        let InternalForce { way, way_change, rest, f, pulls } = self;
        let blocks = Blocks { runs: &k.state.runs, grid: k.grid };
        let moves = Moves { way, way_change, rest };
        blocks.share((&mut f[..], &mut pulls[..]), &|range, mut views| {
            SCRATCH.with_borrow_mut(|scratch| {
                let mut energy = 0.0;
                for run in range.flat_map(|block| blocks.runs_of(block)) {
                    let (f, pulls);
                    ((f, pulls), views) = views.split_at((run.end - run.start) as usize);
                    energy += match Group::of_number(run.group).kind {
                        Kind::Point => 0.0,
                        Kind::Vertex | Kind::Held => respond_springs(k, task, moves, run, pulls),
                        Kind::Curve | Kind::Surface => respond_elements(k, task, moves, run, scratch, f, pulls),
                    };
                }
                energy
            })
        })
    }
}

/// A field of the meshes' vertices: empty where there are none.
struct MeshViews<'a>(&'a mut [[f32; 3]]);

impl Split for MeshViews<'_> {
    fn split_at(self, n: usize) -> (Self, Self) {
        let (a, b) = self.0.split_at_mut(n.min(self.0.len()));
        (MeshViews(a), MeshViews(b))
    }
}

dispatch! {
    /// How far vertices move.
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

dispatch! {
    /// Adds up the derivative of the energy by the velocities of the nodes around one block.
    fn scatter_block[S: Spline; for V](k: System<'_>, pulls: &[Mat3], runs: &[Run], scratch: &mut Scratch) {
        let Scratch { tile, stencils, slopes, normals, .. } = scratch;
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
                if kind == Kind::Surface {
                    find_normals(&p.f[start..stop], normals);
                    slopes.find::<S>(stencils, normals);
                }
                for i in start..stop {
                    let l = i - start;
                    let pull = &pulls[i];
                    let stress = match kind {
                        Kind::Vertex | Kind::Held => {
                            let force = vertex_force(k.links, pulls, i);
                            tile.scatter_value::<S, V>((stencils, l), node(force, -k.dt));
                            continue;
                        }
                        Kind::Surface => {
                            tile.scatter_slope::<S, V>((stencils, slopes, l), node(pull.column_z(), k.dt * inv_dx));
                            continue;
                        }
                        Kind::Point => *pull,
                        Kind::Curve => Mat3::outer(pull.column_y(), p.f[i].column_y())
                            .add(&Mat3::outer(pull.column_z(), p.f[i].column_z())),
                    };
                    let stress = columns(&stress.scale(k.dt * inv_dx));
                    tile.scatter::<S, V>((stencils, l), stencils.gradients(), [0.0; 4], &stress);
                }
            }
        }
    }
}

/// A multiple of a vector as a node.
#[inline(always)]
fn node(v: [f32; 3], factor: f32) -> Node {
    [factor * v[0], factor * v[1], factor * v[2], 0.0]
}

/// What an element's pulls on its two edges add to the force on a vertex, by which [`Corner`](crate::links::Corner) of it that is.
const SHARES: [[f32; 2]; 4] = [[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];

/// Force of its elements and springs on a vertex [N].
#[inline(always)]
fn vertex_force(links: &Links, pulls: &[Mat3], vertex: usize) -> [f32; 3] {
    let mut total = pulls[vertex].column_x();
    for (element, corner) in links.elements_of(vertex) {
        let (pull, [a, b]) = (&pulls[element], SHARES[corner as usize]);
        total = sum(total, [a * pull.xx + b * pull.xy, a * pull.yx + b * pull.yy, a * pull.zx + b * pull.zy]);
    }
    total
}
