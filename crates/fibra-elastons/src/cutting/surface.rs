//! Cutting of the render surface along blades.
//!
//! An advancing blade crosses edges one after the other. Each crossed edge is marked once, with two new vertices, one
//! for each side. A triangle is divided once two of its edges are marked. A slow blade therefore leaves no slivers, and
//! the triangle ahead of the blade keeps the surface connected.
//!
//! A vertex belongs to one side of every cut. Distance cannot decide which side, because the two sides of an earlier
//! cut have the same rest position. The material point of a vertex is therefore propagated along uncut edges of the
//! surface, and then searched for along the remaining links between material points.

use super::blade::{Crossing, Swept};
use super::caps::cap_cuts;
use crate::connectivity::Connectivity;
use crate::discretization::Discretization;
use crate::world::{Matter, State, Surface, SurfaceCuts};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Minimum distance of a crossing from the ends of its edge, as a fraction of the edge length. It avoids degenerate
/// triangles.
const END_MARGIN: f64 = 1e-3;

/// A crossing that is closer than this fraction of the edge to a vertex of the current cut is ignored, because the cut
/// already passes there.
const SAME_CUT: f64 = 0.02;

/// Sine of the angle to a blade below which an edge is parallel to it.
const MIN_STEEPNESS: f64 = 0.02;

/// Inputs of a surface cut.
pub struct CutInputs<'a> {
    /// The rest shape before the cut.
    pub matter: &'a Matter,
    /// The swept surfaces of the blades.
    pub swept: &'a Swept,
    /// Current positions of the material points [m].
    pub places: &'a [DVec3],
    /// Links after the cut.
    pub links: &'a Connectivity,
    /// Tables before the cut.
    pub discretization: &'a Discretization,
}

