//! Triangle meshes of simple solids, for display.

use glam::Vec3;

/// A triangle mesh with vertex normals. Vertices on sharp edges are duplicated, one for each side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DisplayMesh {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Unit normals, one per vertex.
    pub normals: Vec<Vec3>,
    /// Vertex indices of each triangle, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl DisplayMesh {
    /// Creates a box centered at the origin, with sharp edges.
    pub fn cuboid(half_extents: Vec3) -> DisplayMesh {
        let mut mesh = DisplayMesh::default();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let unit =
                    |axis: usize| Vec3::from_array(std::array::from_fn(|i| if i == axis % 3 { 1.0 } else { 0.0 }));
                let (normal, u, v) = (side * unit(axis), unit(axis + 1), unit(axis + 2));
                let corners = [-u - v, u - v, u + v, v - u].map(|corner| half_extents * (normal + corner));
                mesh.add_fan(&corners, normal);
            }
        }
        mesh
    }

    /// Creates a cylinder centered at the origin with its axis along y, smooth at the side and sharp at the rims.
    pub fn cylinder(radius: f32, half_height: f32) -> DisplayMesh {
        /// Enough for a round outline if the cylinder fills the height of the image.
        const SEGMENTS: u32 = 96;
        let spoke = |k: u32| {
            let (sine, cosine) = (std::f32::consts::TAU * k as f32 / SEGMENTS as f32).sin_cos();
            Vec3::new(sine, 0.0, cosine)
        };
        let mut mesh = DisplayMesh::default();
        for side in [-1.0, 1.0] {
            let rim: Vec<Vec3> = (0..SEGMENTS).map(|k| radius * spoke(k) + side * half_height * Vec3::Y).collect();
            mesh.add_fan(&rim, side * Vec3::Y);
        }
        let first = mesh.positions.len() as u32;
        for k in 0..SEGMENTS {
            for side in [-1.0, 1.0] {
                mesh.positions.push(radius * spoke(k) + side * half_height * Vec3::Y);
                mesh.normals.push(spoke(k));
            }
            let [a, b] = [k, (k + 1) % SEGMENTS].map(|k| first + 2 * k);
            mesh.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
        mesh
    }

    /// Adds a planar convex polygon as a triangle fan about its first corner.
    fn add_fan(&mut self, corners: &[Vec3], normal: Vec3) {
        let first = self.positions.len() as u32;
        self.positions.extend_from_slice(corners);
        self.normals.extend(corners.iter().map(|_| normal));
        let is_counterclockwise = (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(normal) > 0.0;
        self.triangles.extend((2..corners.len() as u32).map(|k| match is_counterclockwise {
            true => [first, first + k - 1, first + k],
            false => [first, first + k, first + k - 1],
        }));
    }
}
