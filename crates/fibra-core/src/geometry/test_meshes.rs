//! Closed meshes with known geometry, for tests.

use super::TriangleMesh;
use glam::DVec3;
use std::collections::BTreeMap;

/// Returns a box of twelve triangles.
pub fn cuboid(center: DVec3, half_extents: DVec3) -> TriangleMesh {
    let vertices = (0..8)
        .map(|i| DVec3::from_array([i & 1, i >> 1 & 1, i >> 2].map(|bit| 2.0 * f64::from(bit) - 1.0)))
        .map(|corner| center + corner * half_extents)
        .collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh::new(vertices, triangles).expect("a box is a valid mesh")
}

/// Returns an icosahedron, subdivided `level` times into four triangles each, with all vertices on the sphere centered at the origin.
pub fn icosphere(level: u32, radius: f64) -> TriangleMesh {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    // Three golden rectangles.
    let rectangle = [(-1.0, -g), (1.0, -g), (-1.0, g), (1.0, g)];
    let mut vertices: Vec<DVec3> = Vec::new();
    vertices.extend(rectangle.map(|(s, l)| DVec3::new(s, l, 0.0)));
    vertices.extend(rectangle.map(|(s, l)| DVec3::new(0.0, s, l)));
    vertices.extend(rectangle.map(|(s, l)| DVec3::new(l, 0.0, s)));
    // The faces are the triples of vertices at mutual distance 2.
    let near = |a: DVec3, b: DVec3| (a.distance(b) - 2.0).abs() < 1e-9;
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [vertices[a], vertices[b], vertices[c]];
                if near(p, q) && near(q, r) && near(r, p) {
                    let outward = p.dot(q.cross(r)) > 0.0;
                    let [b, c] = if outward { [b, c] } else { [c, b] };
                    triangles.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    for _ in 0..level {
        let mut middles = BTreeMap::new();
        let mut middle = |i: u32, j: u32| {
            *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                vertices.push(0.5 * (vertices[i as usize] + vertices[j as usize]));
                vertices.len() as u32 - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
        for vertex in &mut vertices {
            *vertex = vertex.normalize();
        }
    }
    let vertices = vertices.into_iter().map(|v| radius * v.normalize()).collect();
    TriangleMesh::new(vertices, triangles).expect("an icosphere is a valid mesh")
}