/// Returns the surface after a cut; `None` if it does not change.
pub fn cut_surface(state: &State, inputs: &CutInputs) -> Option<Surface> {
    let matter = &state.matter;
    let surface = &matter.surface;
    let table = &inputs.discretization.surface;
    let position = |vertex: usize| surface.vertices[vertex] + table.read(vertex, &state.displacements)[0];
    let mut places: Vec<DVec3> = (0..table.len()).into_par_iter().with_min_len(256).map(position).collect();
    let mut cuts = surface.cuts.clone().unwrap_or_else(|| SurfaceCuts {
        first_made: surface.vertices.len() as u32,
        closed: closed_vertices(surface),
        open_edges: Vec::new(),
        lasting: [surface.vertices.len() as u32, surface.triangles.len() as u32],
        blades: Vec::new(),
    });
    if !cuts.blades.iter().any(|blade| inputs.swept.blades.contains(blade)) {
        // None of the last cut's blades is still cutting: that cut is complete, and its caps become permanent.
        cuts.first_made = surface.vertices.len() as u32;
        cuts.lasting = [surface.vertices.len() as u32, surface.triangles.len() as u32];
        cuts.open_edges.clear();
    }
    cuts.blades.clone_from(&inputs.swept.blades);
    let [vertices, triangles] = cuts.lasting.map(|count| count as usize);
    places.truncate(vertices);

    let all = edges(&surface.triangles[..triangles]);
    let longest = all.iter().map(|&[a, b]| places[a as usize].distance(places[b as usize])).fold(0.0, f64::max);
    let made = |vertex: u32| vertex >= cuts.first_made;
    let cross = |[a, b]: [u32; 2]| -> Option<Crossing> {
        let crossing = inputs.swept.crossing(places[a as usize], places[b as usize], MIN_STEEPNESS)?;
        let length = places[a as usize].distance(places[b as usize]);
        let near = (SAME_CUT * length).max(2.0 * END_MARGIN * longest);
        let again = |end: u32, fraction: f64| made(end) && fraction * length < near;
        (!again(a, crossing.fraction) && !again(b, 1.0 - crossing.fraction)).then_some(crossing)
    };
    let known = |edge: &[u32; 2]| cuts.open_edges.binary_search_by_key(edge, |[edge, _]| *edge).is_ok();
    let crossed: Vec<([u32; 2], Crossing)> = all
        .par_iter()
        .copied()
        .with_min_len(256)
        .filter(|edge| !known(edge))
        .filter_map(|edge| cross(edge).map(|crossing| (edge, crossing)))
        .collect();
    let part = |vertex: u32| -> Option<(u32, Crossing)> {
        let piece = inputs.places[surface.pieces[vertex as usize] as usize];
        let crossing = inputs.swept.crossing(places[vertex as usize], piece, MIN_STEEPNESS)?;
        (!made(vertex) || crossing.fraction > SAME_CUT).then_some((vertex, crossing))
    };
    let parted: BTreeMap<u32, Crossing> =
        (0..vertices as u32).into_par_iter().with_min_len(256).filter_map(part).collect();
    if crossed.is_empty() && parted.is_empty() {
        return None;
    }

    let mut next = surface.clone();
    next.vertices.truncate(vertices);
    next.pieces.truncate(vertices);
    next.triangles.truncate(triangles);
    cuts.closed.truncate(vertices);
    if !parted.is_empty() {
        let cut = |edge: &[u32; 2]| crossed.binary_search_by_key(edge, |(edge, _)| *edge).is_ok() || known(edge);
        let whole: Vec<[u32; 2]> = all.into_iter().filter(|edge| !cut(edge)).collect();
        let side = |vertex: u32, _: DVec3, piece: u32| {
            let crossing = &parted[&vertex];
            crossing.in_front(inputs.places[piece as usize]) == crossing.from_front
        };
        inputs.propagate(&mut next, &whole, parted.keys().copied().collect(), side);
    }
    for vertex in parted.into_keys().map(|vertex| vertex as usize) {
        if !inputs.reaches(next.pieces[vertex], next.vertices[vertex]) {
            next.pieces[vertex] = surface.pieces[vertex];
        }
    }
    for ([a, b], crossing) in crossed {
        let [from, to] = [a as usize, b as usize];
        let fraction = crossing.fraction.clamp(END_MARGIN, 1.0 - END_MARGIN);
        let position = surface.vertices[from].lerp(surface.vertices[to], fraction);
        let first = next.vertices.len() as u32;
        for (end, front) in [(from, crossing.from_front), (to, !crossing.from_front)] {
            let known = next.pieces[end];
            let side = |piece: u32| crossing.in_front(inputs.places[piece as usize]) == front;
            let nearest = inputs.nearest(known, position, side).filter(|&piece| inputs.reaches(piece, position));
            next.pieces.push(nearest.unwrap_or(known));
            next.vertices.push(position);
            cuts.closed.push(cuts.closed[end]);
        }
        cuts.open_edges.push([[a, b], [first, first + 1]]);
    }
    cuts.open_edges.sort_unstable();
    next.triangles = divide(&next, &cuts.open_edges);
    let left = edges(&next.triangles);
    cuts.open_edges.retain(|[edge, _]| left.binary_search(edge).is_ok());
    cap_cuts(&mut next, &mut cuts, inputs);
    next.cuts = Some(cuts);
    Some(next)
}

impl CutInputs<'_> {
    /// Propagates material points to `loose` vertices (ascending) from their neighbors along `edges`. Each vertex gets
    /// the nearest material point on its `side` that can be reached from a neighbor. Vertices without a result do not
    /// change.
    pub fn propagate(
        &self,
        surface: &mut Surface,
        edges: &[[u32; 2]],
        mut loose: Vec<u32>,
        side: impl Fn(u32, DVec3, u32) -> bool,
    ) {
        loop {
            let mut found: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
            let is_loose = |vertex: u32| loose.binary_search(&vertex).is_ok();
            for [from, to] in edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]) {
                if is_loose(from) || !is_loose(to) {
                    continue;
                }
                let position = surface.vertices[to as usize];
                let known = surface.pieces[from as usize];
                if let Some(piece) = self.nearest(known, position, |piece| side(to, position, piece)) {
                    let offer = (self.matter.cloud.points[piece as usize].distance_squared(position), piece);
                    let best = found.entry(to).or_insert(offer);
                    *best = if offer < *best { offer } else { *best };
                }
            }
            if found.is_empty() {
                return;
            }
            loose.retain(|vertex| !found.contains_key(vertex));
            found.iter().for_each(|(&vertex, &(_, piece))| surface.pieces[vertex as usize] = piece);
        }
    }

    /// Walks greedily from a material point toward a rest position, along remaining links. Every step gets closer, so
    /// the walk does not go around the end of a cut. Returns the last material point, or `None` if the walk does not
    /// reach the given side.
    fn nearest(&self, from: u32, position: DVec3, side: impl Fn(u32) -> bool) -> Option<u32> {
        let distance = |piece: u32| {
            let distance = self.matter.cloud.points[piece as usize].distance_squared(position);
            if side(piece) { distance } else { f64::INFINITY }
        };
        let mut at = (distance(from), from);
        loop {
            let around = self.links.neighbors(at.1 as usize).iter().map(|&piece| (distance(piece), piece));
            let next = around.fold(at, |best, other| if other.0 < best.0 { other } else { best });
            if next == at {
                return at.0.is_finite().then_some(at.1);
            }
            at = next;
        }
    }

    /// Whether a material point can move a vertex at a rest position, that is, whether some sample influences both.
    pub fn reaches(&self, piece: u32, position: DVec3) -> bool {
        let around = self.discretization.pieces.support(piece as usize);
        around.iter().any(|&sample| self.matter.samples[sample as usize].weight(position) > 0.0)
    }
}

