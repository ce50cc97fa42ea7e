//! Smooth vertex normals.

use glam::Vec3;

/// Computes unit vertex normals: the area-weighted mean of the adjacent triangles' normals. `V` is any type of three numbers. Returns zero
/// where the normal is undefined. Triangles with corners that are missing or not finite are ignored.
pub fn smooth_normals<V: Copy + Into<Vec3> + From<Vec3>>(vertices: &[V], triangles: &[[u32; 3]]) -> Vec<V> {
    let mut sums = vec![Vec3::ZERO; vertices.len()];
    for triangle in triangles {
        let corners = triangle.map(|corner| vertices.get(corner as usize).map(|&vertex| vertex.into()));
        if let [Some(a), Some(b), Some(c)] = corners {
            let doubled_area = (b - a).cross(c - a);
            // A corner that is not finite must not affect its neighbors.
            if doubled_area.is_finite() {
                triangle.iter().for_each(|&corner| sums[corner as usize] += doubled_area);
            }
        }
    }
    sums.into_iter().map(|sum| sum.normalize_or_zero().into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: [f32; 3] = [0.0, 1.0, 0.0];

    #[test]
    fn normals_point_to_the_counterclockwise_side() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [9.0, 9.0, 9.0]];
        assert_eq!(smooth_normals(&points, &[[0, 1, 2]]), [UP, UP, UP, [0.0; 3]]);
    }

    #[test]
    fn invalid_triangles_do_not_affect_their_neighbors() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [f32::NAN; 3]];
        assert_eq!(smooth_normals(&points, &[[0, 1, 2], [0, 1, 3], [1, 2, 77]]), [UP, UP, UP, [0.0; 3]]);
    }
}
