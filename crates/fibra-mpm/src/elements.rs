//! Updates the elements of curves and surfaces after their vertices have moved [Jiang2017, Sec. 4.3 to 4.5]: computes positions
//! and tangents, runs the return mapping, and computes the stress. The forces on the vertices follow.

use crate::bending::bend;
use crate::element_contact::resolve_elements;
use crate::law::{Batch, LANES};
use crate::links::Links;
use crate::mesh::RestShape;
use crate::params::{Kernel, Params};
use crate::pins::hold;
use crate::resolve_penetration::resolve_penetration;
use crate::scatter::tile_origin;
use crate::split::{Blocks, Merge, Split};
use crate::state::{Extremes, State};
use crate::tile::{Cubic, Linear, Quadratic, Spline, reaches};
use crate::workspace::Workspace;
use fibra_core::block_key::BlockKey;
use fibra_core::geometry::PlacedCollider;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::Run;
use fibra_core::simd::dispatch;
use fibra_materials::kind::{Group, Kind};

/// Moves pinned vertices to their positions at time `end` [s], resolves penetration of colliders, and updates all elements. Merges the
/// resulting bounds on the next step into the state's extremes.
pub fn update_meshes(params: &Params, colliders: &[PlacedCollider], state: &mut State, work: &mut Workspace, end: f64) {
    let held = hold(params, state, &work.links, end);
    let kept = resolve_penetration(params, colliders, state, &work.grid);
    let kept = kept.merge(resolve_elements(params, colliders, state, work));
    let meshed = held.merge(kept).merge(elements(params, state, work, [end - state.time, end]));
    state.extremes = state.extremes.merge(meshed);
}

/// Updates all elements, hinges and joints, and the forces on their vertices, at the end of a step of a given length and end time [s]. The elements'
/// `f` must already hold the normals that the grid has moved.
pub fn elements(params: &Params, state: &mut State, work: &mut Workspace, span: [f64; 2]) -> Extremes {
    if params.meshes.corners.is_empty() {
        return Extremes::default();
    }
    let n = state.particles.len();
    let edges = if params.meshes.has_surfaces() { 2 } else { 1 };
    work.edge_pulls.resize(edges * n, [0.0; 3]);
    let extremes = match params.kernel {
        Kernel::Linear => respond::<Linear>(params, state, work),
        Kernel::Quadratic => respond::<Quadratic>(params, state, work),
        Kernel::Cubic => respond::<Cubic>(params, state, work),
    };
    bend(params, state, &work.bends, &mut work.bend_forces, span);
    push_vertices(state, work);
    extremes
}

/// Fields that the elements of a range of particles write.
struct ElementsMut<'a> {
    /// Positions after the step, of all particles. Double-buffered: elements are written while other threads read their vertices.
    x: &'a mut [[f32; 3]],
    f: &'a mut [Mat3],
    tau: &'a mut [Sym3],
    pull: &'a mut [[f32; 3]],
    /// Has as many entries per particle as [`Workspace::edge_pulls`].
    edge_pulls: &'a mut [[f32; 3]],
}

impl Split for ElementsMut<'_> {
    fn split_at(self, n: usize) -> (Self, Self) {
        let (x, x2) = self.x.split_at_mut(n);
        let (f, f2) = self.f.split_at_mut(n);
        let (tau, tau2) = self.tau.split_at_mut(n);
        let (pull, pull2) = self.pull.split_at_mut(n);
        let edges = self.edge_pulls.len() / (x.len() + x2.len()).max(1);
        let (edge_pulls, edge_pulls2) = self.edge_pulls.split_at_mut(edges * n);
        (
            ElementsMut { x, f, tau, pull, edge_pulls },
            ElementsMut { x: x2, f: f2, tau: tau2, pull: pull2, edge_pulls: edge_pulls2 },
        )
    }
}

