//! The elastic energy of all particles as a function of the grid velocities, with its gradient and Hessian-vector products, for
//! implicit steps.
//!
//! A step with velocities `v` changes the deformation gradient of a point to `(I + dt grad v) F` and moves a vertex to `x + dt v`. The
//! in-manifold directions of an element follow its moved vertices; the normal directions become `(I + dt grad v) d` [Jiang2017, Sec. 4.4].
//! All three are affine in `v`, so energy and Hessian-vector product differ only in what the constitutive models compute.
//!
//! There are three passes over the particles: grid to particles, mesh elements and their bending, forces to the grid.

use crate::bending::{BendForces, BendSystem, Bends};
use crate::force_batch::{
    Moves, Scratch, Task, advect_curve_normals, advect_surface_normals, difference, find_normals, respond_elements,
    respond_points, sum,
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
use glam::Vec3;
use rayon::prelude::*;
use std::cell::RefCell;

/// The particles at the start of the step, and the grid around them.
#[derive(Clone, Copy)]
pub struct System<'a> {
    /// User parameters.
    pub params: &'a Params,
    /// Particles before the step.
    pub state: &'a State,
    /// The grid's topology.
    pub grid: &'a Grid,
    /// Which vertices and elements of the meshes are connected.
    pub links: &'a Links,
    /// Places of hinges and joints.
    pub bends: &'a Bends,
    /// Time step [s].
    pub dt: f32,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The particles as they would be at the end of the step.
#[derive(Debug, Default)]
pub struct InternalForce {
    /// Displacements of vertices in the step [m]; empty if there are no meshes. They are not added to the positions: the
    /// sum would be rounded to the precision of positions, and stiff elements would respond to the rounding error.
    /// [particles]
    displacement: Vec<[f32; 3]>,
    /// Changes of the displacements in a Hessian-vector product [m]. [particles]
    displacement_change: Vec<[f32; 3]>,
    /// Rest shapes of elements in the order of the particles. Looking them up by id in every product would cost as much as
    /// the constitutive model. [particles]
    rest: Vec<RestShape>,
    /// Deformation gradients, or directions of elements, at the end of the step [-]. [particles]
    f: Vec<Mat3>,
    /// Energy derivatives of each particle. For a point: the volume times `P F^T` [J]. For an element: the derivative of its energy with respect to
    /// its edges [N], then to the normal directions [J]. For vertices unused. [particles]
    pulls: Vec<Mat3>,
    /// Forces of hinges and joints.
    bend_forces: BendForces,
}

impl InternalForce {
    /// Allocates the buffers, and sets the displacements of pinned vertices for a step that ends at time `end` [s].
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
            self.displacement.resize(n, [0.0; 3]);
            self.displacement_change.clear();
            self.displacement_change.resize(n, [0.0; 3]);
            held_at(system.params, system.state.time, end, |vertex, x, _| {
                let place = system.links.place_of(vertex);
                self.displacement[place] = difference(x, system.state.particles.x[place]);
            });
        }
    }

    /// Returns the energy [J] after a step with the given velocities, and stores its derivative with respect to them in `gradient` [kg m/s].
    pub fn evaluate(&mut self, system: System<'_>, velocity: &[Block], gradient: &mut Vec<Block>) -> f64 {
        clear(gradient, system.grid.topology.keys.len());
        self.pass(system, Task::Evaluate, velocity, gradient)
    }

    /// Computes the change of the gradient [kg m/s] when the velocities of the last evaluation change by `change` [m/s],
    /// and adds it to `product`. Returns the dot product of `change` with the change of the gradient [J].
    pub fn differentiate(&mut self, system: System<'_>, change: &[Block], product: &mut [Block]) -> f64 {
        self.pass(system, Task::Differentiate, change, product)
    }

    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        bytes_of(&self.displacement)
            + bytes_of(&self.displacement_change)
            + bytes_of(&self.rest)
            + bytes_of(&self.f)
            + bytes_of(&self.pulls)
            + self.bend_forces.bytes()
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
        let of_meshes =
            if self.displacement.is_empty() { 0.0 } else { self.follow_meshes(k, task) + self.bend(k, task) };
        let runs = &k.state.runs;
        scatter::<Scratch, 1>(&k.grid.topology, [out], &SCRATCH, |block, scratch, around| {
            let [from, to] = k.grid.runs_of[block];
            scatter_block::<S>(k, (&self.pulls, &self.bend_forces), &runs[from as usize..to as usize], scratch);
            around.add::<S>(0, &scratch.tile);
        });
        of_points + of_meshes
    }

    /// Moves vertices and the normal directions of elements with the grid, and evaluates the constitutive models of points.
    fn gather<S: Spline>(&mut self, k: System<'_>, task: Task, velocity: &[Block]) -> f64 {
        let displacement = if task == Task::Evaluate { &mut self.displacement } else { &mut self.displacement_change };
        let blocks = Blocks { runs: &k.state.runs, grid: k.grid };
        let views = (MeshViews(displacement), (&mut self.f[..], &mut self.pulls[..]));
        blocks.share(views, &|range, views| {
            SCRATCH.with_borrow_mut(|scratch| {
                let mut views = views;
                let mut energy = 0.0;
                for block in range {
                    scratch.tile.load::<S>(velocity, &k.grid.topology.neighbors[block]);
                    for run in blocks.runs_of(block) {
                        let (MeshViews(displacement), (f, pulls));
                        ((MeshViews(displacement), (f, pulls)), views) = views.split_at((run.end - run.start) as usize);
                        match Group::of_number(run.group).kind {
                            Kind::Vertex => move_run::<S>(k, run, scratch, displacement),
                            Kind::Held => {}
                            Kind::Curve => advect_curve_normals::<S>(k, task, run, scratch, pulls),
                            Kind::Surface => advect_surface_normals::<S>(k, task, run, scratch, pulls),
                            Kind::Point => energy += respond_points::<S>(k, task, run, scratch, f, pulls),
                        }
                    }
                }
                energy
            })
        })
    }

    /// Evaluates hinges and joints.
    fn bend(&mut self, k: System<'_>, task: Task) -> f64 {
        let bending = &k.params.meshes.bending;
        if bending.is_empty() {
            return 0.0;
        }
        let InternalForce { displacement, displacement_change, bend_forces, .. } = self;
        let apart = |of: &[[f32; 3]], a: u32, b: u32| Vec3::from_array(difference(of[b as usize], of[a as usize]));
        let between = |a: u32, b: u32| apart(&k.state.particles.x, a, b) + apart(displacement, a, b);
        let system = BendSystem { bending, bends: k.bends, frames: &k.state.rods };
        match task {
            Task::Evaluate => system.evaluate(between, bend_forces),
            Task::Differentiate => system.differentiate(between, |a, b| apart(displacement_change, a, b), bend_forces),
        }
    }

    /// Evaluates the constitutive models of elements.
    fn follow_meshes(&mut self, k: System<'_>, task: Task) -> f64 {
        let InternalForce { displacement, displacement_change, rest, f, pulls, .. } = self;
        let blocks = Blocks { runs: &k.state.runs, grid: k.grid };
        let moves = Moves { displacement, displacement_change, rest };
        blocks.share((&mut f[..], &mut pulls[..]), &|range, mut views| {
            SCRATCH.with_borrow_mut(|scratch| {
                let mut energy = 0.0;
                for run in range.flat_map(|block| blocks.runs_of(block)) {
                    let (f, pulls);
                    ((f, pulls), views) = views.split_at((run.end - run.start) as usize);
                    energy += match Group::of_number(run.group).kind {
                        Kind::Point | Kind::Vertex | Kind::Held => 0.0,
                        Kind::Curve | Kind::Surface => respond_elements(k, task, moves, run, scratch, f, pulls),
                    };
                }
                energy
            })
        })
    }
}

