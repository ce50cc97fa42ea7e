//! Refinement of triangle meshes.

use super::TriangleMesh;
use glam::DVec3;

/// Maximum number of triangles after refinement.
const MAX_TRIANGLES: f64 = 1e8;

impl TriangleMesh {
    /// Returns the same surface with no edge longer than `longest` [m], by splitting longer edges and their triangles repeatedly. Returns
    /// `None` if there would be too many triangles.
    pub fn refined(&self, longest: f64) -> Option<Self> {
        let cuts = |t: usize| {
            let [a, b, c] = self.corners(t);
            (a.distance(b).max(b.distance(c)).max(c.distance(a)) / longest).ceil().max(1.0)
        };
        let few = longest > 0.0 && (0..self.triangles().len()).map(|t| cuts(t).powi(2)).sum::<f64>() < MAX_TRIANGLES;
        if !few {
            return None;
        }
        let mut vertices = self.vertices().to_vec();
        let mut triangles = self.triangles().to_vec();
        while !halve_long_edges(&mut vertices, &mut triangles, |_| longest).is_empty() {}
        Self::new(vertices, triangles).ok()
    }
}

/// Splits all edges longer than the lengths [m] that `longest` returns for them, at their midpoints, with all adjacent triangles. Returns
/// these edges; their midpoints are appended to the vertices in the same order.
pub fn halve_long_edges(
    vertices: &mut Vec<DVec3>,
    triangles: &mut Vec<[u32; 3]>,
    longest: impl Fn([u32; 2]) -> f64,
) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .filter(|edge| {
            let [a, b] = edge.map(|i| vertices[i as usize]);
            a.distance(b) > longest(*edge)
        })
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let first = vertices.len() as u32;
    vertices.extend(
        edges.iter().map(|edge| edge.map(|i| vertices[i as usize])).map(|[a, b]| a.midpoint(b)).collect::<Vec<_>>(),
    );
    if !edges.is_empty() {
        *triangles = triangles.iter().flat_map(|&corners| parts(corners, &edges, first)).collect();
    }
    edges
}

/// Splits a triangle at the midpoints of those of its edges that are in the sorted list `edges`. Midpoints are numbered from `first`.
fn parts([a, b, c]: [u32; 3], edges: &[[u32; 2]], first: u32) -> Vec<[u32; 3]> {
    let middle = |a: u32, b: u32| edges.binary_search(&[a.min(b), a.max(b)]).ok().map(|at| first + at as u32);
    let one = |a, b, c, ab| vec![[a, ab, c], [ab, b, c]];
    let two = |a, b, c, ab, bc| vec![[ab, b, bc], [a, ab, bc], [a, bc, c]];
    match (middle(a, b), middle(b, c), middle(c, a)) {
        (None, None, None) => vec![[a, b, c]],
        (Some(ab), None, None) => one(a, b, c, ab),
        (None, Some(bc), None) => one(b, c, a, bc),
        (None, None, Some(ca)) => one(c, a, b, ca),
        (Some(ab), Some(bc), None) => two(a, b, c, ab, bc),
        (None, Some(bc), Some(ca)) => two(b, c, a, bc, ca),
        (Some(ab), None, Some(ca)) => two(c, a, b, ca, ab),
        (Some(ab), Some(bc), Some(ca)) => vec![[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]],
    }
}

#[cfg(test)]
mod tests {
    use crate::geometry::test_meshes::cuboid;
    use approx::assert_relative_eq;
    use glam::DVec3;

    #[test]
    fn refinement_keeps_the_surface() {
        let coarse = cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 0.3));
        let fine = coarse.refined(0.17).unwrap();
        assert!(fine.is_closed());
        assert_relative_eq!(fine.signed_volume(), coarse.signed_volume(), max_relative = 1e-12);
        for t in 0..fine.triangles().len() {
            let [a, b, c] = fine.corners(t);
            assert!(a.distance(b).max(b.distance(c)).max(c.distance(a)) <= 0.17);
        }
        assert_eq!(coarse.refined(10.0).unwrap(), coarse);
    }

    #[test]
    fn invalid_lengths_are_errors() {
        let mesh = cuboid(DVec3::ZERO, DVec3::ONE);
        for longest in [1e-9, 0.0, -1.0, f64::NAN] {
            assert!(mesh.refined(longest).is_none(), "{longest}");
        }
    }
}
