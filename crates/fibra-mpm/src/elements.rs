//! The elements of curves and surfaces after their vertices have moved: positions, tangents, plastic flow, stress; then
//! the forces on the vertices [Jiang2017, Sec. 4.3 to 4.5].

use crate::kind::{Group, Kind};
use crate::law::{Batch, LANES};
use crate::links::Links;
use crate::mesh::RestShape;
use crate::p2g::tile_origin;
use crate::params::{Kernel, Params};
use crate::split::{Blocks, Split};
use crate::state::{Extremes, State};
use crate::tile::{Cubic, Linear, Quadratic, Spline, reaches};
use crate::workspace::Workspace;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::Run;

/// Updates all elements and the forces on their vertices. The elements' `f` must hold their normals as the grid moved them.
pub fn elements(params: &Params, state: &mut State, work: &mut Workspace) -> Extremes {
    if params.meshes.corners.is_empty() {
        return Extremes::default();
    }
    let n = state.particles.len();
    let surfaces = params.meshes.rest.iter().any(|rest| rest.across > 0.0);
    work.edge_pulls.resize(if surfaces { n } else { 0 }, [[0.0; 3]; 2]);
    let extremes = match params.kernel {
        Kernel::Linear => respond::<Linear>(params, state, work),
        Kernel::Quadratic => respond::<Quadratic>(params, state, work),
        Kernel::Cubic => respond::<Cubic>(params, state, work),
    };
    push_vertices(params, state, work);
    extremes
}

/// What the elements of a range of particles may write.
struct ElementsMut<'a> {
    /// Positions after the step, of all particles: elements are put between their vertices while others read those.
    x: &'a mut [[f32; 3]],
    f: &'a mut [Mat3],
    tau: &'a mut [Sym3],
    pull: &'a mut [[f32; 3]],
    /// Empty where there are no surfaces.
    edge_pulls: &'a mut [[[f32; 3]; 2]],
}

impl Split for ElementsMut<'_> {
    fn split_at(self, n: usize) -> (Self, Self) {
        let (x, x2) = self.x.split_at_mut(n);
        let (f, f2) = self.f.split_at_mut(n);
        let (tau, tau2) = self.tau.split_at_mut(n);
        let (pull, pull2) = self.pull.split_at_mut(n);
        let (edge_pulls, edge_pulls2) = self.edge_pulls.split_at_mut(n.min(self.edge_pulls.len()));
        (
            ElementsMut { x, f, tau, pull, edge_pulls },
            ElementsMut { x: x2, f: f2, tau: tau2, pull: pull2, edge_pulls: edge_pulls2 },
        )
    }
}

/// What the elements read.
#[derive(Clone, Copy)]
struct Context<'a> {
    params: &'a Params,
    links: &'a Links,
    x: &'a [[f32; 3]],
    id: &'a [u32],
    volume: &'a [f32],
    /// Of elements: the rest shape's `along` [1/m].
    along: &'a [f32],
}

/// Positions, deformation and stress of every element.
fn respond<S: Spline>(params: &Params, state: &mut State, work: &mut Workspace) -> Extremes {
    let p = &mut state.particles;
    // The sort's buffer takes the new positions; afterwards they change places.
    let moved = &mut work.reorder.vectors;
    moved.resize(p.x.len(), [0.0; 3]);
    let context = Context { params, links: &work.links, x: &p.x, id: &p.id, volume: &p.volume, along: &p.memory };
    let blocks = Blocks { runs: &state.runs, grid: &work.grid };
    let views =
        ElementsMut { x: moved, f: &mut p.f, tau: &mut p.tau, pull: &mut p.pull, edge_pulls: &mut work.edge_pulls };
    let extremes = blocks.share(views, &|range, mut views| {
        let mut batch = Batch::default();
        let mut extremes = Extremes::default();
        for run in range.flat_map(|block| blocks.runs_of(block)) {
            let (mine, rest) = views.split_at((run.end - run.start) as usize);
            views = rest;
            if Group::of_number(run.group).kind.is_element() {
                extremes = extremes.merge(respond_run::<S>(context, run, &mut batch, mine));
            } else {
                mine.x.copy_from_slice(&context.x[run.start as usize..run.end as usize]);
            }
        }
        extremes
    });
    std::mem::swap(&mut p.x, moved);
    extremes
}

