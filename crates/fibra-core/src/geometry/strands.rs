//! Decomposition of curves into strands: open paths and closed loops.

use super::CurveMesh;

/// One path or loop of a [`CurveMesh`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strand {
    /// Points in order, as indices into the points of the curve mesh. A path starts at the end with the smaller index, a loop at its smallest
    /// index.
    pub points: Vec<u32>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

/// Error: more than two segments meet at a point, so the curves are not just paths and loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{segments} segments meet at point {point}; strands allow at most two")]
pub struct Junction {
    /// Index of the point.
    pub point: u32,
    /// Number of segments there.
    pub segments: usize,
}

impl CurveMesh {
    /// Returns the strands, ordered by their first points.
    pub fn strands(&self) -> Result<Vec<Strand>, Junction> {
        let mut neighbors: Vec<Vec<u32>> = vec![Vec::new(); self.points().len()];
        for &[a, b] in self.segments() {
            neighbors[a as usize].push(b);
            neighbors[b as usize].push(a);
        }
        if let Some(point) = neighbors.iter().position(|all| all.len() > 2) {
            return Err(Junction { point: point as u32, segments: neighbors[point].len() });
        }
        let mut taken = vec![false; neighbors.len()];
        let mut strands = Vec::new();
        // Visit paths first, starting at their ends. Only loops remain.
        for closed in [false, true] {
            for start in 0..neighbors.len() {
                if taken[start] || (!closed && neighbors[start].len() != 1) {
                    continue;
                }
                let mut points = Vec::new();
                let mut next = Some(start as u32);
                while let Some(point) = next {
                    taken[point as usize] = true;
                    points.push(point);
                    next = neighbors[point as usize].iter().copied().find(|&other| !taken[other as usize]);
                }
                strands.push(Strand { points, closed });
            }
        }
        strands.sort_by_key(|strand| strand.points[0]);
        Ok(strands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn mesh(points: usize, segments: &[[u32; 2]]) -> CurveMesh {
        let points = (0..points).map(|i| DVec3::new(i as f64, (i * i) as f64, 0.0)).collect();
        CurveMesh::new(points, segments.to_vec()).unwrap()
    }

    #[test]
    fn paths_and_loops_are_ordered() {
        let strands = mesh(9, &[[0, 8], [8, 1], [5, 6], [4, 5], [6, 4], [7, 3], [3, 2]]).strands().unwrap();
        let strand = |points: &[u32], closed| Strand { points: points.to_vec(), closed };
        assert_eq!(strands, [strand(&[0, 8, 1], false), strand(&[2, 3, 7], false), strand(&[4, 5, 6], true)]);
    }

    #[test]
    fn junctions_are_errors() {
        let error = mesh(4, &[[0, 1], [1, 2], [3, 1]]).strands().unwrap_err();
        assert_eq!(error, Junction { point: 1, segments: 3 });
    }
}