/// Fields that the elements read.
#[derive(Clone, Copy)]
struct Context<'a> {
    params: &'a Params,
    links: &'a Links,
    x: &'a [[f32; 3]],
    id: &'a [u32],
    volume: &'a [f32],
    /// For elements: the rest shape's `along` [1/m].
    along: &'a [f32],
}

/// Computes positions, deformation and stress of every element.
fn respond<S: Spline>(params: &Params, state: &mut State, work: &mut Workspace) -> Extremes {
    let p = &mut state.particles;
    // The sort's buffer receives the new positions; afterwards it is swapped with the array of positions.
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
            match Group::of_number(run.group).kind {
                Kind::Curve => extremes = extremes.merge(respond_run::<S, Segment>(context, run, &mut batch, mine)),
                Kind::Surface => extremes = extremes.merge(respond_run::<S, Triangle>(context, run, &mut batch, mine)),
                _ => mine.x.copy_from_slice(&context.x[run.start as usize..run.end as usize]),
            }
        }
        extremes
    });
    std::mem::swap(&mut p.x, moved);
    extremes
}

/// Updates the elements of one run, a batch at a time.
fn respond_run<S: Spline, E: Element>(
    k: Context<'_>,
    run: &Run,
    batch: &mut Batch,
    mut views: ElementsMut<'_>,
) -> Extremes {
    let substance = &k.params.substances[Group::of_number(run.group).material as usize];
    let mut modulus = 0.0f32;
    let mut extremes = Extremes::default();
    for start in (run.start..run.end).step_by(LANES) {
        let n = ((run.end - start) as usize).min(LANES);
        let (mut mine, rest) = views.split_at(n);
        views = rest;
        let first = start as usize;
        extremes.drifted |= !load_batch::<S, E>(k, (first, run.key), batch, &mut mine);
        substance.material.respond_elements(batch, n);
        let (stiffest, sound) = store_batch::<E>(k, first, batch, &mut mine);
        modulus = modulus.max(stiffest);
        extremes.broken |= !sound;
    }
    Extremes { wave_speed: (modulus / substance.density).sqrt(), ..extremes }
}

dispatch! {
    /// Positions a batch of elements, from index `first`, between their vertices. Loads their directions into the batch: tangents from
    /// the vertices, normals as moved by the grid. Returns whether all are within reach of their block's tile.
    fn load_batch[S: Spline, E: Element; for _V](
        k: Context<'_>, at: (usize, BlockKey), batch: &mut Batch, views: &mut ElementsMut<'_>,
    ) -> bool {
        let ((first, key), n) = (at, views.x.len().min(LANES));
        let (origin, inv_dx) = (tile_origin(key), 1.0 / k.params.dx);
        let mut inside = true;
        for l in 0..n {
            let [a, b, c] = k.links.corners(first + l).map(|corner| k.x[corner]);
            let e1 = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
            let e2 = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
            let [d1, d2] = E::rest(k, first + l).directions([e1, e2]);
            let mut center = [0.0; 3];
            let f = views.f[l].to_rows();
            for i in 0..3 {
                center[i] = if E::SURFACE { a[i] + (e1[i] + e2[i]) * (1.0 / 3.0) } else { a[i] + 0.5 * e1[i] };
                batch.f[3 * i][l] = d1[i];
                batch.f[3 * i + 1][l] = if E::SURFACE { d2[i] } else { f[3 * i + 1] };
                batch.f[3 * i + 2][l] = f[3 * i + 2];
            }
            views.x[l] = center;
            inside &= reaches::<S>(center, origin, inv_dx);
        }
        inside
    }
}