/// The elements of one run, a batch at a time.
fn respond_run<S: Spline>(k: Context<'_>, run: &Run, batch: &mut Batch, mut views: ElementsMut<'_>) -> Extremes {
    let Group { material, kind } = Group::of_number(run.group);
    let substance = &k.params.substances[material as usize];
    let (origin, inv_dx) = (tile_origin(run.key), 1.0 / k.params.dx);
    let (mut modulus, mut sound, mut inside) = (0.0f32, true, true);
    for start in (run.start..run.end).step_by(LANES) {
        let n = ((run.end - start) as usize).min(LANES);
        let (mine, rest) = views.split_at(n);
        views = rest;
        for l in 0..n {
            let place = start as usize + l;
            let (tangents, center) = tangents(k, kind, place);
            mine.x[l] = center;
            inside &= reaches::<S>(center, origin, inv_dx);
            let f = mine.f[l].to_rows();
            for e in 0..9 {
                batch.f[e][l] = f[e];
            }
            for a in 0..3 {
                batch.f[3 * a][l] = tangents[0][a];
                if kind == Kind::Surface {
                    batch.f[3 * a + 1][l] = tangents[1][a];
                }
            }
        }
        substance.material.respond_elements(batch, n);
        for l in 0..n {
            let place = start as usize + l;
            let row = |m: &[[f32; LANES]; 9]| Mat3::from_rows(std::array::from_fn(|e| m[e][l]));
            let [xx, yy, zz, yz, xz, xy] = std::array::from_fn(|e| batch.tau[e][l]);
            mine.f[l] = row(&batch.f);
            mine.tau[l] = Sym3 { xx, yy, zz, yz, xz, xy };
            let piola = row(&batch.piola).scale(k.volume[place]);
            match kind {
                Kind::Surface => {
                    let RestShape { along, shear, across } = k.rest(kind, place);
                    let (p1, p2) = (piola.column_x(), piola.column_y());
                    mine.pull[l] = piola.column_z();
                    mine.edge_pulls[l] =
                        [std::array::from_fn(|a| along * p1[a] + shear * p2[a]), p2.map(|p2| across * p2)];
                }
                _ => mine.pull[l] = piola.column_x(),
            }
            modulus = modulus.max(batch.modulus[l]);
            sound &= (xx + yy + zz + yz + xz + xy).abs() < f32::INFINITY;
        }
    }
    Extremes { speed: 0.0, wave_speed: (modulus / substance.density).sqrt(), drifted: !inside, broken: !sound }
}

impl Context<'_> {
    /// Rest shape of the element at a place. A segment's is all in its particle; a triangle's is looked up by its number.
    #[inline(always)]
    fn rest(&self, kind: Kind, place: usize) -> RestShape {
        let meshes = &self.params.meshes;
        match kind {
            Kind::Surface => meshes.rest[(self.id[place] - meshes.first_element) as usize],
            _ => RestShape { along: self.along[place], shear: 0.0, across: 0.0 },
        }
    }
}

/// The deformed material directions within an element, from its vertices [-], and its barycentre [m].
#[inline(always)]
fn tangents(k: Context<'_>, kind: Kind, place: usize) -> ([[f32; 3]; 2], [f32; 3]) {
    let RestShape { along, shear, across } = k.rest(kind, place);
    let [a, b, c] = k.links.corners(place).map(|corner| k.x[corner]);
    let e1: [f32; 3] = std::array::from_fn(|i| b[i] - a[i]);
    let e2: [f32; 3] = std::array::from_fn(|i| c[i] - a[i]);
    let d1 = e1.map(|e| along * e);
    let d2 = std::array::from_fn(|i| shear * e1[i] + across * e2[i]);
    let center = match kind {
        Kind::Surface => std::array::from_fn(|i| a[i] + (e1[i] + e2[i]) * (1.0 / 3.0)),
        _ => std::array::from_fn(|i| a[i] + 0.5 * e1[i]),
    };
    ([d1, d2], center)
}

/// Sums the forces of its elements and springs on every vertex that is free.
fn push_vertices(params: &Params, state: &mut State, work: &mut Workspace) {
    let p = &mut state.particles;
    let pushed = &mut work.reorder.vectors;
    let blocks = Blocks { runs: &state.runs, grid: &work.grid };
    let (links, edge_pulls) = (&work.links, &work.edge_pulls);
    let (x, pull, along, kind) = (&p.x, &p.pull, &p.memory, &p.kind);
    blocks.share(&mut pushed[..], &|range, mut views: &mut [[f32; 3]]| {
        for run in range.flat_map(|block| blocks.runs_of(block)) {
            let (mine, rest) = views.split_at_mut((run.end - run.start) as usize);
            views = rest;
            if Group::of_number(run.group).kind != Kind::Vertex {
                mine.copy_from_slice(&pull[run.start as usize..run.end as usize]);
                continue;
            }
            for (l, force) in mine.iter_mut().enumerate() {
                let vertex = run.start as usize + l;
                let mut sum = [0.0f32; 3];
                for (element, corner) in links.elements_of(vertex) {
                    let push = match (kind[element], corner) {
                        (Kind::Curve, 0) => pull[element].map(|pull| along[element] * pull),
                        (Kind::Curve, _) => pull[element].map(|pull| -along[element] * pull),
                        (_, 0) => {
                            let [g1, g2] = edge_pulls[element];
                            std::array::from_fn(|a| g1[a] + g2[a])
                        }
                        (_, corner) => edge_pulls[element][corner as usize - 1].map(|pull| -pull),
                    };
                    (0..3).for_each(|a| sum[a] += push[a]);
                }
                for (other, spring) in links.springs_of(vertex) {
                    let push = params.meshes.springs[spring].force(x[vertex], x[other]);
                    (0..3).for_each(|a| sum[a] += push[a]);
                }
                *force = sum;
            }
        }
        Extremes::default()
    });
    std::mem::swap(&mut p.pull, pushed);
}
