//! Shells: surfaces with a thickness.

use super::{FillError, MAX_POINTS, positive};
use crate::cloud::{Cloud, outer};
use fibra_core::geometry::TriangleMesh;
use glam::DVec3;

/// Maximum side of a triangle, relative to the spacing [-].
const LONGEST_SIDE: f64 = 4.0;

/// One layer of material points on an open or closed mesh, which is the midsurface of a shell of `thickness` [m].
/// There are one or two material points per square of side `spacing` [m], more where triangles are slender, and at
/// least one per triangle.
///
/// Triangles are bisected across their longest sides until their area is at most that of such a square and their sides
/// are below the maximum. The total volume (area times thickness) and second moment are therefore exact. The sphere of
/// a material point covers its triangle, so adjacent material points are connected.
pub fn sheet(mesh: &TriangleMesh, thickness: f64, spacing: f64) -> Result<Cloud, FillError> {
    positive("the thickness", thickness)?;
    positive("the spacing", spacing)?;
    let estimate: f64 = (0..mesh.triangles().len()).map(|t| max_points_of(mesh.corners(t), spacing)).sum();
    if estimate > MAX_POINTS {
        return Err(FillError::TooMany { estimate });
    }
    let mut cloud = Cloud::default();
    let mut waiting = Vec::new();
    for triangle in 0..mesh.triangles().len() {
        waiting.push(mesh.corners(triangle));
        while let Some(corners) = waiting.pop() {
            let (length, [a, b, c]) = longest_side_first(corners);
            if length > LONGEST_SIDE * spacing || area(corners) > spacing * spacing {
                let middle = a.midpoint(b);
                waiting.extend([[middle, b, c], [a, middle, c]]);
            } else {
                add_piece(&mut cloud, corners, thickness);
            }
        }
    }
    Ok(cloud)
}

fn area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

/// Length of the longest side [m], and the corners in an order that starts with this side and keeps the orientation.
fn longest_side_first([a, b, c]: [DVec3; 3]) -> (f64, [DVec3; 3]) {
    let (ab, bc, ca) = (a.distance(b), b.distance(c), c.distance(a));
    if ab >= bc && ab >= ca {
        (ab, [a, b, c])
    } else if bc >= ca {
        (bc, [b, c, a])
    } else {
        (ca, [c, a, b])
    }
}

/// Upper bound on the number of material points of a triangle. Two bisections give similar triangles, so lengths
/// decrease with the square root of the number of triangles.
fn max_points_of(corners: [DVec3; 3], spacing: f64) -> f64 {
    let halvings = longest_side_first(corners).0 / (0.5 * LONGEST_SIDE * spacing);
    1.0 + 2.0 * area(corners) / (spacing * spacing) + halvings * halvings
}

fn add_piece(cloud: &mut Cloud, corners: [DVec3; 3], thickness: f64) {
    let [a, b, c] = corners;
    let doubled = (b - a).cross(c - a);
    let middle = (a + b + c) / 3.0;
    let arms = corners.map(|corner| corner - middle);
    // The second moment of a triangle about its centroid, per area, is a twelfth of the sum of `arm arm^T` over its corners.
    let in_plane = outer(arms[0]) + outer(arms[1]) + outer(arms[2]);
    let across = thickness * thickness * outer(doubled.normalize_or_zero());
    let cover = arms.iter().map(|arm| arm.length()).fold(0.0, f64::max);
    cloud.points.push(middle);
    cloud.volumes.push(area(corners) * thickness);
    cloud.spreads.push((in_plane + across) * (1.0 / 12.0));
    cloud.radii.push(cover.max(0.5 * thickness));
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use glam::DMat3;

    fn rectangle(width: f64, height: f64) -> TriangleMesh {
        let corner = |x: f64, y: f64| DVec3::new(x * width, y * height, 0.0);
        let corners = vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
        TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    #[test]
    fn sheet_of_a_rectangle_has_the_moments_of_a_plate() {
        for (width, height) in [(1.0, 1.0), (2.0, 0.1)] {
            let cloud = sheet(&rectangle(width, height), 0.01, 0.03).unwrap();
            let size = DVec3::new(width, height, 0.01);
            assert_relative_eq!(cloud.volume(), size.element_product(), max_relative = 1e-12);
            assert_relative_eq!(cloud.center(), DVec3::new(0.5 * width, 0.5 * height, 0.0), epsilon = 1e-12);
            let exact = DMat3::from_diagonal(size * size / 12.0);
            assert_relative_eq!(cloud.second_moment(), exact, epsilon = 1e-12);
            let wanted = width * height / (0.03 * 0.03);
            let count = cloud.points.len() as f64;
            assert!((wanted..3.0 * wanted).contains(&count), "{count} pieces, {wanted} wanted");
        }
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        let mesh = rectangle(1.0, 1.0);
        for (thickness, spacing) in [(0.0, 0.1), (0.1, f64::NAN), (f64::INFINITY, 0.1), (0.1, -1.0)] {
            assert!(matches!(sheet(&mesh, thickness, spacing), Err(FillError::BadLength { .. })));
        }
        assert!(matches!(sheet(&mesh, 0.1, 1e-9), Err(FillError::TooMany { .. })));
    }
}
