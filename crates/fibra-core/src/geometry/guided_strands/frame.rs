//! Affine frames that guide vertices apply to nearby points.

use crate::simd::Vector;
use glam::{Mat3A, Vec3, Vec3A};

/// The affine map from the rest position of a point to its position when it moves rigidly with a guide vertex [m]. Three columns hold
/// the rotation, the fourth the translation. Each SIMD vector holds two of these columns, each padded with a fourth number. The size is
/// one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct GuideFrame([[f32; 8]; 2]);

impl GuideFrame {
    /// Creates the map: rotation about the origin, then translation [m].
    pub fn new(turn: Mat3A, shift: Vec3A) -> Self {
        let pair = |a: Vec3A, b: Vec3A| [a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0];
        Self([pair(turn.x_axis, turn.y_axis), pair(turn.z_axis, shift)])
    }
}

/// A weighted sum of frames, in SIMD vectors.
pub(super) struct BlendedFrame<V>([V; 2]);

impl<V: Vector> BlendedFrame<V> {
    /// Returns the weighted sum of the frames of a vertex and of the next one, with weights `shares` [-].
    #[inline(always)]
    pub fn of_segment(frames: &[GuideFrame], vertex: u32, shares: &[f32; 2]) -> Self {
        let vertex = vertex as usize;
        let pair = &frames[vertex..vertex + 2];
        let [from, to] = [V::splat(shares[0]), V::splat(shares[1])];
        let [GuideFrame([a, b]), GuideFrame([c, d])] = [&pair[0], &pair[1]];
        Self([V::load(a).mul(from).add(V::load(c).mul(to)), V::load(b).mul(from).add(V::load(d).mul(to))])
    }

    /// Returns the sum of two blended frames.
    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a.add(c), b.add(d)])
    }

    /// Applies the frame to a point [m].
    #[inline(always)]
    pub fn carry(self, point: &Vec3) -> Vec3 {
        let [turn_xy, turn_z_and_shift] = self.0;
        let turned = turn_xy.mul(V::halves(point.x, point.y));
        let [x, y, z, _] = turned.add(turn_z_and_shift.mul(V::halves(point.z, 1.0))).fold();
        Vec3::new(x, y, z)
    }
}

/// Returns the rotation `head` followed by the smallest rotation that takes `head from` to `to`, both unit vectors.
///
/// A half-turn about `a` followed by one about `h = a + b` takes `a` to `b`: `I + 2 b a^T - 2 h h^T / h^2`. If `a` and `b` are opposite,
/// any `h` perpendicular to both works.
pub(super) fn align_rotation(head: Mat3A, from: Vec3A, to: Vec3A) -> Mat3A {
    let a = head * from;
    let sum = a + to;
    let h = if sum.length_squared() > OPPOSITE { sum } else { a.any_orthonormal_vector() };
    // a^T head = from^T, since head^T head = I.
    let across = head.transpose() * h * (2.0 / h.length_squared());
    let column = |column: Vec3A, i: usize| column + to * (2.0 * from[i]) - h * across[i];
    Mat3A::from_cols(column(head.x_axis, 0), column(head.y_axis, 1), column(head.z_axis, 2))
}

/// Squared length of the sum `h` of two unit vectors below which they count as opposite. Rounding causes an error of about `EPSILON / |h|`;
/// treating the vectors as opposite causes an error of about `|h|`. Neither exceeds the square root of this constant.
const OPPOSITE: f32 = f32::EPSILON;

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;

    #[test]
    fn smallest_rotation_follows_the_head_rotation() {
        let head = Quat::from_euler(glam::EulerRot::YXZ, 2.0, -0.7, 0.3);
        let from = Vec3::new(0.48, -0.6, 0.64);
        for to in [Vec3::X, Vec3::NEG_Y, head * from, Vec3::new(0.6, 0.0, -0.8)] {
            let expected = Mat3A::from_quat(Quat::from_rotation_arc(head * from, to) * head);
            let found = align_rotation(Mat3A::from_quat(head), from.into(), to.into());
            assert!(found.abs_diff_eq(expected, 1e-6), "{found} {expected}");
        }
    }

    #[test]
    fn nearly_opposite_directions_give_a_rotation() {
        let from = Vec3A::new(0.48, -0.6, 0.64);
        for off in [0.0, 1e-7, 1e-5, 1e-4, 3e-4, 1e-3, 1e-2] {
            let to = (-from + off * from.any_orthonormal_vector()).normalize();
            let turn = align_rotation(Mat3A::IDENTITY, from, to);
            let error = OPPOSITE.sqrt();
            assert!((turn * from).distance(to) < error, "{off}");
            assert!((turn.transpose() * turn).abs_diff_eq(Mat3A::IDENTITY, 2.0 * error), "{off}");
            assert!((turn.determinant() - 1.0).abs() < 2.0 * error, "{off}");
        }
    }
}
