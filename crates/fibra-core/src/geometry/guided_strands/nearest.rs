//! The nearest guides of each strand, and their weights.

use super::{arcs, locate};
use crate::geometry::shepard::shepard_weights;
use crate::geometry::{Bounds, StrandSet};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

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
    let guides = GuideTree::new(guides.iter().map(|guide| samples(guide, spacing, SAMPLES)).collect());
    let of_strand = |strand| {
        let points = strands.strand(strand);
        let length = arcs(points)[points.len() - 1];
        let own = samples(points, spacing, (length / spacing).floor() as usize);
        let found = guides.nearest(&own);
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

/// Samples whose bounding boxes the nodes of the tree hold.
const KEYS: [usize; 4] = [0, SAMPLES / 4, SAMPLES / 2, SAMPLES];
/// Maximum number of guides in a leaf.
const LEAF: usize = 8;

/// A binary tree of guides. Guides in a node have similar roots, middles and tips.
struct GuideTree {
    samples: Vec<Vec<DVec3>>,
    /// Guides in leaf order.
    order: Vec<u32>,
    /// Nodes, the root first. The first child of a node follows it.
    nodes: Vec<GuideNode>,
}

struct GuideNode {
    /// Bounding boxes of the key samples.
    boxes: [Bounds; KEYS.len()],
    /// Range in leaf order.
    guides: Range<usize>,
    /// Index of the second child; 0 for a leaf.
    second: usize,
}

/// The nearest guides so far: sums of squared distances [m^2] and indices, in ascending order.
type Best = [(f64, u32); GUIDES + 1];

impl GuideTree {
    fn new(samples: Vec<Vec<DVec3>>) -> GuideTree {
        let count = samples.len();
        let mut tree = GuideTree { samples, order: (0..count as u32).collect(), nodes: Vec::new() };
        tree.split(0..count);
        tree
    }

    fn split(&mut self, guides: Range<usize>) {
        let (samples, order) = (&self.samples, &mut self.order[guides.clone()]);
        let boxes =
            KEYS.map(|key| Bounds::around(order.iter().map(|&guide| key_sample(&samples[guide as usize], key))));
        let at = self.nodes.len();
        self.nodes.push(GuideNode { boxes, guides: guides.clone(), second: 0 });
        if order.len() <= LEAF {
            return;
        }
        let extents = boxes.map(|Bounds { min, max }| max - min);
        let widest = (1..KEYS.len()).fold(0, |widest, key| {
            if extents[key].max_element() > extents[widest].max_element() { key } else { widest }
        });
        let axis = extents[widest].max_position();
        let coordinate = |guide: u32| key_sample(&samples[guide as usize], KEYS[widest])[axis];
        let middle = order.len() / 2;
        // Indices break ties, so that the tree is deterministic.
        order.select_nth_unstable_by(middle, |&i, &j| coordinate(i).total_cmp(&coordinate(j)).then(i.cmp(&j)));
        self.split(guides.start..guides.start + middle);
        self.nodes[at].second = self.nodes.len();
        self.split(guides.start + middle..guides.end);
    }

    /// Returns a lower bound of the sum of squared distances between a strand and the guides of a node [m^2], reduced by more than its rounding error.
    fn least(&self, at: usize, strand: &[DVec3]) -> f64 {
        let compared = KEYS.iter().zip(&self.nodes[at].boxes).filter(|(key, _)| **key < strand.len());
        let square = |(&key, Bounds { min, max }): (&usize, &Bounds)| {
            (*min - strand[key]).max(strand[key] - *max).max(DVec3::ZERO).length_squared()
        };
        (1.0 - 1e-12) * compared.map(square).sum::<f64>()
    }

    /// Returns the nearest guides of a strand and the next nearest one, each with its distance [m], sorted by distance and then index. If there are
    /// too few guides, the nearest one is repeated with infinite distance.
    fn nearest(&self, strand: &[DVec3]) -> Best {
        let mut best = [(f64::INFINITY, u32::MAX); GUIDES + 1];
        self.search(0, strand, &mut best);
        let first = best[0].1;
        best.map(|(sum, guide)| ((sum / strand.len() as f64).sqrt(), if sum.is_finite() { guide } else { first }))
    }

    fn search(&self, at: usize, strand: &[DVec3], best: &mut Best) {
        let GuideNode { guides, second, .. } = &self.nodes[at];
        if *second == 0 {
            self.order[guides.clone()].iter().for_each(|&guide| self.compare(guide, strand, best));
            return;
        }
        let children = [at + 1, *second];
        let least = children.map(|child| self.least(child, strand));
        let near = usize::from(least[1] < least[0]);
        for k in [near, 1 - near] {
            if least[k] <= best[GUIDES].0 {
                self.search(children[k], strand, best);
            }
        }
    }

    fn compare(&self, guide: u32, strand: &[DVec3], best: &mut Best) {
        let mut sum = 0.0;
        // The sum for most guides is too large after a few samples, so the comparison stops early.
        let nearer = strand.iter().zip(&self.samples[guide as usize]).all(|(a, b)| {
            sum += a.distance_squared(*b);
            (sum, guide) < best[GUIDES]
        });
        if nearer {
            let at = best.partition_point(|&other| other < (sum, guide));
            best[at..].rotate_right(1);
            best[at] = (sum, guide);
        }
    }
}

/// Returns a sample of a guide; guides with fewer samples are extended by their last.
fn key_sample(samples: &[DVec3], key: usize) -> DVec3 {
    samples[key.min(samples.len() - 1)]
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
    use crate::geometry::generate::{Hairstyle, StrandPoints};
    use crate::random::CounterRng;

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
        assert_eq!(GuideTree::new(guides.clone()).nearest(&strand), [(1.0, 1), (1.0, 4), (2.0, 2), (5.0, 0)]);
        let few = GuideTree::new(guides[2..4].to_vec()).nearest(&strand);
        assert_eq!(few, [(2.0, 0), (7.0, 1), (f64::INFINITY, 0), (f64::INFINITY, 0)]);
    }

    #[test]
    fn nearest_guides_equal_brute_force() {
        let rng = CounterRng::new(6);
        let line = |i: u64| -> Vec<DVec3> { (0..5).map(|k| rng.uniform_in_cube([i, k, 0])).collect() };
        let samples: Vec<Vec<DVec3>> = (0..200).map(line).collect();
        let guides = GuideTree::new(samples.clone());
        for i in 200..260 {
            let strand = line(i);
            let sum =
                |guide: &Vec<DVec3>| strand.iter().zip(guide).fold(0.0, |sum, (a, b)| sum + a.distance_squared(*b));
            let mut all: Vec<(f64, u32)> = samples.iter().map(sum).zip(0..).collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let expected: Vec<(f64, u32)> = all[..4].iter().map(|&(sum, guide)| ((sum / 5.0).sqrt(), guide)).collect();
            assert_eq!(guides.nearest(&strand)[..], expected);
        }
    }

    impl GuideTree {
        /// Returns the number of guides of a node that a search for a strand with these results must compare.
        fn compared(&self, at: usize, strand: &[DVec3], worst: f64) -> usize {
            let GuideNode { guides, second, .. } = &self.nodes[at];
            match second {
                _ if self.least(at, strand) > worst => 0,
                0 => guides.len(),
                second => self.compared(at + 1, strand, worst) + self.compared(*second, strand, worst),
            }
        }
    }

    /// With eight times as many guides, a strand is compared with hardly more of them.
    #[test]
    fn comparisons_are_not_quadratic() {
        let hair = |strands: u32, seed: u64| -> Vec<Vec<DVec3>> {
            let style = Hairstyle { strands, points: StrandPoints::Total(12 * strands), seed, ..Hairstyle::short() };
            style.build().unwrap().iter().map(|strand| samples(strand, 0.25 / SAMPLES as f64, SAMPLES)).collect()
        };
        let strands = hair(200, 2);
        let comparisons = |count: u32| {
            let tree = GuideTree::new(hair(count, 1));
            let of = |strand: &Vec<DVec3>| {
                let worst = tree.nearest(strand)[GUIDES].0;
                tree.compared(0, strand, worst * worst * strand.len() as f64)
            };
            strands.iter().map(of).sum::<usize>() / strands.len()
        };
        let (few, many) = (comparisons(2_000), comparisons(16_000));
        println!("{few} of 2,000 guides are compared, {many} of 16,000");
        assert!(many < 3 * few && many < 1_000, "{few} {many}");
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
