//! Lloyd's relaxation [Lloyd1982]: each center moves to the centroid of what is nearest to it, until none moves.

use super::{Body, Clusters};
use fibra_core::geometry::PointTree;
use glam::DVec3;
use rayon::prelude::*;

/// Centers rest when the root of their mean squared step is below this fraction of that of the pieces' distances from
/// them [-]. In a row of n, what is left of the slowest wave is n^2 / 2 times its step.
const REST: f64 = 3e-5;

/// Visits to pieces that bound the iterations, and the fewest and the most of those whatever the pieces: rows of
/// samples need many and have few pieces, solids have many and need few.
const VISITS: usize = 5_000_000;
const ITERATIONS: [usize; 2] = [50, 500];

/// Where a piece belongs.
#[derive(Clone, Copy)]
struct Cell {
    /// The nearest center, and the second when it was looked for last; none yet or none at all: `u32::MAX`.
    owner: u32,
    other: u32,
    /// Scaled distance from the owner [-].
    distance: f64,
    /// No other center is nearer than this scaled distance [-].
    beyond: f64,
    /// Part of the piece on the owner's side; the rest is the other's.
    share: f64,
    /// Half of the piece's extent across the border, from the owner to the other [m].
    lean: DVec3,
}

/// Centers and the relative spacing wanted at each.
#[derive(Clone)]
struct Centers {
    places: Vec<DVec3>,
    scales: Vec<f64>,
}

/// Relaxes centers, and shares the pieces out among them.
pub(super) fn relax(body: &Body, start: Vec<DVec3>) -> Clusters {
    let mut cells =
        vec![
            Cell { owner: u32::MAX, other: u32::MAX, distance: 0.0, beyond: 0.0, share: 1.0, lean: DVec3::ZERO };
            body.points.len()
        ];
    let scales = gradings_at(body, &start);
    let mut last = start.clone();
    let mut at = Centers { places: start, scales };
    let mut assigned = at.clone();
    let mut streak = 0.0;
    for _ in 0..(VISITS / body.points.len()).clamp(ITERATIONS[0], ITERATIONS[1]) {
        assign(body, &mut cells, &at, &assigned);
        let reseeded = fill_empty(body, &mut cells, &mut at.places);
        assigned.clone_from(&at);
        let target = centroids(body, &cells, &at);
        let step: f64 = target.places.iter().zip(&at.places).map(|(a, b)| a.distance_squared(*b)).sum();
        if !reseeded && step / at.places.len() as f64 <= REST * REST * mean_square(body, &cells, &at) {
            last = target.places;
            break;
        }
        // Nesterov's momentum: go on as far as the last step went, less at first. Start anew when it leads uphill
        // [ODonoghue2015, Sec. 3.2, gradient scheme].
        let uphill: f64 =
            (0..last.len()).map(|c| (at.places[c] - target.places[c]).dot(target.places[c] - last[c])).sum();
        streak = if reseeded || uphill > 0.0 { 0.0 } else { streak + 1.0 };
        let momentum = streak / (streak + 3.0);
        let places = target.places.iter().zip(&last).map(|(new, old)| *new + momentum * (*new - *old)).collect();
        last = target.places;
        at = Centers { places, scales: target.scales };
    }
    at.places = last;
    assign(body, &mut cells, &at, &assigned);
    fill_empty(body, &mut cells, &mut at.places);
    Clusters { centers: at.places, owner: cells.iter().map(|cell| cell.owner).collect() }
}

/// The grading of the piece nearest to each center.
fn gradings_at(body: &Body, centers: &[DVec3]) -> Vec<f64> {
    if body.gradings.iter().all(|&grading| grading == body.gradings[0]) {
        return vec![1.0; centers.len()];
    }
    let tree = PointTree::new(&body.points);
    let equal = tree.scales(&vec![1.0; body.points.len()]);
    centers.iter().map(|&center| body.gradings[tree.nearest_two(center, &equal, None)[0].1 as usize]).collect()
}

