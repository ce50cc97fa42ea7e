//! Principal axes of symmetric tensors and point clouds.

use crate::decompose::{Eigen, eigen};
use crate::mat3::Sym3;
use glam::{DMat3, DVec3};

/// Returns the eigenvalues and unit eigenvectors of a symmetric matrix, largest eigenvalue first. The sign of each eigenvector is chosen so
/// that its largest component is positive.
pub fn principal_axes(symmetric: &DMat3) -> [(f64, DVec3); 3] {
    let size = symmetric.to_cols_array().into_iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    let (m, scale) = if size > 0.0 { (*symmetric * (1.0 / size), size) } else { (*symmetric, 1.0) };
    let m = m.as_mat3();
    let entries =
        Sym3 { xx: m.x_axis.x, yy: m.y_axis.y, zz: m.z_axis.z, yz: m.z_axis.y, xz: m.z_axis.x, xy: m.y_axis.x };
    let Eigen { v, d } = eigen(&entries);
    let axis = |value: f32, column: [f32; 3]| {
        let axis = DVec3::from_array(column.map(f64::from)).normalize_or(DVec3::X);
        let largest = if axis.abs().max_element() == axis.max_element() { axis } else { -axis };
        (scale * f64::from(value), largest)
    };
    let mut axes = [axis(d.x, [v.xx, v.yx, v.zx]), axis(d.y, [v.xy, v.yy, v.zy]), axis(d.z, [v.xz, v.yz, v.zz])];
    axes.sort_by(|a, b| b.0.total_cmp(&a.0));
    axes
}

/// Returns the principal axes of points of equal mass: variances [m^2] and unit directions, largest variance first.
pub fn principal_axes_of_points(points: &[DVec3]) -> [(f64, DVec3); 3] {
    let share = 1.0 / points.len().max(1) as f64;
    let center = share * points.iter().copied().sum::<DVec3>();
    let outer = |v: DVec3| DMat3::from_cols(v.x * v, v.y * v, v.z * v);
    let variance = points.iter().fold(DMat3::ZERO, |sum, &point| sum + outer(point - center));
    principal_axes(&(variance * share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn axes_of_a_rotated_box_are_its_edges() {
        let size = DVec3::new(0.6, 0.3, 0.1);
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -1.1, 2.0);
        let cell = |i: usize| [i % 12, i / 12 % 12, i / 144].map(|k| (k as f64 + 0.5) / 12.0 - 0.5);
        let points: Vec<DVec3> =
            (0..1728).map(|i| DVec3::splat(7.0) + turn * (size * DVec3::from_array(cell(i)))).collect();
        let axes = principal_axes_of_points(&points);
        for (k, (variance, axis)) in axes.into_iter().enumerate() {
            // n cells of width l / n: l^2 / 12 (1 - 1 / n^2).
            let exact = size[k] * size[k] / 12.0 * (1.0 - 1.0 / 144.0);
            assert!((variance / exact - 1.0).abs() < 1e-4, "{variance} is not {exact}");
            let edge = turn * DVec3::from_array(std::array::from_fn(|j| f64::from(u8::from(j == k))));
            assert!(axis.cross(edge).length() < 1e-4, "axis {k}: {axis} is not {edge}");
            assert!(axis.max_element() >= axis.abs().max_element());
        }
    }

    #[test]
    fn empty_and_single_point_sets_have_unit_axes() {
        for points in [vec![], vec![DVec3::splat(3.0)]] {
            assert!(principal_axes_of_points(&points).iter().all(|(_, axis)| (axis.length() - 1.0).abs() < 1e-12));
        }
        let tiny = DMat3::from_diagonal(DVec3::new(1e-300, 3e-300, 2e-300));
        let found = principal_axes(&tiny).map(|(_, axis)| axis);
        assert_eq!(found, [DVec3::Y, DVec3::Z, DVec3::X]);
    }
}
