//! Validation of triangle meshes for use as cloth: open or closed, at most two triangles at each edge.

use super::TriangleMesh;
use glam::DVec3;
use thiserror::Error;

/// Smallest ratio of a triangle's height to its longest side [-]. Single precision positions cannot resolve the deformation of a thinner
/// triangle.
const MIN_HEIGHT_RATIO: f64 = 1e-4;

/// Reason why a valid triangle mesh cannot be cloth.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ClothFlaw {
    /// A triangle has almost no area.
    #[error(
        "triangle {triangle} (a corner at {}, {}, {}) is thinner than {MIN_HEIGHT_RATIO:e} of its length; dissolve degenerate faces or remesh",
        corner.x, corner.y, corner.z
    )]
    Sliver {
        /// The triangle, counted from 0 after polygons are cut into triangles.
        triangle: usize,
        /// The first corner [m].
        corner: DVec3,
    },
    /// Two vertices have the same position, so the cloth would not be connected there.
    #[error(
        "vertices {earlier} and {vertex} are both at ({}, {}, {}), so the cloth would come apart there; merge duplicate vertices in the modeling program",
        at.x, at.y, at.z
    )]
    Doubled {
        /// The later vertex, counted from 0.
        vertex: usize,
        /// The earlier one.
        earlier: usize,
        /// The position [m].
        at: DVec3,
    },
    /// More than two triangles meet at an edge.
    #[error(
        "triangle {triangle} is the third at the edge between vertices {} and {}; at most two may share an edge; separate the branches of the surface",
        edge[0], edge[1]
    )]
    NonManifoldEdge {
        /// The third triangle, counted from 0.
        triangle: usize,
        /// The edge's vertices, counted from 0.
        edge: [u32; 2],
    },
    /// Two triangles have the same corners.
    #[error("triangle {triangle} has the same corners as triangle {earlier}; remove one of them")]
    DoubledTriangle {
        /// The later triangle, counted from 0.
        triangle: usize,
        /// The earlier one.
        earlier: usize,
    },
}

impl TriangleMesh {
    /// Checks that the mesh can be cloth and returns it without vertices that no triangle uses, which would have no mass. The other
    /// vertices keep their order. Errors refer to the vertices and triangles of the original mesh.
    pub fn into_cloth(self) -> Result<Self, ClothFlaw> {
        for triangle in 0..self.triangles().len() {
            let [a, b, c] = self.corners(triangle);
            let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
            if (b - a).cross(c - a).length() < MIN_HEIGHT_RATIO * longest {
                return Err(ClothFlaw::Sliver { triangle, corner: a });
            }
        }
        let number = self.numbers_of_used_vertices();
        for (vertex, &earlier) in self.first_vertex_at_same_place().iter().enumerate() {
            let [one, other] = [vertex, earlier as usize];
            if one != other && number[one].is_some() && number[other].is_some() {
                return Err(ClothFlaw::Doubled { vertex, earlier: other, at: self.vertices()[vertex] });
            }
        }
        check_manifold(self.triangles())?;
        let vertices = self.vertices().iter().zip(&number).filter_map(|(&v, number)| number.map(|_| v)).collect();
        let renumber = |i: u32| number[i as usize].expect("a triangle's corner is a used vertex");
        let triangles = self.triangles().iter().map(|t| t.map(renumber)).collect();
        Ok(Self::new(vertices, triangles).expect("leaving out unused vertices changes no triangle"))
    }

    /// Returns the new index of each vertex that a triangle uses, counting only such vertices; `None` for the other vertices.
    fn numbers_of_used_vertices(&self) -> Vec<Option<u32>> {
        let mut number = vec![None; self.vertices().len()];
        for &i in self.triangles().iter().flatten() {
            number[i as usize] = Some(0);
        }
        for (n, used) in number.iter_mut().flatten().enumerate() {
            *used = n as u32;
        }
        number
    }
}

fn check_manifold(triangles: &[[u32; 3]]) -> Result<(), ClothFlaw> {
    let mut whole: Vec<([u32; 3], usize)> = Vec::with_capacity(triangles.len());
    let mut edges: Vec<([u32; 2], usize)> = Vec::with_capacity(3 * triangles.len());
    for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
        let mut corners = [a, b, c];
        corners.sort_unstable();
        whole.push((corners, triangle));
        edges.extend([[a, b], [b, c], [c, a]].map(|[i, j]| ([i.min(j), i.max(j)], triangle)));
    }
    whole.sort_unstable();
    let doubled = whole.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[1].1, pair[0].1)).min();
    if let Some((triangle, earlier)) = doubled {
        return Err(ClothFlaw::DoubledTriangle { triangle, earlier });
    }
    edges.sort_unstable();
    let third = edges.windows(3).filter(|three| three[0].0 == three[2].0).map(|three| (three[2].1, three[0].0)).min();
    match third {
        Some((triangle, edge)) => Err(ClothFlaw::NonManifoldEdge { triangle, edge }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::test_meshes::cuboid;

    fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> TriangleMesh {
        TriangleMesh::new(vertices.iter().map(|&v| v.into()).collect(), triangles.to_vec()).unwrap()
    }

    const SQUARE: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn open_and_closed_meshes_are_cloth() {
        let open = mesh(&SQUARE, &[[0, 1, 2], [0, 2, 3]]);
        assert_eq!(open.clone().into_cloth().unwrap(), open);
        let closed = cuboid(DVec3::ZERO, DVec3::ONE);
        assert_eq!(closed.clone().into_cloth().unwrap(), closed);
        // The winding may vary: cloth has no front side.
        mesh(&SQUARE, &[[0, 1, 2], [0, 3, 2]]).into_cloth().unwrap();
    }

    #[test]
    fn unused_vertices_are_removed() {
        let vertices = [[9.0, 9.0, 9.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
        let cloth = mesh(&vertices, &[[1, 2, 4]]).into_cloth().unwrap();
        assert_eq!(cloth, mesh(&SQUARE[..3], &[[0, 1, 2]]));
    }

    #[test]
    fn flaws_name_the_element() {
        let thin = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.5, -1e-5, 0.0]];
        let flaw = mesh(&thin, &[[0, 1, 2], [0, 3, 1]]).into_cloth().unwrap_err();
        assert!(matches!(flaw, ClothFlaw::Sliver { triangle: 1, .. }), "{flaw}");

        let doubled = [SQUARE[0], SQUARE[1], SQUARE[2], SQUARE[3], [-0.0, 0.0, 0.0]];
        let flaw = mesh(&doubled, &[[0, 1, 2], [4, 2, 3]]).into_cloth().unwrap_err();
        assert!(matches!(flaw, ClothFlaw::Doubled { vertex: 4, earlier: 0, .. }), "{flaw}");

        let branch = [SQUARE[0], SQUARE[1], SQUARE[2], SQUARE[3], [0.0, 0.0, 1.0]];
        let flaw = mesh(&branch, &[[0, 1, 2], [0, 2, 3], [0, 2, 4]]).into_cloth().unwrap_err();
        assert_eq!(flaw, ClothFlaw::NonManifoldEdge { triangle: 2, edge: [0, 2] });

        let flaw = mesh(&SQUARE, &[[0, 1, 2], [0, 2, 3], [2, 1, 0]]).into_cloth().unwrap_err();
        assert_eq!(flaw, ClothFlaw::DoubledTriangle { triangle: 2, earlier: 0 });
    }
}
