//! Selection of guides among strands.

use crate::geometry::StrandSet;
use rayon::prelude::*;

impl StrandSet {
    /// Selects `count` strands with widely spread roots by farthest point sampling. Starts with the first strand and repeatedly adds the
    /// strand whose root is farthest from all selected roots. Returns the indices in order of selection. Selects all strands if there are
    /// at most `count`.
    pub fn spread_out(&self, count: usize) -> Vec<u32> {
        let mut distances = vec![f64::INFINITY; self.len()];
        let mut chosen: Vec<u32> = Vec::new();
        let mut next = 0;
        while chosen.len() < count.min(self.len()) {
            chosen.push(next as u32);
            let root = self.strand(next)[0];
            distances.par_iter_mut().with_min_len(4096).enumerate().for_each(|(strand, distance)| {
                *distance = distance.min(root.distance_squared(self.strand(strand)[0]));
            });
            // Below every distance, so that this strand is not selected again if other strands have the same root.
            distances[next] = f64::NEG_INFINITY;
            next = (1..distances.len()).fold(0, |best, i| if distances[i] > distances[best] { i } else { best });
        }
        chosen
    }

    /// Returns the strands with the given indices; `None` if no index is given or an index is out of range.
    pub fn subset(&self, strands: &[u32]) -> Option<Self> {
        if strands.is_empty() || strands.iter().any(|&strand| strand as usize >= self.len()) {
            return None;
        }
        let parts = strands.iter().map(|&strand| self.strand(strand as usize));
        let counts: Vec<u32> = parts.clone().map(|points| points.len() as u32).collect();
        Self::new(parts.flatten().copied().collect(), &counts).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn comb(xs: &[f64]) -> StrandSet {
        let points = xs.iter().flat_map(|&x| [DVec3::X * x, DVec3::X * x + DVec3::Y]).collect();
        StrandSet::new(points, &vec![2; xs.len()]).unwrap()
    }

    #[test]
    fn farthest_root_is_selected_each_time() {
        let strands = comb(&[0.0, 1.0, 2.0, 3.0, 4.0, 10.0]);
        assert_eq!(strands.spread_out(4), [0, 5, 4, 2]);
        assert_eq!(strands.spread_out(0), [0u32; 0]);
        let mut all = strands.spread_out(9);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
        assert_eq!(comb(&[1.0; 3]).spread_out(3), [0, 1, 2]);
    }

    #[test]
    fn subset_keeps_strands_unchanged() {
        let strands = comb(&[0.0, 1.0, 2.0]);
        assert_eq!(strands.subset(&[2, 0]), Some(comb(&[2.0, 0.0])));
        assert_eq!(strands.subset(&[]), None);
        assert_eq!(strands.subset(&[3]), None);
    }
}
