//! Springs that resist bending. On a surface they connect the two vertices opposite an interior edge; on a curve, the two neighbors of an interior
//! vertex. [Jiang2017] has no bending resistance, so there are no springs unless a material sets a bending stiffness.

use crate::builder::Builder;
use crate::mesh::Spring;
use glam::DVec3;

impl Builder {
    /// Adds bending springs of a stiffness [N/m] to a surface whose vertex ids start at `first`; none for a stiffness of 0.
    pub fn add_surface_bending(&mut self, first: u32, vertices: &[DVec3], triangles: &[[u32; 3]], stiffness: f64) {
        if stiffness > 0.0 {
            self.add_springs(first, vertices, &across_edges(triangles), stiffness);
        }
    }

    /// Adds bending springs of a stiffness [N/m] to curves whose vertex ids start at `first`; none for a stiffness of 0.
    pub fn add_curve_bending(&mut self, first: u32, vertices: &[DVec3], segments: &[[u32; 2]], stiffness: f64) {
        if stiffness > 0.0 {
            self.add_springs(first, vertices, &over_vertices(segments), stiffness);
        }
    }

    fn add_springs(&mut self, first: u32, vertices: &[DVec3], pairs: &[[u32; 2]], stiffness: f64) {
        for ends in pairs {
            let [a, b] = ends.map(|end| vertices[end as usize]);
            self.add_spring(Spring {
                ends: ends.map(|end| first + end),
                rest_length: a.distance(b) as f32,
                stiffness: stiffness as f32,
            });
        }
    }
}

/// Returns the pairs of vertices opposite each other across an edge shared by two triangles.
fn across_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in triangles {
        edges.extend([(a, b, c), (b, c, a), (c, a, b)].map(|(i, j, opposite)| ([i.min(j), i.max(j)], opposite)));
    }
    edges.sort_unstable();
    edges.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| [pair[0].1, pair[1].1]).collect()
}

/// Returns the pairs of vertices on either side of a vertex that joins two segments. Junctions of three or more segments give no pair, because a
/// curve has no direction there.
fn over_vertices(segments: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut ends: Vec<[u32; 2]> = segments.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
    ends.sort_unstable();
    let mut pairs = Vec::new();
    for neighbors in ends.chunk_by(|one, other| one[0] == other[0]) {
        if let [[_, before], [_, after]] = neighbors {
            pairs.push([*before, *after]);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn springs_cross_interior_edges_only() {
        // A strip of three triangles: two interior edges.
        assert_eq!(across_edges(&[[0, 1, 2], [2, 1, 3], [2, 3, 4]]), [[0, 3], [1, 4]]);
        assert!(across_edges(&[[0, 1, 2]]).is_empty());
    }

    #[test]
    fn springs_span_curve_vertices_but_not_junctions() {
        // A line 0-1-2-3 whose vertex 2 is also connected to 4.
        assert_eq!(over_vertices(&[[0, 1], [1, 2], [2, 3], [4, 2]]), [[0, 2]]);
        // A closed square.
        assert_eq!(over_vertices(&[[0, 1], [1, 2], [2, 3], [3, 0]]), [[1, 3], [0, 2], [1, 3], [0, 2]]);
    }
}
