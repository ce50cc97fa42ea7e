//! Validated triangle meshes.

use glam::DVec3;
use thiserror::Error;

/// Largest coordinate a mesh may have [m]. Beyond it, squares and products of lengths lose all precision.
pub(super) const COORDINATE_LIMIT: f64 = 1e9;

/// A triangle whose height is below this fraction of its longest side counts as degenerate [-].
const DEGENERATE_HEIGHT: f64 = 1e-12;

/// A triangle mesh with at least one triangle, all indices in range, finite coordinates and no degenerate triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// An axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Corner with the smallest coordinates [m].
    pub min: DVec3,
    /// Corner with the largest coordinates [m].
    pub max: DVec3,
}

/// Reason why a mesh is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MeshFlaw {
    /// There are no triangles.
    #[error("the mesh has no triangles; export it with faces of at least three corners")]
    NoTriangles,
    /// A triangle uses a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {index}, but there are {vertices} vertices, counted from 0")]
    IndexOutOfRange {
        /// The triangle, counted from 0.
        triangle: usize,
        /// The index it uses.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate is NaN, infinite or too large.
    #[error(
        "vertex {vertex} is at ({}, {}, {}); coordinates must be finite and below {COORDINATE_LIMIT:e} m",
        position.x, position.y, position.z
    )]
    BadCoordinate {
        /// The vertex, counted from 0.
        vertex: usize,
        /// The position [m].
        position: DVec3,
    },
    /// The corners of a triangle are collinear.
    #[error(
        "triangle {triangle} (a corner at {}, {}, {}) has no area; merge duplicate vertices and dissolve degenerate faces in the modeling program",
        corner.x, corner.y, corner.z
    )]
    Degenerate {
        /// The triangle, counted from 0 after polygons are cut into triangles.
        triangle: usize,
        /// The first corner [m].
        corner: DVec3,
    },
    /// The surface has a border, or adjacent triangles with opposite winding.
    #[error(
        "the mesh must be closed, but the edge from ({}, {}, {}) to ({}, {}, {}) has no opposite edge; fill the holes and make the face orientations consistent",
        from.x, from.y, from.z, to.x, to.y, to.z
    )]
    Open {
        /// Start of the edge [m].
        from: DVec3,
        /// End of the edge [m].
        to: DVec3,
    },
    /// A closed surface that is flat or too small.
    #[error(
        "the mesh encloses {volume:e} m^3 in a bounding box of {} x {} x {} m, which is too little; give it thickness or correct its scale",
        extent.x, extent.y, extent.z
    )]
    Flat {
        /// Volume [m^3].
        volume: f64,
        /// Edge lengths of the bounding box [m].
        extent: DVec3,
    },
}

impl TriangleMesh {
    /// Validates a mesh of `triangles` (indices into `vertices`, counterclockwise seen from outside).
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshFlaw> {
        if triangles.is_empty() {
            return Err(MeshFlaw::NoTriangles);
        }
        check_coordinates(&vertices)?;
        let mesh = Self { vertices, triangles };
        for (triangle, indices) in mesh.triangles.iter().enumerate() {
            if let Some(&index) = indices.iter().find(|&&i| i as usize >= mesh.vertices.len()) {
                return Err(MeshFlaw::IndexOutOfRange { triangle, index, vertices: mesh.vertices.len() });
            }
            let corners = mesh.corners(triangle);
            if !Self::has_area(corners) {
                return Err(MeshFlaw::Degenerate { triangle, corner: corners[0] });
            }
        }
        Ok(mesh)
    }

    /// Returns whether a triangle with these corners [m] is not degenerate.
    pub fn has_area([a, b, c]: [DVec3; 3]) -> bool {
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        // |cross| is the longest side times the height on it. The comparison is also false for NaN.
        (b - a).cross(c - a).length() > DEGENERATE_HEIGHT * longest
    }

    /// Returns the vertex positions [m].
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns the vertex indices of each triangle, counterclockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the corner positions of one triangle [m].
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|i| self.vertices[i as usize])
    }

    /// Returns whether the surface bounds a volume; see [`TriangleMesh::open_edge`].
    pub fn is_closed(&self) -> bool {
        self.open_edge().is_none()
    }

    /// Returns an edge that triangles do not use equally often in both directions, if there is one.
    ///
    /// For an ordinary surface this means that each edge has exactly two triangles, with opposite winding. Counting directions also accepts
    /// solids that touch along an edge. Vertices with the same position count as one: files often duplicate them where texture or normals
    /// change.
    pub fn open_edge(&self) -> Option<(DVec3, DVec3)> {
        let same = self.first_vertex_at_same_place();
        let mut edges: Vec<(u32, u32, i32)> = Vec::with_capacity(3 * self.triangles.len());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| same[i as usize]);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.push(if from < to { (from, to, 1) } else { (to, from, -1) });
            }
        }
        edges.sort_unstable();
        edges.chunk_by(|e, f| (e.0, e.1) == (f.0, f.1)).find_map(|uses| {
            let balance: i32 = uses.iter().map(|edge| edge.2).sum();
            let (low, high) = (self.vertices[uses[0].0 as usize], self.vertices[uses[0].1 as usize]);
            match balance.signum() {
                0 => None,
                1 => Some((low, high)),
                _ => Some((high, low)),
            }
        })
    }

    /// Computes the enclosed volume [m^3], positive if the triangles are counterclockwise seen from outside. Meaningless for an open mesh.
    pub fn signed_volume(&self) -> f64 {
        // Divergence theorem: sum of tetrahedra over the triangles. Their apex is a point of the mesh, not the world origin, so that a
        // small mesh far away keeps its precision.
        let apex = self.vertices[self.triangles[0][0] as usize];
        let six_volumes = (0..self.triangles.len()).map(|t| {
            let [a, b, c] = self.corners(t).map(|p| p - apex);
            a.dot(b.cross(c))
        });
        six_volumes.sum::<f64>() / 6.0
    }

    /// Returns the bounding box of the triangles. Vertices that no triangle uses do not count.
    pub fn bounds(&self) -> Bounds {
        Bounds::around((0..self.triangles.len()).flat_map(|t| self.corners(t)))
    }

    /// Returns, for each vertex, the lowest index of a vertex with equal coordinates.
    pub(super) fn first_vertex_at_same_place(&self) -> Vec<u32> {
        // Adding 0.0 turns -0.0 into 0.0, which is the same position.
        let key = |i: u32| (self.vertices[i as usize] + DVec3::ZERO).to_array().map(f64::to_bits);
        let mut order: Vec<u32> = (0..self.vertices.len() as u32).collect();
        order.sort_unstable_by_key(|&i| (key(i), i));
        let mut first = vec![0; self.vertices.len()];
        for group in order.chunk_by(|&i, &j| key(i) == key(j)) {
            for &i in group {
                first[i as usize] = group[0];
            }
        }
        first
    }
}

