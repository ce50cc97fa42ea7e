//! The surface of a solid bounded by a closed mesh: exact distance, and an inside test that is robust to rounding.

use super::bvh::{Bvh, Triangle};
use super::{Bounds, MeshFlaw, TriangleMesh};
use glam::DVec3;

/// Smallest fraction of its bounding cube that a mesh may fill [-], and smallest side of that cube [m].
const MIN_FILLED: f64 = 1e-12;
const MIN_SIZE: f64 = 1e-9;

/// A closed mesh prepared for exact queries, in the mesh's frame.
///
/// A point is inside if the winding number of the surface around it is nonzero. The overall orientation of the mesh therefore does not
/// matter, and overlapping parts form one solid.
#[derive(Clone, Debug)]
pub struct MeshSurface {
    tree: Bvh,
    volume: f64,
}

/// Intersection of a line parallel to x with the surface.
#[derive(Clone, Copy)]
pub(super) struct Crossing {
    /// Position on the line [m].
    pub x: f64,
    /// Decrease of the winding number when crossing toward larger x.
    pub fall: i32,
}

impl MeshSurface {
    /// Prepares a mesh, which must be closed and enclose a volume.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, MeshFlaw> {
        if let Some((from, to)) = mesh.open_edge() {
            return Err(MeshFlaw::Open { from, to });
        }
        let (volume, extent) = (mesh.signed_volume().abs(), mesh.bounds().extent());
        let size = extent.max_element();
        if size < MIN_SIZE || volume < MIN_FILLED * size.powi(3) {
            return Err(MeshFlaw::Flat { volume, extent });
        }
        let triangles = (0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect();
        Ok(Self { tree: Bvh::new(triangles), volume })
    }

    /// Returns the bounding box of the solid.
    pub fn bounds(&self) -> Bounds {
        self.tree.bounds()
    }

    /// Returns the corners of the triangles [m], in arbitrary order.
    pub fn triangles(&self) -> &[Triangle] {
        self.tree.triangles()
    }

    /// Returns the volume [m^3]. Overlapping parts are counted multiple times.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Returns the unsigned distance to the surface [m].
    pub fn distance(&self, point: DVec3) -> f64 {
        self.distance_within(point, f64::INFINITY)
    }

    /// Returns the unsigned distance to the surface [m], or `bound` if it is larger.
    pub(super) fn distance_within(&self, point: DVec3, bound: f64) -> f64 {
        self.tree.distance_squared(point, bound * bound).sqrt()
    }

    /// Returns whether the point is in the solid.
    pub fn contains(&self, point: DVec3) -> bool {
        let mut winding = 0;
        self.cross(point.y, point.z, |crossing| {
            if crossing.x > point.x {
                winding += crossing.fall;
            }
        });
        winding != 0
    }

    /// Calls `each` for every intersection of the surface with the line through (y, z) parallel to x, in arbitrary order.
    ///
    /// The values of [`Crossing::fall`] on a line sum to exactly zero in spite of rounding. The surface intersects the plane at height y in
    /// closed polygons. Each corner of a polygon is on an edge of the mesh and is either above z or not. Both triangles at an edge evaluate
    /// this condition from the same numbers, so along a polygon the result changes equally often in both directions.
    pub(super) fn cross(&self, y: f64, z: f64, mut each: impl FnMut(Crossing)) {
        let enter = |b: &Bounds| b.min.y <= y && y < b.max.y && b.min.z <= z && z < b.max.z;
        self.tree.visit(&enter, &mut |triangle| {
            if let Some(crossing) = cross_triangle(triangle, y, z) {
                each(crossing);
            }
        });
    }
}

fn cross_triangle(&[a, b, c]: &Triangle, y: f64, z: f64) -> Option<Crossing> {
    let (mut rising, mut sinking) = (None, None);
    for (from, to) in [(a, b), (b, c), (c, a)] {
        match (from.y > y, to.y > y) {
            (false, true) => rising = Some(edge_at_height(from, to, y)),
            (true, false) => sinking = Some(edge_at_height(to, from, y)),
            _ => {}
        }
    }
    let (start, end) = (rising?, sinking?);
    let fall = i32::from(start.z > z) - i32::from(end.z > z);
    // One end is above z and the other is not, so the divisor is not zero.
    (fall != 0).then(|| Crossing { x: start.x + (end.x - start.x) * (z - start.z) / (end.z - start.z), fall })
}

