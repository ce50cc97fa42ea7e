//! Triangle meshes, and the two solids that are converted to meshes.

use super::picture::Finish;
use fibra_core::geometry::DisplayMesh;
use glam::{Quat, Vec3};

/// An indexed triangle mesh, visible from both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices [m].
    pub positions: Vec<Vec3>,
    /// Corners of each triangle, as indices into `positions`.
    pub triangles: Vec<[u32; 3]>,
    /// Unit normals, one per vertex; if empty, smooth normals are computed.
    pub normals: Vec<Vec3>,
    /// Linear RGB, one per vertex; if empty, `color` is used for all vertices.
    pub vertex_colors: Vec<Vec3>,
    /// Linear RGB [-].
    pub color: Vec3,
    /// Linear RGB of the back, from which the corners of a triangle appear clockwise. If absent, the back has the color of the front.
    pub back_color: Option<Vec3>,
    /// Finish of the surface.
    pub finish: Finish,
}

impl Mesh {
    /// Creates a box centered at the origin, with sharp edges.
    pub fn cuboid(half_extents: Vec3) -> Mesh {
        DisplayMesh::cuboid(half_extents).into()
    }

    /// Creates a cylinder centered at the origin with its axis along y. Normals are smooth at the side and sharp at the rims.
    pub fn cylinder(radius: f32, half_height: f32) -> Mesh {
        DisplayMesh::cylinder(radius, half_height).into()
    }

    /// Rotates the mesh about the origin, then translates it [m].
    pub fn placed(mut self, rotation: Quat, translation: Vec3) -> Mesh {
        for position in &mut self.positions {
            *position = rotation * *position + translation;
        }
        for normal in &mut self.normals {
            *normal = rotation * *normal;
        }
        self
    }

    /// Sets the color (linear RGB) and finish.
    pub fn painted(self, color: Vec3, finish: Finish) -> Mesh {
        Mesh { color, finish, ..self }
    }

    /// Duplicates the vertices at sharp edges, those with an angle of more than 60 degrees between the normals, and computes normals that are
    /// smooth elsewhere.
    pub fn with_sharp_edges(self) -> Mesh {
        const MIN_COSINE: f32 = 0.5;
        // For each vertex, groups of adjacent triangles with similar normals: the index of the new vertex, and the sum of the normals.
        let mut groups: Vec<Vec<(u32, Vec3)>> = vec![Vec::new(); self.positions.len()];
        let mut split = Mesh { positions: Vec::new(), normals: Vec::new(), triangles: Vec::new(), ..self.clone() };
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| self.positions[corner as usize]);
            let normal = (b - a).cross(c - a);
            split.triangles.push(triangle.map(|corner| {
                let around = &mut groups[corner as usize];
                let alike = |(_, sum): &(u32, Vec3)| {
                    sum.normalize_or_zero().dot(normal.normalize_or_zero()) > MIN_COSINE || normal == Vec3::ZERO
                };
                let at = around.iter().position(alike).unwrap_or_else(|| {
                    around.push((split.positions.len() as u32, Vec3::ZERO));
                    split.positions.push(self.positions[corner as usize]);
                    around.len() - 1
                });
                around[at].1 += normal;
                around[at].0
            }));
        }
        split.normals = vec![Vec3::ZERO; split.positions.len()];
        for (vertex, sum) in groups.into_iter().flatten() {
            split.normals[vertex as usize] = sum.normalize_or_zero();
        }
        split
    }
}

impl From<DisplayMesh> for Mesh {
    fn from(mesh: DisplayMesh) -> Mesh {
        Mesh { positions: mesh.positions, normals: mesh.normals, triangles: mesh.triangles, ..Mesh::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::smooth_normals;

    #[test]
    fn triangles_of_solids_are_counterclockwise_from_outside() {
        for mesh in [Mesh::cuboid(Vec3::new(1.0, 2.0, 3.0)), Mesh::cylinder(1.0, 2.0)] {
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
                assert!((b - a).cross(c - a).dot(a + b + c) > 0.0, "{triangle:?}");
            }
        }
    }

    #[test]
    fn only_sharp_edges_have_duplicated_vertices() {
        let fold = |height: f32| Mesh {
            positions: vec![Vec3::ZERO, Vec3::Z, Vec3::new(1.0, height, 0.0), Vec3::new(-1.0, height, 0.0)],
            triangles: vec![[0, 1, 2], [1, 0, 3]],
            ..Mesh::default()
        };
        let blunt = fold(-0.3).with_sharp_edges();
        assert_eq!((blunt.positions.len(), blunt.normals.len()), (4, 4));
        assert!(blunt.normals[0].abs_diff_eq(Vec3::Y, 1e-6), "{}", blunt.normals[0]);
        let sharp = fold(-2.0).with_sharp_edges();
        assert_eq!((sharp.positions.len(), sharp.normals.len()), (6, 6));
        assert!(sharp.normals[0].dot(Vec3::Y) < 0.5);
    }

    fn area(mesh: &Mesh) -> f32 {
        let corner = |i: u32| mesh.positions[i as usize];
        mesh.triangles
            .iter()
            .map(|&[a, b, c]| 0.5 * (corner(b) - corner(a)).cross(corner(c) - corner(a)).length())
            .sum()
    }

    #[test]
    fn solids_have_the_exact_area_and_outward_normals() {
        let cuboid = Mesh::cuboid(Vec3::new(0.5, 1.0, 1.5));
        assert!((area(&cuboid) - 2.0 * (2.0 + 6.0 + 3.0)).abs() < 1e-4);
        let cylinder = Mesh::cylinder(0.5, 1.0);
        let exact = std::f32::consts::PI * (2.0 * 0.25 + 2.0 * 0.5 * 2.0);
        assert!((area(&cylinder) / exact - 1.0).abs() < 2e-3);
        for mesh in [cuboid, cylinder] {
            for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
                assert!(position.dot(*normal) > 0.0 && (normal.length() - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn smooth_normals_of_a_fine_cylinder_point_outward() {
        let cylinder = Mesh::cylinder(1.0, 1.0);
        let (side, computed) =
            (cylinder.positions.len() - 192, smooth_normals(&cylinder.positions, &cylinder.triangles));
        for vertex in side..cylinder.positions.len() {
            assert!(computed[vertex].abs_diff_eq(cylinder.normals[vertex], 0.04), "{}", computed[vertex]);
        }
    }
}