dispatch! {
    /// Writes a batch back; returns the largest wave modulus [Pa] and whether every stress is finite.
    fn store_batch[E: Element; for _V](
        k: Context<'_>, first: usize, batch: &Batch, views: &mut ElementsMut<'_>,
    ) -> (f32, bool) {
        let (mut modulus, mut sound) = (0.0f32, true);
        let n = views.x.len().min(LANES);
        let edges = views.edge_pulls.len() / n.max(1);
        let volumes = &k.volume[first..first + n];
        for l in 0..n {
            let (f, t, p, volume) = (&batch.f, &batch.tau, &batch.piola, volumes[l]);
            views.f[l] = Mat3::from_rows([
                f[0][l], f[1][l], f[2][l], f[3][l], f[4][l], f[5][l], f[6][l], f[7][l], f[8][l],
            ]);
            let [xx, yy, zz, yz, xz, xy] = [t[0][l], t[1][l], t[2][l], t[3][l], t[4][l], t[5][l]];
            // The stress of a surface acts on the grid only through `pull`.
            if !E::SURFACE {
                views.tau[l] = Sym3 { xx, yy, zz, yz, xz, xy };
            }
            let p1 = [p[0][l] * volume, p[3][l] * volume, p[6][l] * volume];
            let rest = E::rest(k, first + l);
            if E::SURFACE {
                let p2 = [p[1][l] * volume, p[4][l] * volume, p[7][l] * volume];
                views.pull[l] = [p[2][l] * volume, p[5][l] * volume, p[8][l] * volume];
                views.edge_pulls[2 * l..2 * l + 2].copy_from_slice(&rest.edge_pulls([p1, p2]));
            } else {
                views.pull[l] = p1;
                [views.edge_pulls[edges * l], _] = rest.edge_pulls([p1, [0.0; 3]]);
            }
            modulus = modulus.max(batch.modulus[l]);
            sound &= (xx + yy + zz + yz + xz + xy).abs() < f32::INFINITY;
        }
        (modulus, sound)
    }
}

/// The kind of element that a loop is compiled for.
trait Element {
    /// Whether the element is a triangle.
    const SURFACE: bool;
    /// Returns the rest shape of the element at an index.
    fn rest(k: Context<'_>, place: usize) -> RestShape;
}

struct Segment;
struct Triangle;

impl Element for Segment {
    const SURFACE: bool = false;
    #[inline(always)]
    fn rest(k: Context<'_>, place: usize) -> RestShape {
        k.params.meshes.rest_of(Kind::Curve, k.id[place], k.along[place])
    }
}

impl Element for Triangle {
    const SURFACE: bool = true;
    #[inline(always)]
    fn rest(k: Context<'_>, place: usize) -> RestShape {
        k.params.meshes.rest_of(Kind::Surface, k.id[place], k.along[place])
    }
}

/// Sums the forces of elements, hinges and joints on every free vertex.
fn push_vertices(state: &mut State, work: &mut Workspace) {
    let p = &mut state.particles;
    let blocks = Blocks { runs: &state.runs, grid: &work.grid };
    let (bends, links, pulls) = (&work.bends, &work.links, &work.edge_pulls);
    let edges = pulls.len() / p.x.len();
    blocks.share(&mut p.pull[..], &|range, mut views: &mut [[f32; 3]]| {
        for run in range.flat_map(|block| blocks.runs_of(block)) {
            let (mine, rest) = views.split_at_mut((run.end - run.start) as usize);
            views = rest;
            if Group::of_number(run.group).kind != Kind::Vertex {
                continue;
            }
            for (l, force) in mine.iter_mut().enumerate() {
                let vertex = run.start as usize + l;
                let mut sum = [0.0f32; 3];
                for (element, corner) in links.elements_of(vertex) {
                    let [by_first, by_second] = corner.shares();
                    let pulls = &pulls[edges * element..][..edges];
                    (0..3).for_each(|a| sum[a] += by_first * pulls[0][a]);
                    if let Some(second) = pulls.get(1) {
                        (0..3).for_each(|a| sum[a] += by_second * second[a]);
                    }
                }
                let push = bends.force_on(&work.bend_forces, vertex);
                (0..3).for_each(|a| sum[a] += push[a]);
                *force = sum;
            }
        }
    });
}
