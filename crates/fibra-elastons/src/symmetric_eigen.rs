//! Eigenvalues and eigenvectors of a symmetric 3x3 matrix, in full precision.

use glam::{DMat3, DVec3};

/// Maximum number of sweeps over the three pairs of axes. Convergence is quadratic: five or six suffice for any matrix.
const MAX_SWEEPS: usize = 16;

/// Eigenvalues in descending order, and unit eigenvectors as the columns of a rotation. Only the symmetric part of the
/// matrix is used.
///
/// Jacobi's method: each rotation zeroes one pair of off-diagonal entries. It is slower than the closed form. It
/// remains accurate where the closed form loses precision: for nearly equal eigenvalues, and for eigenvalues that
/// differ by orders of magnitude, as in thin shapes.
pub fn symmetric_eigen(matrix: &DMat3) -> (DVec3, DMat3) {
    let mut a = 0.5 * (*matrix + matrix.transpose());
    let mut axes = DMat3::IDENTITY;
    for _ in 0..MAX_SWEEPS {
        let off = a.y_axis.x.abs() + a.z_axis.x.abs() + a.z_axis.y.abs();
        if off <= f64::EPSILON * f64::EPSILON * (a.x_axis.x.abs() + a.y_axis.y.abs() + a.z_axis.z.abs()) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if let Some(turn) = jacobi_rotation(&a, p, q) {
                a = turn.transpose() * a * turn;
                // Set the entry to exactly zero, despite rounding.
                a.col_mut(p)[q] = 0.0;
                a.col_mut(q)[p] = 0.0;
                axes *= turn;
            }
        }
    }
    let values = DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z);
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    let [first, second, third] = order.map(|k| axes.col(k));
    let hand = first.cross(second).dot(third).signum();
    (DVec3::from_array(order.map(|k| values[k])), DMat3::from_cols(first, second, hand * third))
}

/// Jacobi rotation in the plane of axes `p` and `q` that zeroes their off-diagonal entry; `None` if the entry is
/// already zero.
fn jacobi_rotation(a: &DMat3, p: usize, q: usize) -> Option<DMat3> {
    let common = a.col(q)[p];
    if common == 0.0 {
        return None;
    }
    // tan(2 phi) = 2 a_pq / (a_qq - a_pp). Uses the smaller of the two angles phi, in the form without cancellation.
    let slope = (a.col(q)[q] - a.col(p)[p]) / (2.0 * common);
    let tangent = slope.signum() / (slope.abs() + slope.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let mut turn = DMat3::IDENTITY;
    turn.col_mut(p)[p] = cosine;
    turn.col_mut(q)[q] = cosine;
    turn.col_mut(q)[p] = sine;
    turn.col_mut(p)[q] = -sine;
    Some(turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use glam::DQuat;

    #[test]
    fn eigenvalues_of_a_rotated_diagonal_are_recovered() {
        for values in [DVec3::new(3.0, 2.0, 1.0), DVec3::new(1.0, 1e-4, 1e-8), DVec3::ONE, DVec3::new(2.0, 2.0, 1.0)] {
            for k in 0..20 {
                let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.3 * k as f64, 1.1, -0.7));
                let matrix = turn * DMat3::from_diagonal(values) * turn.transpose();
                let (found, axes) = symmetric_eigen(&matrix);
                assert_relative_eq!(found, values, epsilon = 1e-15, max_relative = 1e-7);
                assert_relative_eq!(axes * DMat3::from_diagonal(found) * axes.transpose(), matrix, epsilon = 1e-14);
                assert_relative_eq!(axes.transpose() * axes, DMat3::IDENTITY, epsilon = 1e-14);
                assert_relative_eq!(axes.determinant(), 1.0, epsilon = 1e-14);
            }
        }
    }

    #[test]
    fn zero_and_scaled_identity_have_axes() {
        for scale in [0.0, 1.0, 1e-300] {
            let (values, axes) = symmetric_eigen(&(scale * DMat3::IDENTITY));
            assert_eq!((values, axes), (DVec3::splat(scale), DMat3::IDENTITY));
        }
    }
}
