//! The render surface: a mesh whose vertices move with material points.

use crate::world::Surface;
use fibra_core::geometry::{PointTree, TriangleMesh};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

impl Surface {
    /// Attaches each vertex of a mesh in world coordinates to the nearest of `points`, which are the material points of
    /// an object relative to `origin` [m].
    pub fn new(skin: &TriangleMesh, points: &[DVec3], origin: DVec3) -> Surface {
        let tree = PointTree::new(points);
        let equal = tree.scales(&vec![1.0; points.len()]);
        let (vertices, triangles) = welded(skin);
        let vertices: Vec<DVec3> = vertices.into_iter().map(|vertex| vertex - origin).collect();
        let pieces = vertices.par_iter().map(|&vertex| tree.nearest_two(vertex, &equal, None)[0].1).collect();
        Surface { vertices, pieces, triangles, cuts: None }
    }

    /// Appends the surface of an object whose material points start at index `first`.
    pub fn append(&mut self, other: Surface, first: u32) {
        let start = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.pieces.extend(other.pieces.iter().map(|piece| first + piece));
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| start + corner)));
    }
}

/// Merges vertices at the same position: cuts need the adjacency of triangles.
fn welded(skin: &TriangleMesh) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    let mut known = BTreeMap::new();
    let weld = |&vertex: &DVec3| {
        // Makes -0 and +0 equal.
        let place = (vertex + 0.0).to_array().map(f64::to_bits);
        *known.entry(place).or_insert_with(|| {
            vertices.push(vertex);
            vertices.len() as u32 - 1
        })
    };
    let names: Vec<u32> = skin.vertices().iter().map(weld).collect();
    let triangles = skin.triangles().iter().map(|triangle| triangle.map(|corner| names[corner as usize]));
    let triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    (vertices, triangles)
}