/// All edges, the lower index first, in ascending order.
pub fn edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let edge = |a: u32, b: u32| [a.min(b), a.max(b)];
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [edge(a, b), edge(b, c), edge(c, a)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Divides triangles with two or more marked edges.
fn divide(surface: &Surface, open_edges: &[[[u32; 2]; 2]]) -> Vec<[u32; 3]> {
    // The new vertices on an edge; the vertex on the side of `a` comes first.
    let between = |a: u32, b: u32| -> Option<[u32; 2]> {
        let at = open_edges.binary_search_by_key(&[a.min(b), a.max(b)], |[edge, _]| *edge).ok()?;
        let [low, high] = open_edges[at][1];
        Some(if a < b { [low, high] } else { [high, low] })
    };
    let mut divided = Vec::with_capacity(surface.triangles.len());
    for &[a, b, c] in &surface.triangles {
        let marks = [between(a, b), between(b, c), between(c, a)];
        match marks {
            [Some(ab), Some(bc), Some(ca)] => {
                divided.extend([[a, ab[0], ca[1]], [b, bc[0], ab[1]], [c, ca[0], bc[1]], [ab[0], bc[0], ca[0]]]);
            }
            [Some(ab), None, Some(ca)] => cut_corner([a, b, c], ab, [ca[1], ca[0]], surface, &mut divided),
            [Some(ab), Some(bc), None] => cut_corner([b, c, a], bc, [ab[1], ab[0]], surface, &mut divided),
            [None, Some(bc), Some(ca)] => cut_corner([c, a, b], ca, [bc[1], bc[0]], surface, &mut divided),
            _ => divided.push([a, b, c]),
        }
    }
    divided
}

/// Cuts off corner `a`. `to_b` and `to_c` are the two new vertices on each edge from `a`; the vertex on the side of `a`
/// comes first.
fn cut_corner([a, b, c]: [u32; 3], to_b: [u32; 2], to_c: [u32; 2], surface: &Surface, divided: &mut Vec<[u32; 3]>) {
    divided.push([a, to_b[0], to_c[0]]);
    let length = |i: u32, j: u32| surface.vertices[i as usize].distance_squared(surface.vertices[j as usize]);
    // Split the remaining quadrilateral along its shorter diagonal.
    if length(to_b[1], c) < length(b, to_c[1]) {
        divided.extend([[to_b[1], b, c], [to_b[1], c, to_c[1]]]);
    } else {
        divided.extend([[to_b[1], b, to_c[1]], [b, c, to_c[1]]]);
    }
}

/// Whether each vertex belongs to a part of the surface that has no boundary.
fn closed_vertices(surface: &Surface) -> Vec<bool> {
    let mut neighbors = vec![Vec::new(); surface.vertices.len()];
    for [a, b] in edges(&surface.triangles) {
        neighbors[a as usize].push(b);
        neighbors[b as usize].push(a);
    }
    let parts = Connectivity::from_lists(neighbors).components();
    let mut closed = vec![true; surface.vertices.len()];
    for [a, _] in directed_boundary(&surface.triangles) {
        closed[parts[a as usize] as usize] = false;
    }
    parts.iter().map(|&part| closed[part as usize]).collect()
}

/// Directed boundary edges: edges without an opposite edge, in ascending order.
pub fn directed_boundary(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut directed: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    directed.sort_unstable();
    let alone = |&[a, b]: &[u32; 2]| directed.binary_search(&[b, a]).is_err();
    directed.iter().copied().filter(alone).collect()
}