/// Returns the point at height y on an edge, computed from its lower end so that both adjacent triangles get the same bits.
fn edge_at_height(low: DVec3, high: DVec3, y: f64) -> DVec3 {
    let point = low + (high - low) * ((y - low.y) / (high.y - low.y));
    // Rounding must not move the point out of the edge's bounding box, which `cross` uses for culling.
    point.clamp(low.min(high), low.max(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::test_meshes::{cuboid, icosphere};
    use proptest::prelude::*;

    #[test]
    fn inside_test_of_a_box_at_grid_aligned_points() {
        // Naive ray casting fails on lines through corners, edges and face diagonals.
        let surface = MeshSurface::new(&cuboid(DVec3::ZERO, DVec3::ONE)).unwrap();
        for i in 0..9i32.pow(3) {
            let p = DVec3::from_array([i % 9, i / 9 % 9, i / 81].map(|n| f64::from(n - 4) * 0.5));
            let out = p.abs().max_element();
            if out != 1.0 {
                assert_eq!(surface.contains(p), out < 1.0, "{p}");
            }
            let q = p.abs() - DVec3::ONE;
            let distance = q.max(DVec3::ZERO).length() + q.max_element().min(0.0);
            assert!((surface.distance(p) - distance.abs()).abs() < 1e-12, "{p}");
        }
    }

    #[test]
    fn inverted_and_overlapping_solids() {
        let one = cuboid(DVec3::ZERO, DVec3::ONE);
        let inverted: Vec<_> = one.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let inverted = TriangleMesh::new(one.vertices().to_vec(), inverted).unwrap();
        let surface = MeshSurface::new(&inverted).unwrap();
        assert!(surface.contains(DVec3::splat(0.3)) && !surface.contains(DVec3::splat(1.3)));
        assert_eq!(surface.volume(), 8.0);

        let two = cuboid(DVec3::splat(0.5), DVec3::ONE);
        let vertices = [one.vertices(), two.vertices()].concat();
        let shifted = two.triangles().iter().map(|t| t.map(|i| i + 8));
        let both = TriangleMesh::new(vertices, one.triangles().iter().copied().chain(shifted).collect()).unwrap();
        let surface = MeshSurface::new(&both).unwrap();
        for (p, inside) in [(-0.7, true), (0.3, true), (1.3, true), (1.7, false)] {
            assert_eq!(surface.contains(DVec3::splat(p)), inside, "{p}");
        }
    }

    #[test]
    fn open_mesh_error_names_an_edge() {
        let closed = cuboid(DVec3::ZERO, DVec3::ONE);
        let open = TriangleMesh::new(closed.vertices().to_vec(), closed.triangles()[2..].to_vec()).unwrap();
        let message = MeshSurface::new(&open).unwrap_err().to_string();
        assert!(message.contains("must be closed") && message.contains("edge from (-1, "), "{message}");
    }

    #[test]
    fn closed_meshes_without_volume_are_errors() {
        let leaf = TriangleMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2], [0, 2, 1]]).unwrap();
        assert!(leaf.is_closed());
        assert!(matches!(MeshSurface::new(&leaf), Err(MeshFlaw::Flat { .. })));
        let speck = cuboid(DVec3::ZERO, DVec3::splat(1e-50));
        assert!(matches!(MeshSurface::new(&speck), Err(MeshFlaw::Flat { .. })));
    }

    proptest! {
        #[test]
        fn inside_a_ball(p in prop::array::uniform3(-1.2..1.2)) {
            let p = DVec3::from_array(p);
            let mesh = icosphere(3, 1.0);
            let surface = MeshSurface::new(&mesh).unwrap();
            // Between the spheres through the face centers and through the vertices, either result may be correct.
            if p.length() < 0.985 || p.length() > 1.0 {
                prop_assert_eq!(surface.contains(p), p.length() < 1.0);
            }
        }

        #[test]
        fn falls_sum_to_zero_on_lines_through_vertices(index in any::<prop::sample::Index>()) {
            let mesh = icosphere(3, 1.0);
            let vertex = mesh.vertices()[index.index(mesh.vertices().len())];
            let surface = MeshSurface::new(&mesh).unwrap();
            let mut sum = 0;
            surface.cross(vertex.y, vertex.z, |crossing| sum += crossing.fall);
            prop_assert_eq!(sum, 0);
        }
    }
}
