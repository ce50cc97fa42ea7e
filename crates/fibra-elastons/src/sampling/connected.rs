//! Connected cells, for bodies whose Voronoi cells are not connected: prongs of a fork, turns of a coil, folded sheets.
//!
//! The distance of a material point from a center is replaced by the radius of the smallest ball about the center inside
//! which both are connected. Where the material fills the ball, this is the Euclidean distance.

use super::lloyd::{Cell, Centers, split};
use super::{Body, Clusters};
use crate::branches::Visit;
use crate::connectivity::Connectivity;
use fibra_core::geometry::PointTree;
use glam::DVec3;
use std::collections::BinaryHeap;

/// Whether each cell is connected through itself and its direct neighbors. Lone corners of a cell, which are linked with
/// it through another cell, do not count as disconnected.
pub(super) fn are_connected(links: &Connectivity, clusters: &Clusters) -> bool {
    let mut cells = vec![Vec::new(); clusters.centers.len()];
    for (piece, &owner) in clusters.owner.iter().enumerate() {
        cells[owner as usize].push(piece as u32);
    }
    let mut marks = vec![false; links.len()];
    cells.iter_mut().all(|cell| {
        let near: Vec<u32> = cell.iter().flat_map(|&piece| links.neighbors(piece as usize)).copied().collect();
        cell.extend(near);
        cell.sort_unstable();
        cell.dedup();
        links.parts(cell, &mut marks).len() <= 1
    })
}

/// Adds centers to the given ones up to the count of the body. Each is the point farthest from all previous ones, along
/// the links.
pub(super) fn extend(body: &Body, links: &Connectivity, mut centers: Vec<DVec3>) -> Vec<DVec3> {
    let mut distances = vec![f64::INFINITY; body.points.len()];
    let mut waiting = BinaryHeap::new();
    let mut add = |piece: u32, distances: &mut [f64]| {
        waiting.push(Visit { distance: 0.0, piece, source: 0 });
        while let Some(Visit { distance, piece, .. }) = waiting.pop() {
            let at = piece as usize;
            if distance >= distances[at] {
                continue;
            }
            distances[at] = distance;
            for &next in links.neighbors(at) {
                let length = body.points[at].distance(body.points[next as usize]);
                let scale = 0.5 * (body.gradings[at] + body.gradings[next as usize]);
                waiting.push(Visit { distance: distance + length / scale, piece: next, source: 0 });
            }
        }
    };
    if centers.is_empty() {
        centers.push(body.points[0]);
    }
    nearest_points(body, &centers).into_iter().for_each(|piece| add(piece, &mut distances));
    while centers.len() < body.count {
        let farther = |best: usize, piece: usize| if distances[piece] > distances[best] { piece } else { best };
        let farthest = (0..distances.len()).fold(0, farther);
        centers.push(body.points[farthest]);
        add(farthest as u32, &mut distances);
    }
    centers
}

/// Assigns each material point to a cell, such that cells are connected. They grow from the material point of their
/// previous cell that is nearest to the center.
pub(super) fn assign(body: &Body, links: &Connectivity, cells: &mut [Cell], at: &Centers) {
    let scaled = |piece: usize, c: u32| body.points[piece].distance(at.positions[c as usize]) / at.scales[c as usize];
    let mut owners = vec![u32::MAX; cells.len()];
    let mut waiting = BinaryHeap::new();
    for (source, piece) in (0u32..).zip(seeds(body, cells, &at.positions)) {
        waiting.push(Visit { distance: scaled(piece as usize, source), piece, source });
    }
    while let Some(Visit { distance, piece, source }) = waiting.pop() {
        let here = piece as usize;
        if owners[here] != u32::MAX {
            continue;
        }
        owners[here] = source;
        for &next in links.neighbors(here).iter().filter(|&&next| owners[next as usize] == u32::MAX) {
            waiting.push(Visit { distance: distance.max(scaled(next as usize, source)), piece: next, source });
        }
    }
    let adjacent = adjacent_cells(links, &owners, at.positions.len());
    for (piece, cell) in cells.iter_mut().enumerate() {
        let owner = owners[piece];
        let distance = scaled(piece, owner);
        // Only cells that are linked share material points at their boundary.
        let farther = adjacent[owner as usize].iter().map(|&c| (scaled(piece, c), c)).filter(|(d, _)| *d >= distance);
        let second = farther.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, u32::MAX));
        *cell =
            Cell { owner, other: second.1, distance, lower_bound: second.0, fraction: 1.0, half_extent: DVec3::ZERO };
        (cell.fraction, cell.half_extent) = split(body, piece, cell, at);
    }
}

/// Material points from which cells grow.
fn seeds(body: &Body, cells: &[Cell], centers: &[DVec3]) -> Vec<u32> {
    let mut nearest = vec![(f64::INFINITY, u32::MAX); centers.len()];
    for (piece, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.owner != u32::MAX) {
        let distance = body.points[piece].distance_squared(centers[cell.owner as usize]);
        let best = &mut nearest[cell.owner as usize];
        if distance < best.0 {
            *best = (distance, piece as u32);
        }
    }
    let lone: Vec<usize> = (0..centers.len()).filter(|&c| nearest[c].1 == u32::MAX).collect();
    let positions: Vec<DVec3> = lone.iter().map(|&c| centers[c]).collect();
    for (&c, piece) in lone.iter().zip(nearest_points(body, &positions)) {
        nearest[c].1 = piece;
    }
    nearest.into_iter().map(|(_, piece)| piece).collect()
}

fn nearest_points(body: &Body, positions: &[DVec3]) -> Vec<u32> {
    let tree = PointTree::new(&body.points);
    positions.iter().map(|&position| tree.nearest::<1>(position)[0].1).collect()
}

/// For each cell, the cells that are linked with it, in ascending order.
fn adjacent_cells(links: &Connectivity, owners: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut adjacent = vec![Vec::new(); count];
    for (piece, &owner) in owners.iter().enumerate() {
        let others = links.neighbors(piece).iter().map(|&next| owners[next as usize]);
        adjacent[owner as usize].extend(others.filter(|&other| other != owner));
    }
    for cells in &mut adjacent {
        cells.sort_unstable();
        cells.dedup();
    }
    adjacent
}
