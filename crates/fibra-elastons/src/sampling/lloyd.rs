//! Lloyd relaxation [Lloyd1982]: each center moves to the centroid of its Voronoi cell, until convergence.

use super::{Body, Clusters, connected};
use crate::connectivity::Connectivity;
use fibra_core::geometry::PointTree;
use glam::DVec3;
use rayon::prelude::*;

/// Convergence tolerance: root mean square step of the centers, relative to the root mean square distance of material
/// points from the centers [-]. In a row of n centers, the remaining error of the slowest mode is n^2 / 2 times its
/// step.
const TOLERANCE: f64 = 3e-5;

/// Maximum number of visits to material points in all iterations together, and the minimum and maximum number of
/// iterations. Rows of samples need many iterations but have few material points. Solids need few iterations but have
/// many material points.
const MAX_VISITS: usize = 5_000_000;
const ITERATIONS: [usize; 2] = [50, 500];

/// Assignment of a material point to a Voronoi cell.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    /// The nearest center (`owner`), and the second nearest center at the last search (`other`). `u32::MAX` before the
    /// first search and for a missing second center.
    pub(super) owner: u32,
    pub(super) other: u32,
    /// Scaled distance from the owner [-].
    pub(super) distance: f64,
    /// Lower bound on the scaled distance to all other centers [-].
    pub(super) lower_bound: f64,
    /// Fraction of the material point on the owner's side. The rest belongs to the second nearest center.
    pub(super) fraction: f64,
    /// Half of the material point's extent across the cell boundary, directed from the owner to the second nearest
    /// center [m].
    pub(super) half_extent: DVec3,
}

/// Centers with the relative spacing at each.
#[derive(Clone)]
pub(super) struct Centers {
    pub(super) positions: Vec<DVec3>,
    pub(super) scales: Vec<f64>,
}

/// Relaxes centers and assigns the material points to them. With `links`, cells are connected.
pub(super) fn relax(body: &Body, start: Vec<DVec3>, links: Option<&Connectivity>) -> Clusters {
    let assign = |cells: &mut [Cell], at: &Centers, before: &Centers| match links {
        Some(links) => connected::assign(body, links, cells, at),
        None => assign(body, cells, at, before),
    };
    let mut cells = vec![
        Cell {
            owner: u32::MAX,
            other: u32::MAX,
            distance: 0.0,
            lower_bound: 0.0,
            fraction: 1.0,
            half_extent: DVec3::ZERO
        };
        body.points.len()
    ];
    let scales = gradings_at(body, &start);
    let mut last = start.clone();
    let mut at = Centers { positions: start, scales };
    let mut assigned = at.clone();
    let mut streak = 0.0;
    for _ in 0..(MAX_VISITS / body.points.len()).clamp(ITERATIONS[0], ITERATIONS[1]) {
        assign(&mut cells, &at, &assigned);
        let reseeded = reseed_empty(body, &mut cells, &mut at.positions);
        assigned.clone_from(&at);
        let target = centroids(body, &cells, &at);
        let step: f64 = target.positions.iter().zip(&at.positions).map(|(a, b)| a.distance_squared(*b)).sum();
        if !reseeded && step / at.positions.len() as f64 <= TOLERANCE * TOLERANCE * mean_square(body, &cells, &at) {
            last = target.positions;
            break;
        }
        // Nesterov momentum: extrapolates by the last step, with a factor that grows to 1. The momentum restarts when
        // the step points uphill on the objective [ODonoghue2015, Sec. 3.2, gradient scheme].
        let uphill: f64 =
            (0..last.len()).map(|c| (at.positions[c] - target.positions[c]).dot(target.positions[c] - last[c])).sum();
        streak = if reseeded || uphill > 0.0 { 0.0 } else { streak + 1.0 };
        let momentum = streak / (streak + 3.0);
        let positions = target.positions.iter().zip(&last).map(|(new, old)| *new + momentum * (*new - *old)).collect();
        last = target.positions;
        at = Centers { positions, scales: target.scales };
    }
    at.positions = last;
    assign(&mut cells, &at, &assigned);
    reseed_empty(body, &mut cells, &mut at.positions);
    Clusters { centers: at.positions, owner: cells.iter().map(|cell| cell.owner).collect() }
}

/// Grading of the material point nearest to each center.
fn gradings_at(body: &Body, centers: &[DVec3]) -> Vec<f64> {
    if body.gradings.iter().all(|&grading| grading == body.gradings[0]) {
        return vec![1.0; centers.len()];
    }
    let tree = PointTree::new(&body.points);
    let equal = tree.scales(&vec![1.0; body.points.len()]);
    centers.iter().map(|&center| body.gradings[tree.nearest_two(center, &equal, None)[0].1 as usize]).collect()
}