/// A field of the meshes' vertices; empty if there are no meshes.
struct MeshViews<'a>(&'a mut [[f32; 3]]);

impl Split for MeshViews<'_> {
    fn split_at(self, n: usize) -> (Self, Self) {
        let (a, b) = self.0.split_at_mut(n.min(self.0.len()));
        (MeshViews(a), MeshViews(b))
    }
}

dispatch! {
    /// Computes the displacements of vertices.
    fn move_run[S: Spline; for V](k: System<'_>, run: &Run, scratch: &mut Scratch, displacement: &mut [[f32; 3]]) {
        let Scratch { tile, stencils, .. } = scratch;
        let x = &k.state.particles.x[run.start as usize..run.end as usize];
        for (x, displacement) in x.chunks(LANES).zip(displacement.chunks_mut(LANES)) {
            stencils.find::<S>(x, tile_origin(run.key), 1.0 / k.params.dx);
            for l in 0..x.len() {
                let v = tile.gather_value::<S, V>((stencils, l));
                displacement[l] = [k.dt * v[0], k.dt * v[1], k.dt * v[2]];
            }
        }
    }
}

dispatch! {
    /// Sums the derivative of the energy with respect to the velocities of the nodes around one block.
    fn scatter_block[S: Spline; for V](
        k: System<'_>, forces: (&[Mat3], &BendForces), runs: &[Run], scratch: &mut Scratch,
    ) {
        let Scratch { tile, stencils, slopes, normals, .. } = scratch;
        tile.clear::<S>();
        let (pulls, bend_forces) = forces;
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
                            let force = sum(vertex_force(k.links, pulls, i), k.bends.force_on(bend_forces, i).to_array());
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

/// Returns a multiple of a vector as a node.
#[inline(always)]
fn node(v: [f32; 3], factor: f32) -> Node {
    [factor * v[0], factor * v[1], factor * v[2], 0.0]
}

/// Coefficients of an element's two edge derivatives in the force on a vertex, by its [`Corner`](crate::links::Corner).
const SHARES: [[f32; 2]; 4] = [[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];

/// Sums the forces of elements on a vertex [N].
#[inline(always)]
fn vertex_force(links: &Links, pulls: &[Mat3], vertex: usize) -> [f32; 3] {
    let mut total = [0.0; 3];
    for (element, corner) in links.elements_of(vertex) {
        let (pull, [a, b]) = (&pulls[element], SHARES[corner as usize]);
        total = sum(total, [a * pull.xx + b * pull.xy, a * pull.yx + b * pull.yy, a * pull.zx + b * pull.zy]);
    }
    total
}
