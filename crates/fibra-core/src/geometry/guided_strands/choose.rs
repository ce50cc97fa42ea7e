//! Selection of guides among strands.

use crate::geometry::{FarthestPoints, StrandSet};
use glam::DVec3;

impl StrandSet {
    /// Selects `count` strands with widely spread roots by farthest-point sampling. Starts with the first strand and repeatedly adds the
    /// strand whose root is farthest from all selected roots. Returns the indices in order of selection. Selects all strands if there are
    /// at most `count`.
    pub fn spread_out(&self, count: usize) -> Vec<u32> {
        let count = count.min(self.len());
        let roots: Vec<DVec3> = self.iter().map(|strand| strand[0]).collect();
        let gradings = vec![1.0; roots.len()];
        let mut field = FarthestPoints::new(&roots, &gradings);
        let (mut chosen, mut is_chosen) = (Vec::with_capacity(count), vec![false; roots.len()]);
        while chosen.len() < count {
            let (next, distance) = field.farthest();
            if distance == 0.0 {
                // The remaining strands have the same roots as selected ones.
                let rest = (0..roots.len()).filter(|&strand| !is_chosen[strand]);
                chosen.extend(rest.take(count - chosen.len()).map(|strand| strand as u32));
                break;
            }
            chosen.push(next as u32);
            is_chosen[next] = true;
            field.add(roots[next]);
        }
        chosen
    }

    /// Returns the strands with the given indices; `None` if no index is given or an index is out of range.
    pub fn subset(&self, strands: &[u32]) -> Option<Self> {
        if strands.is_empty() || strands.iter().any(|&strand| strand as usize >= self.len()) {
            return None;
        }
        let parts = || strands.iter().map(|&strand| self.range(strand as usize));
        let counts: Vec<u32> = parts().map(|range| range.len() as u32).collect();
        let points = parts().flat_map(|range| self.points()[range].iter().copied()).collect();
        let widths = self.widths().map(|widths| parts().flat_map(|range| widths[range].iter().copied()).collect());
        Some(Self::new(points, &counts).ok()?.with_widths(widths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let wide = strands.clone().with_widths(Some((0..6).map(|i| i as f32).collect()));
        assert_eq!(wide.subset(&[2, 0]).unwrap().widths(), Some(&[4.0, 5.0, 0.0, 1.0][..]));
        assert_eq!(strands.subset(&[2, 0]), Some(comb(&[2.0, 0.0])));
        assert_eq!(strands.subset(&[]), None);
        assert_eq!(strands.subset(&[3]), None);
    }
}
