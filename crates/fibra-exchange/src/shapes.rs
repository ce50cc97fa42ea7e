//! Geometry that export formats need: bounds, curve radii and the shapes of grains and planes.

use fibra_core::appearance::{GrainAppearance, ObjectAppearance};
use fibra_core::frame::{Frame, Pose};
use fibra_core::geometry::DeformingMesh;
use glam::{Quat, Vec3};

/// Returns the bounding box of the points [m], enlarged by `margin` [m]. Without points, the box is inverted (lower corner above upper corner).
pub(crate) fn bounds(points: &[[f32; 3]], margin: f32) -> [[f32; 3]; 2] {
    let (mut low, mut high) = ([f32::MAX; 3], [-f32::MAX; 3]);
    for point in points {
        for axis in 0..3 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    if points.is_empty() {
        return [low, high];
    }
    [low.map(|x| x - margin), high.map(|x| x + margin)]
}

/// Returns the radius of an object's curves [m]. `lengths` are the vertex counts of the curves in `points`.
pub(crate) fn curve_radius(object: &ObjectAppearance, points: &[[f32; 3]], lengths: &[u32]) -> f32 {
    object.radius_of_curves(|| {
        let mut rest = points;
        let mut sides = Vec::new();
        for &length in lengths {
            let (line, others) = rest.split_at(length as usize);
            sides.extend(line.windows(2).map(|ends| Vec3::from_array(ends[0]).distance(Vec3::from_array(ends[1]))));
            rest = others;
        }
        sides
    })
}

/// Returns the radius of a round grain as a capsule, and the distance from its center to the center of a cap [m].
pub(crate) fn capsule_of(grain: &GrainAppearance) -> (f32, f32) {
    let radius = 0.25 * (grain.size.x + grain.size.y);
    (radius, (0.5 * grain.size.z - radius).max(0.0))
}

/// Returns the corners of a square that shows an infinite plane, in the coordinates of its body, counterclockwise seen from its outer side. The square is large
/// enough to extend below all points of the frame.
pub(crate) fn plane_in_body(normal: Vec3, frame: &Frame, pose: &Pose) -> [Vec3; 4] {
    let (middle, reach) = bounding_sphere(&frame.points);
    let turn = Quat::from_array(pose.rotation);
    plane_square(normal, turn.inverse() * (middle - Vec3::from_array(pose.translation)), reach)
}

/// Returns the square of [`plane_in_body`] for a plane through the origin, below the sphere with center `middle` [m] and radius `reach` [m].
fn plane_square(normal: Vec3, middle: Vec3, reach: f32) -> [Vec3; 4] {
    let center = middle - middle.dot(normal) * normal;
    let (u, v) = normal.any_orthonormal_pair();
    let turned = if u.cross(v).dot(normal) > 0.0 { [u, v] } else { [v, u] };
    let [u, v] = turned.map(|side| 2.0 * reach * side);
    [center - u - v, center + u - v, center + u + v, center - u + v]
}

/// Returns the vertices [m] of a mesh and their velocities [m/s] at a time [s], in the coordinates of its body.
pub(crate) fn deformed(mesh: &DeformingMesh, time: f64) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
    let (positions, velocities) = mesh.places_and_velocities(time);
    (positions.iter().map(Vec3::to_array).collect(), velocities.iter().map(Vec3::to_array).collect())
}

/// Returns the center and radius of a bounding sphere of the points [m]. Without points, the radius is 1 m.
fn bounding_sphere(points: &[[f32; 3]]) -> (Vec3, f32) {
    if points.is_empty() {
        return (Vec3::ZERO, 1.0);
    }
    let [low, high] = bounds(points, 0.0).map(Vec3::from_array);
    let reach = 0.5 * (high - low).length();
    (0.5 * (low + high), if reach > 0.0 { reach } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::smooth_normals;

    #[test]
    fn bounds_include_the_margin() {
        let points = [[1.0, 2.0, 3.0], [-1.0, 5.0, 3.0]];
        assert_eq!(bounds(&points, 0.5), [[-1.5, 1.5, 2.5], [1.5, 5.5, 3.5]]);
        let [low, high] = bounds(&[], 0.5);
        assert!(low[0] > high[0]);
    }

    #[test]
    fn plane_squares_face_the_outer_side() {
        for normal in [Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::new(0.6, 0.0, -0.8)] {
            let corners = plane_square(normal, Vec3::new(1.0, 2.0, 3.0), 1.5);
            let points = corners.map(|corner| corner.to_array());
            for found in smooth_normals(&points, &[[0, 1, 2], [0, 2, 3]]) {
                assert!(Vec3::from_array(found).dot(normal) > 0.9999);
            }
            assert!(corners.iter().all(|corner| corner.dot(normal).abs() < 1e-5));
        }
    }
}
