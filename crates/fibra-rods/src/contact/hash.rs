//! Broad phase: overlapping pairs of bounding boxes, found with a uniform hash grid [Teschner2003].

use glam::DVec3;
use rustc_hash::FxHashMap;

/// An axis-aligned bounding box [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// Returns the bounding box of two points, extended by `margin` on every side.
    pub fn enclosing(a: DVec3, b: DVec3, margin: f64) -> Bounds {
        Bounds { min: a.min(b) - margin, max: a.max(b) + margin }
    }

    /// Returns whether two boxes have a point in common.
    pub fn overlaps(&self, other: &Bounds) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// Returns the index pairs of overlapping boxes, smaller index first, sorted and without duplicates.
pub fn overlapping_pairs(boxes: &[Bounds]) -> Vec<[u32; 2]> {
    let largest = boxes.iter().map(|bounds| (bounds.max - bounds.min).max_element()).fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return Vec::new();
    }
    // No box is larger than a cell, so each box overlaps at most two cells along each axis.
    let cell_of = |x: DVec3| (x / largest).floor().to_array().map(|c| c as i64);
    let mut cells: FxHashMap<[i64; 3], Vec<u32>> = FxHashMap::default();
    let mut pairs = Vec::new();
    for (index, bounds) in boxes.iter().enumerate() {
        let (from, to) = (cell_of(bounds.min), cell_of(bounds.max));
        for x in from[0]..=to[0] {
            for y in from[1]..=to[1] {
                for z in from[2]..=to[2] {
                    let occupants = cells.entry([x, y, z]).or_default();
                    let hits = occupants.iter().filter(|&&other| {
                        let other = &boxes[other as usize];
                        // Two boxes may share several cells: only the cell of the lower corner of their intersection reports the pair.
                        other.overlaps(bounds) && cell_of(other.min.max(bounds.min)) == [x, y, z]
                    });
                    pairs.extend(hits.map(|&other| [other, index as u32]));
                    occupants.push(index as u32);
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    #[test]
    fn pairs_match_brute_force() {
        let rng = CounterRng::new(1);
        let number = |i: u64, k: u64| rng.uniform(&[i, k]);
        let boxes: Vec<Bounds> = (0..300)
            .map(|i| {
                let a = DVec3::new(number(i, 0), number(i, 1), number(i, 2));
                let along = DVec3::new(number(i, 3), number(i, 4), number(i, 5)) - 0.5;
                Bounds::enclosing(a, a + 0.2 * along, 0.02 * number(i, 6))
            })
            .collect();
        let mut expected = Vec::new();
        for i in 0..boxes.len() {
            expected
                .extend((i + 1..boxes.len()).filter(|&j| boxes[i].overlaps(&boxes[j])).map(|j| [i as u32, j as u32]));
        }
        assert!(expected.len() > 100);
        assert_eq!(overlapping_pairs(&boxes), expected);
    }
}
