//! The nearest guides of each strand, and their weights.

use super::{arcs, locate};
use crate::geometry::StrandSet;
use crate::geometry::shepard::shepard_weights;
use glam::DVec3;
use rayon::prelude::*;

/// Number of guides per strand.
pub(super) const GUIDES: usize = 3;
/// Number of intervals between samples along the longest strand. Strands are compared at these samples.
const SAMPLES: usize = 16;

/// The nearest guides of a strand, in order of distance, and their weights [-].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NearestGuides {
    pub guides: [u32; GUIDES],
    pub weights: [f32; GUIDES],
}

/// Finds the nearest guides of each strand.
///
/// The distance between a guide and a strand is a root mean square: it compares points at equal arc lengths from the roots, up to the
/// strand's tip. A shorter guide is extended by its tip. The guides of a strand therefore lie on its side of a parting and, if possible,
/// are not much shorter.
pub(super) fn nearest_guides(guides: &StrandSet, strands: &StrandSet) -> Vec<NearestGuides> {
    let spacing = strands.lengths().fold(0.0, f64::max) / SAMPLES as f64;
    let guides: Vec<Vec<DVec3>> = guides.iter().map(|guide| samples(guide, spacing, SAMPLES)).collect();
    let of_strand = |strand| {
        let points = strands.strand(strand);
        let length = arcs(points)[points.len() - 1];
        let own = samples(points, spacing, (length / spacing).floor() as usize);
        let found = nearest(&guides, &own);
        let [(_, first), (_, second), (_, third), _] = found;
        NearestGuides { guides: [first, second, third], weights: weights(found.map(|(distance, _)| distance)) }
    };
    (0..strands.len()).into_par_iter().map(of_strand).collect()
}

/// Samples a strand at its root and at `count` further multiples of `spacing` [m] along it, clamped to its tip.
fn samples(points: &[DVec3], spacing: f64, count: usize) -> Vec<DVec3> {
    let arcs = arcs(points);
    let sample = |i| {
        let (segment, share) = locate(&arcs, i as f64 * spacing);
        points[segment].lerp(points[segment + 1], share)
    };
    (0..=count).map(sample).collect()
}

/// Returns the nearest guides of a strand and the next nearest one, each with its distance [m], sorted by distance and then index. If there
/// are too few guides, the nearest one is repeated with infinite distance.
fn nearest(guides: &[Vec<DVec3>], strand: &[DVec3]) -> [(f64, u32); GUIDES + 1] {
    let mut best = [(f64::INFINITY, 0); GUIDES + 1];
    for (guide, samples) in guides.iter().enumerate() {
        let mut sum = 0.0;
        // The sum for most guides is too large after the first sample, so the comparison stops early.
        let nearer = strand.iter().zip(samples).all(|(a, b)| {
            sum += a.distance_squared(*b);
            sum < best[GUIDES].0
        });
        if nearer {
            let at = best.partition_point(|&(other, _)| other <= sum);
            best[at..].rotate_right(1);
            best[at] = (sum, guide as u32);
        }
    }
    let first = best[0].1;
    best.map(|(sum, guide)| ((sum / strand.len() as f64).sqrt(), if sum.is_finite() { guide } else { first }))
}

/// Computes the weights from the distances of the guides and of the next guide [m].
///
/// A guide's weight is 1 where the strand coincides with the guide. It falls to 0 where the next guide is equally far from the strand, so
/// that weights vary continuously between neighboring strands.
fn weights(distances: [f64; GUIDES + 1]) -> [f32; GUIDES] {
    let weights = shepard_weights(distances);
    std::array::from_fn(|k| weights[k] as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_vanish_at_the_next_distance() {
        assert_eq!(weights([0.0, 1.0, 2.0, 3.0]), [1.0, 0.0, 0.0]);
        assert_eq!(weights([1.0, 1.0, 1.0, 2.0]), [1.0 / 3.0; 3]);
        assert_eq!(weights([1.0; 4]), [1.0 / 3.0; 3]);
        assert_eq!(weights([0.0; 4]), [1.0 / 3.0; 3]);
        assert_eq!(weights([1.0, 2.0, 4.0, 4.0])[2], 0.0);
        assert_eq!(weights([3.0, f64::INFINITY, f64::INFINITY, f64::INFINITY]), [1.0, 0.0, 0.0]);
        assert_eq!(weights([2.0, 2.0, f64::INFINITY, f64::INFINITY]), [0.5, 0.5, 0.0]);
        // (1 - 1/4)^2 : (1/2 - 1/4)^2 : 0 = 9 : 1 : 0.
        assert_eq!(weights([1.0, 2.0, 4.0, 4.0]), [0.9, 0.1, 0.0]);
        for tiny in [1e-300, 1e-160, f64::MIN_POSITIVE] {
            let [a, b, c] = weights([tiny, 0.1, 0.2, 0.3]);
            assert!((a + b + c - 1.0).abs() < 1e-6 && a > 0.99);
        }
    }

    #[test]
    fn guides_are_sorted_by_distance() {
        let guides: Vec<Vec<DVec3>> = [5.0, -1.0, 2.0, 7.0, 1.0].map(|x| vec![DVec3::X * x, DVec3::X * x]).to_vec();
        let strand = [DVec3::ZERO, DVec3::ZERO];
        assert_eq!(nearest(&guides, &strand), [(1.0, 1), (1.0, 4), (2.0, 2), (5.0, 0)]);
        let few = nearest(&guides[2..4], &strand);
        assert_eq!(few, [(2.0, 0), (7.0, 1), (f64::INFINITY, 0), (f64::INFINITY, 0)]);
    }

    #[test]
    fn guides_are_compared_along_the_strand() {
        let line = |x: f64, tip: DVec3| [DVec3::X * x, DVec3::X * x + tip];
        let sets = |lines: &[[DVec3; 2]]| StrandSet::new(lines.concat(), &vec![2; lines.len()]).unwrap();
        // The third guide has the closest root but another direction; the fourth is too short; the part of the second beyond the strand's
        // tip does not matter.
        let guides = [line(0.5, DVec3::Y), line(-0.4, 3.0 * DVec3::Y), line(0.1, DVec3::Z), line(0.2, 0.01 * DVec3::Y)];
        let found = nearest_guides(&sets(&guides), &sets(&[line(0.0, DVec3::Y)]));
        assert_eq!(found[0].guides, [1, 0, 3]);
    }
}
