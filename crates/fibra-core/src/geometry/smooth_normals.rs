//! Normals that make a mesh look smooth.

use glam::Vec3;

/// Unit normals of vertices: the mean of their triangles', each weighed by its area; `V` are three numbers of some kind. Zero where that is not told.
/// Corners that are not there or not finite count for nothing.
pub fn smooth_normals<V: Copy + Into<Vec3> + From<Vec3>>(vertices: &[V], triangles: &[[u32; 3]]) -> Vec<V> {
    let mut sums = vec![Vec3::ZERO; vertices.len()];
    for triangle in triangles {
        let corners = triangle.map(|corner| vertices.get(corner as usize).map(|&vertex| vertex.into()));
        if let [Some(a), Some(b), Some(c)] = corners {
            let doubled_area = (b - a).cross(c - a);
            // One corner that is not a number must not spoil its neighbors.
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
    fn they_point_where_triangles_are_counterclockwise() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [9.0, 9.0, 9.0]];
        assert_eq!(smooth_normals(&points, &[[0, 1, 2]]), [UP, UP, UP, [0.0; 3]]);
    }

    #[test]
    fn broken_triangles_do_not_spoil_their_neighbors() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [f32::NAN; 3]];
        assert_eq!(smooth_normals(&points, &[[0, 1, 2], [0, 1, 3], [1, 2, 77]]), [UP, UP, UP, [0.0; 3]]);
    }
}