/// Assigns each material point to its cell. Distances are divided by the relative spacing of the center, so that cell boundaries divide the
/// segment between two centers in the ratio of their spacings. Bounds from the previous centers, `before`, make most searches unnecessary
/// [Hamerly2010].
fn assign(body: &Body, cells: &mut [Cell], at: &Centers, before: &Centers) {
    let tree = PointTree::new(&at.positions);
    let scales = tree.scales(&at.scales);
    let smallest = at.scales.iter().copied().fold(f64::INFINITY, f64::min);
    // A scaled distance |x - c| / s is bounded from below by its old value times the smallest ratio of scales, minus
    // the largest shift.
    let ratio = before.scales.iter().zip(&at.scales).map(|(old, new)| old / new).fold(1.0, f64::min);
    let shift = (0..at.positions.len())
        .map(|c| at.positions[c].distance(before.positions[c]) / at.scales[c])
        .fold(0.0, f64::max);
    cells.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, cell)| {
        let position = body.points[i];
        if cell.owner != u32::MAX {
            let owner = cell.owner as usize;
            cell.distance = at.positions[owner].distance(position) / at.scales[owner];
            cell.lower_bound = cell.lower_bound * ratio - shift;
            // The trace is an upper bound on the variance along any direction.
            let spread = &body.spreads[i];
            let extent = (12.0 * (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z)).sqrt();
            if cell.distance + extent / smallest < cell.lower_bound {
                cell.fraction = 1.0;
                return;
            }
        }
        let guess = (cell.other != u32::MAX).then_some([cell.owner, cell.other]);
        let [first, second] = tree.nearest_two(position, &scales, guess);
        *cell = Cell { owner: first.1, other: second.1, distance: first.0, lower_bound: second.0, ..*cell };
        (cell.fraction, cell.half_extent) = split(body, i, cell, at);
    });
}

/// Fraction of a material point on its owner's side of the cell boundary, and half of its extent across the boundary.
pub(super) fn split(body: &Body, i: usize, cell: &Cell, at: &Centers) -> (f64, DVec3) {
    if cell.other == u32::MAX {
        return (1.0, DVec3::ZERO);
    }
    let (own, other) = (cell.owner as usize, cell.other as usize);
    let between = at.positions[other] - at.positions[own];
    let apart = between.length();
    let normal = between.normalize_or_zero();
    let extent = (12.0 * normal.dot(body.spreads[i] * normal)).sqrt();
    // Distance t to the boundary, from |x - b|^2 - |x - a|^2 = 2 t |b - a|. It is exact on the segment between the two
    // centers and, for equal scales, everywhere.
    let slope = 1.0 / at.scales[own] + 1.0 / at.scales[other];
    let way = cell.distance * at.scales[own] + cell.lower_bound * at.scales[other];
    let inside = (cell.lower_bound - cell.distance) / slope * way / apart;
    if inside < 0.5 * extent { (0.5 + inside / extent, 0.5 * extent * normal) } else { (1.0, DVec3::ZERO) }
}

/// Moves every center with an empty cell to the material point farthest from its own center. Returns whether any cell
/// was empty.
fn reseed_empty(body: &Body, cells: &mut [Cell], centers: &mut [DVec3]) -> bool {
    let mut counts = vec![0; centers.len()];
    for cell in &*cells {
        counts[cell.owner as usize] += 1;
    }
    let empty: Vec<usize> = (0..centers.len()).filter(|&c| counts[c] == 0).collect();
    for &center in &empty {
        let free = (0..cells.len()).filter(|&i| counts[cells[i].owner as usize] > 1);
        // On ties the first point is used; `max_by` would return the last one.
        let farther = |best: usize, i: usize| if cells[i].distance > cells[best].distance { i } else { best };
        let Some(piece) = free.reduce(farther) else { break };
        counts[cells[piece].owner as usize] -= 1;
        counts[center] = 1;
        centers[center] = body.points[piece];
        cells[piece] = Cell {
            owner: center as u32,
            other: cells[piece].owner,
            distance: 0.0,
            lower_bound: 0.0,
            fraction: 1.0,
            half_extent: DVec3::ZERO,
        };
    }
    if !empty.is_empty() {
        // A center has jumped, so the distance bounds are no longer valid.
        cells.iter_mut().for_each(|cell| cell.lower_bound = 0.0);
    }
    !empty.is_empty()
}

/// Centroids of the cells, and their mean relative spacing.
fn centroids(body: &Body, cells: &[Cell], at: &Centers) -> Centers {
    let mut sums = vec![(0.0, DVec3::ZERO, 0.0); at.positions.len()];
    // Sequential, so that sums are the same for any number of threads.
    for (i, cell) in cells.iter().enumerate() {
        let mut add = |c: u32, volume: f64, position: DVec3| {
            let sum = &mut sums[c as usize];
            sum.0 += volume;
            sum.1 += volume * (position - at.positions[c as usize]);
            sum.2 += volume * body.gradings[i];
        };
        let (volume, point, rest) = (body.volumes[i], body.points[i], 1.0 - cell.fraction);
        // Each part of a divided material point has its own centroid.
        add(cell.owner, volume * cell.fraction, point - rest * cell.half_extent);
        if rest > 0.0 {
            add(cell.other, volume * rest, point + cell.fraction * cell.half_extent);
        }
    }
    let position = |(c, sum): (usize, &(f64, DVec3, f64))| at.positions[c] + sum.1 / sum.0;
    Centers {
        positions: sums.iter().enumerate().map(position).collect(),
        scales: sums.iter().map(|sum| sum.2 / sum.0).collect(),
    }
}

/// Mean squared distance of the material points from their centers [m^2], including their own extents.
fn mean_square(body: &Body, cells: &[Cell], at: &Centers) -> f64 {
    let (mut sum, mut volume) = (0.0, 0.0);
    for (i, cell) in cells.iter().enumerate() {
        let distance = cell.distance * at.scales[cell.owner as usize];
        let spread = &body.spreads[i];
        let own = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        sum += body.volumes[i] * (distance * distance + own);
        volume += body.volumes[i];
    }
    sum / volume
}
