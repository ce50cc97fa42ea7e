//! A closed mesh, for tests.

use fibra_core::geometry::TriangleMesh;
use glam::DVec3;

/// Returns an octahedron whose coordinates have no short decimal form.
pub fn octahedron() -> TriangleMesh {
    let center = DVec3::new(0.1, 1e-9, 7.0) / 3.0;
    let vertices =
        [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [center + axis / 7.0, center - axis / 7.0]);
    let triangles = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    TriangleMesh::new(vertices.collect(), triangles.to_vec()).expect("an octahedron is a valid mesh")
}