/// Finds the cell of each piece. Distances are divided by the spacing wanted at the center: cells then end at places
/// that share the way between two centers in the ratio of the spacings wanted there. Since centers were at `before`,
/// most pieces need no search [Hamerly2010].
fn assign(body: &Body, cells: &mut [Cell], at: &Centers, before: &Centers) {
    let tree = PointTree::new(&at.places);
    let scales = tree.scales(&at.scales);
    let smallest = at.scales.iter().copied().fold(f64::INFINITY, f64::min);
    // |x - c| / s can have fallen to what it was, times the least ratio of scales, less the largest shift.
    let ratio = before.scales.iter().zip(&at.scales).map(|(old, new)| old / new).fold(1.0, f64::min);
    let shift =
        (0..at.places.len()).map(|c| at.places[c].distance(before.places[c]) / at.scales[c]).fold(0.0, f64::max);
    cells.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, cell)| {
        let place = body.points[i];
        if cell.owner != u32::MAX {
            let owner = cell.owner as usize;
            cell.distance = at.places[owner].distance(place) / at.scales[owner];
            cell.beyond = cell.beyond * ratio - shift;
            // The trace bounds the extent across any border.
            let spread = &body.spreads[i];
            let extent = (12.0 * (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z)).sqrt();
            if cell.distance + extent / smallest < cell.beyond {
                cell.share = 1.0;
                return;
            }
        }
        let guess = (cell.other != u32::MAX).then_some([cell.owner, cell.other]);
        let [first, second] = tree.nearest_two(place, &scales, guess);
        *cell = Cell { owner: first.1, other: second.1, distance: first.0, beyond: second.0, ..*cell };
        (cell.share, cell.lean) = split(body, i, cell, at);
    });
}

/// How much of a piece is on its owner's side of the border with the other, and half of its extent across that.
fn split(body: &Body, i: usize, cell: &Cell, at: &Centers) -> (f64, DVec3) {
    if cell.other == u32::MAX {
        return (1.0, DVec3::ZERO);
    }
    let (own, other) = (cell.owner as usize, cell.other as usize);
    let between = at.places[other] - at.places[own];
    let apart = between.length();
    let normal = between.normalize_or_zero();
    let extent = (12.0 * normal.dot(body.spreads[i] * normal)).sqrt();
    // Distance from the border: exact between two centers, and for equal scales everywhere, by |x - b|^2 - |x - a|^2 =
    // 2 t |b - a|.
    let slope = 1.0 / at.scales[own] + 1.0 / at.scales[other];
    let way = cell.distance * at.scales[own] + cell.beyond * at.scales[other];
    let inside = (cell.beyond - cell.distance) / slope * way / apart;
    if inside < 0.5 * extent { (0.5 + inside / extent, 0.5 * extent * normal) } else { (1.0, DVec3::ZERO) }
}

/// Gives every center without a piece the one that is farthest from its own, and says whether there was any.
fn fill_empty(body: &Body, cells: &mut [Cell], centers: &mut [DVec3]) -> bool {
    let mut counts = vec![0; centers.len()];
    for cell in &*cells {
        counts[cell.owner as usize] += 1;
    }
    let empty: Vec<usize> = (0..centers.len()).filter(|&c| counts[c] == 0).collect();
    for &center in &empty {
        let free = (0..cells.len()).filter(|&i| counts[cells[i].owner as usize] > 1);
        // Of equals the first: `max_by` would take the last.
        let farther = |best: usize, i: usize| if cells[i].distance > cells[best].distance { i } else { best };
        let Some(piece) = free.reduce(farther) else { break };
        counts[cells[piece].owner as usize] -= 1;
        counts[center] = 1;
        centers[center] = body.points[piece];
        cells[piece] = Cell {
            owner: center as u32,
            other: cells[piece].owner,
            distance: 0.0,
            beyond: 0.0,
            share: 1.0,
            lean: DVec3::ZERO,
        };
    }
    if !empty.is_empty() {
        // A center has jumped: what was known of distances no longer bounds anything.
        cells.iter_mut().for_each(|cell| cell.beyond = 0.0);
    }
    !empty.is_empty()
}

/// Centroids of the cells, and the mean of the spacing wanted in each.
fn centroids(body: &Body, cells: &[Cell], at: &Centers) -> Centers {
    let mut sums = vec![(0.0, DVec3::ZERO, 0.0); at.places.len()];
    // One after the other, so that sums are the same for any number of threads.
    for (i, cell) in cells.iter().enumerate() {
        let mut add = |c: u32, volume: f64, place: DVec3| {
            let sum = &mut sums[c as usize];
            sum.0 += volume;
            sum.1 += volume * (place - at.places[c as usize]);
            sum.2 += volume * body.gradings[i];
        };
        let (volume, point, rest) = (body.volumes[i], body.points[i], 1.0 - cell.share);
        // Both parts of a piece have their own centers, about which the whole is balanced.
        add(cell.owner, volume * cell.share, point - rest * cell.lean);
        if rest > 0.0 {
            add(cell.other, volume * rest, point + cell.share * cell.lean);
        }
    }
    let place = |(c, sum): (usize, &(f64, DVec3, f64))| at.places[c] + sum.1 / sum.0;
    Centers {
        places: sums.iter().enumerate().map(place).collect(),
        scales: sums.iter().map(|sum| sum.2 / sum.0).collect(),
    }
}

/// Mean squared distance of the pieces from their centers [m^2], their own extents included.
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
