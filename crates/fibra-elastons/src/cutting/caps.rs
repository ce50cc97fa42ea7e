//! Caps that close a cut surface, one on each side of the cut.
//!
//! The boundary edges of a cut form chains. A closed chain gets a permanent cap. An open chain ends where the blade is
//! still advancing. It is closed by a straight line, which represents the cut front, and its cap is temporary.

use super::surface::{CutInputs, directed_boundary, edges};
use super::triangulate::triangulate;
use crate::world::{Surface, SurfaceCuts};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Minimum ratio of the area of a cap to the square of its perimeter [-]. This minimum excludes slits. For a circle the
/// ratio is 0.08.
const MIN_AREA_RATIO: f64 = 1e-4;

/// Caps the cuts of a surface and records which part of it is permanent.
pub fn cap_cuts(surface: &mut Surface, cuts: &mut SurfaceCuts, inputs: &CutInputs) {
    let (loops, chains) = outlines(surface, cuts);
    loops.iter().for_each(|outline| add_cap(surface, outline, inputs));
    cuts.closed.resize(surface.vertices.len(), true);
    cuts.lasting = [surface.vertices.len() as u32, surface.triangles.len() as u32];
    chains.iter().for_each(|outline| add_cap(surface, outline, inputs));
    cuts.closed.resize(surface.vertices.len(), true);
    close_front(surface, cuts);
}

/// Closes the gap at the front of a cut, which is as wide as the opening of the cut there. The gap lies between the two
/// caps. Where the triangle ahead is not yet divided, it also lies between an edge of this triangle and the two parts
/// of the same edge on the divided side.
fn close_front(surface: &mut Surface, cuts: &SurfaceCuts) {
    let open = directed_boundary(&surface.triangles).into_iter().filter(|&[a, _]| cuts.closed[a as usize]);
    let edges: Vec<[u32; 2]> = open.map(|[a, b]| [b, a]).collect();
    for outline in walk_edges(&edges, edges.iter().map(|&[a, _]| a)) {
        let fan = outline.windows(2).skip(1).map(|pair| [outline[0], pair[0], pair[1]]);
        surface.triangles.extend(fan);
    }
}

/// Outlines of the missing caps, in the orientation of the caps: closed loops, and open chains.
fn outlines(surface: &Surface, cuts: &SurfaceCuts) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    // Cut edges next to an undivided triangle are also on the boundary, until this triangle is divided.
    let waiting = cuts.open_edges.iter().flat_map(|&[[a, b], [from_a, from_b]]| [[a, b], [a, from_a], [from_b, b]]);
    let mut waiting: Vec<[u32; 2]> = waiting.flat_map(|[a, b]| [[a, b], [b, a]]).collect();
    waiting.sort_unstable();
    let opened = |edge: &[u32; 2]| {
        let [a, b] = *edge;
        a.min(b) >= cuts.first_made && cuts.closed[a as usize] && waiting.binary_search(edge).is_err()
    };
    // The outline is opposite in direction to the boundary edges of the existing triangles.
    let edges: Vec<[u32; 2]> =
        directed_boundary(&surface.triangles).into_iter().filter(opened).map(|[a, b]| [b, a]).collect();
    let mut balance: BTreeMap<u32, i32> = BTreeMap::new();
    for &[a, b] in &edges {
        *balance.entry(a).or_default() += 1;
        *balance.entry(b).or_default() -= 1;
    }
    let starts = balance.iter().filter(|(_, balance)| **balance > 0).map(|(&vertex, _)| vertex);
    let chains: Vec<u32> = starts.collect();
    let mut all = walk_edges(&edges, chains.iter().copied().chain(edges.iter().map(|&[a, _]| a)));
    let loops = all.split_off(chains.len());
    let faces = |outlines: Vec<Vec<u32>>| outlines.into_iter().filter(|outline| outline.len() > 2).collect();
    (faces(loops), faces(all))
}

/// Walks along edges from each start vertex until it returns there or reaches an end. Each edge is walked once.
fn walk_edges(edges: &[[u32; 2]], starts: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
    let mut onward: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    edges.iter().for_each(|&[a, b]| onward.entry(a).or_default().push(b));
    let mut walk = |start: u32| {
        let mut passed = vec![start];
        let mut at = start;
        while let Some(next) = onward.get_mut(&at).and_then(Vec::pop) {
            at = next;
            if at == start {
                break;
            }
            passed.push(at);
        }
        passed
    };
    starts.map(&mut walk).collect()
}

/// Adds a cap inside an outline.
fn add_cap(surface: &mut Surface, outline: &[u32], inputs: &CutInputs) {
    let corners: Vec<DVec3> = outline.iter().map(|&vertex| surface.vertices[vertex as usize]).collect();
    let center = corners.iter().sum::<DVec3>() / corners.len() as f64;
    let around = || corners.iter().zip(corners.iter().cycle().skip(1));
    let twice_area: DVec3 = around().map(|(a, b)| (a - center).cross(b - center)).sum();
    let length: f64 = around().map(|(a, b)| a.distance(*b)).sum();
    let Some(normal) = twice_area.try_normalize() else { return };
    if 0.5 * twice_area.length() < MIN_AREA_RATIO * length * length {
        return;
    }
    let (u, v) = normal.any_orthonormal_pair();
    // any_orthonormal_pair may have either handedness.
    let v = if u.cross(v).dot(normal) > 0.0 { v } else { -v };
    let flat: Vec<DVec2> =
        corners.iter().map(|corner| DVec2::new(u.dot(corner - center), v.dot(corner - center))).collect();
    let heights: Vec<f64> = corners.iter().map(|corner| normal.dot(corner - center)).collect();
    let face = triangulate(&flat);
    let first = surface.vertices.len() as u32;
    let place = |&point: &DVec2| center + u * point.x + v * point.y + normal * height(&flat, &heights, point);
    surface.vertices.extend(face.inner.iter().map(place));
    let inner = first..surface.vertices.len() as u32;
    surface.pieces.resize(inner.end as usize, surface.pieces[outline[0] as usize]);
    let names: Vec<u32> = outline.iter().copied().chain(inner.clone()).collect();
    let triangles: Vec<[u32; 3]> =
        face.triangles.iter().map(|corners| corners.map(|corner| names[corner as usize])).collect();
    // At the front of a cut the two sides are still connected, so only material points behind the cap count.
    let behind =
        |_: u32, place: DVec3, piece: u32| normal.dot(inputs.matter.cloud.points[piece as usize] - place) < 0.0;
    inputs.propagate(surface, &edges(&triangles), inner.clone().collect(), behind);
    surface.triangles.extend(triangles);
    for vertex in inner.map(|vertex| vertex as usize) {
        // The vertex is too far from any material point, as in a cavity.
        let piece = surface.pieces[vertex];
        if !inputs.reaches(piece, surface.vertices[vertex]) {
            surface.vertices[vertex] = inputs.matter.cloud.points[piece as usize];
        }
    }
}

/// Height at a point inside an outline, interpolated from the corners by inverse distance weighting.
fn height(outline: &[DVec2], heights: &[f64], point: DVec2) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (corner, height) in outline.iter().zip(heights) {
        let weight = corner.distance_squared(point).max(f64::MIN_POSITIVE).powi(-2);
        sum += weight * height;
        weights += weight;
    }
    sum / weights
}