/// Returns an error if a vertex is not finite or too far away.
pub(super) fn check_coordinates(vertices: &[DVec3]) -> Result<(), MeshFlaw> {
    let sound = |position: &DVec3| position.is_finite() && position.abs().max_element() <= COORDINATE_LIMIT;
    match vertices.iter().position(|position| !sound(position)) {
        None => Ok(()),
        Some(vertex) => Err(MeshFlaw::BadCoordinate { vertex, position: vertices[vertex] }),
    }
}

impl Bounds {
    /// Returns the bounding box of points; inverted (min > max) if there are none.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        let nothing = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        points.into_iter().fold(nothing, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Returns the edge lengths [m].
    pub fn extent(&self) -> DVec3 {
        self.max - self.min
    }

    /// Returns the center [m].
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::test_meshes::{cuboid, icosphere};
    use approx::assert_relative_eq;
    use std::f64::consts::PI;

    #[test]
    fn invalid_meshes_are_errors() {
        let v = vec![DVec3::ZERO, DVec3::X, DVec3::Y, 2.0 * DVec3::X];
        let new = |t: Vec<[u32; 3]>| TriangleMesh::new(v.clone(), t).unwrap_err();
        assert_eq!(new(vec![]), MeshFlaw::NoTriangles);
        assert_eq!(new(vec![[0, 1, 2], [0, 4, 1]]), MeshFlaw::IndexOutOfRange { triangle: 1, index: 4, vertices: 4 });
        assert!(matches!(new(vec![[0, 1, 2], [0, 1, 3]]), MeshFlaw::Degenerate { triangle: 1, .. }));
        assert!(matches!(new(vec![[1, 1, 2]]), MeshFlaw::Degenerate { triangle: 0, .. }));
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            let mut v = v.clone();
            v[2].z = bad;
            let flaw = TriangleMesh::new(v, vec![[0, 1, 2]]).unwrap_err();
            assert!(matches!(flaw, MeshFlaw::BadCoordinate { vertex: 2, .. }), "{flaw}");
        }
    }

    #[test]
    fn volume_and_bounds_of_a_box_at_any_position() {
        for center in [DVec3::ZERO, DVec3::new(1e4, -1e4, 3.0)] {
            let mesh = cuboid(center, DVec3::new(0.5, 1.0, 1.5));
            assert!(mesh.is_closed());
            assert_relative_eq!(mesh.signed_volume(), 6.0, max_relative = 1e-10);
            assert_eq!(mesh.bounds().extent(), DVec3::new(1.0, 2.0, 3.0));
            assert_eq!(mesh.bounds().center(), center);
        }
    }

    #[test]
    fn icosphere_volume_converges_to_the_ball() {
        let error = |level| 1.0 - icosphere(level, 2.0).signed_volume() / (32.0 / 3.0 * PI);
        assert!(icosphere(3, 2.0).is_closed());
        // Halving the edge length reduces the error by a factor of four.
        assert_relative_eq!(error(3) / error(4), 4.0, max_relative = 0.05);
    }

    #[test]
    fn open_and_inconsistently_wound_meshes_are_detected() {
        let closed = cuboid(DVec3::ZERO, DVec3::ONE);
        let open = TriangleMesh::new(closed.vertices.clone(), closed.triangles[1..].to_vec()).unwrap();
        assert!(open.open_edge().is_some());
        let mut triangles = closed.triangles.clone();
        triangles[0].reverse();
        let flipped = TriangleMesh::new(closed.vertices.clone(), triangles).unwrap();
        assert!(!flipped.is_closed());
    }

    #[test]
    fn duplicate_vertices_do_not_open_a_mesh() {
        let mesh = cuboid(DVec3::ZERO, DVec3::ONE);
        let corners = (0..mesh.triangles.len()).flat_map(|t| mesh.corners(t)).collect();
        let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        assert!(TriangleMesh::new(corners, triangles).unwrap().is_closed());
    }
}
