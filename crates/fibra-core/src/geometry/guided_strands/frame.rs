//! How the vertices of a guide carry what is near them.

use crate::simd::Vector;
use glam::{Mat3A, Vec3, Vec3A};

/// What takes a point from where it is at rest to where a vertex of a guide carries it [m]: three columns that turn it and
/// one that shifts it, two and two in a vector, each with an unused fourth number. One line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct GuideFrame([[f32; 8]; 2]);

impl GuideFrame {
    /// Turns about the origin and shifts [m] afterwards.
    pub fn new(turn: Mat3A, shift: Vec3A) -> Self {
        let pair = |a: Vec3A, b: Vec3A| [a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0];
        Self([pair(turn.x_axis, turn.y_axis), pair(turn.z_axis, shift)])
    }
}

/// A sum of shares of frames, in the machine's vectors.
pub(super) struct BlendedFrame<V>([V; 2]);

impl<V: Vector> BlendedFrame<V> {
    /// Shares [-] of the frames of a vertex and of the next.
    #[inline(always)]
    pub fn of_segment(frames: &[GuideFrame], vertex: u32, shares: &[f32; 2]) -> Self {
        let vertex = vertex as usize;
        let pair = &frames[vertex..vertex + 2];
        let [from, to] = [V::splat(shares[0]), V::splat(shares[1])];
        let [GuideFrame([a, b]), GuideFrame([c, d])] = [&pair[0], &pair[1]];
        Self([V::load(a).mul(from).add(V::load(c).mul(to)), V::load(b).mul(from).add(V::load(d).mul(to))])
    }

    /// The sum of two.
    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a.add(c), b.add(d)])
    }

    /// Where it takes a point [m].
    #[inline(always)]
    pub fn carry(self, point: &Vec3) -> Vec3 {
        let [turn_xy, turn_z_and_shift] = self.0;
        let turned = turn_xy.mul(V::halves(point.x, point.y));
        let [x, y, z, _] = turned.add(turn_z_and_shift.mul(V::halves(point.z, 1.0))).fold();
        Vec3::new(x, y, z)
    }
}

/// The turn `head` followed by the smallest one that brings `head from` to `to`, both directions of length 1.
///
/// Half a turn about `a` and another about `h = a + b` bring `a` to `b`: `I + 2 b a^T - 2 h h^T / h^2`. Where they are
/// opposite, any `h` across them will do.
pub(super) fn turn_after(head: Mat3A, from: Vec3A, to: Vec3A) -> Mat3A {
    let a = head * from;
    let sum = a + to;
    let h = if sum.length_squared() > OPPOSITE { sum } else { a.any_orthonormal_vector() };
    // a^T head = from^T, since head^T head = I.
    let across = head.transpose() * h * (2.0 / h.length_squared());
    let column = |column: Vec3A, i: usize| column + to * (2.0 * from[i]) - h * across[i];
    Mat3A::from_cols(column(head.x_axis, 0), column(head.y_axis, 1), column(head.z_axis, 2))
}

/// The square of the sum `h` of two directions that count as opposite. Rounding makes an error of about `EPSILON / |h|`, taking
/// them as opposite one of `|h|`: neither is larger than the square root of this.
const OPPOSITE: f32 = f32::EPSILON;

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;

    #[test]
    fn the_smallest_turn_after_the_heads() {
        let head = Quat::from_euler(glam::EulerRot::YXZ, 2.0, -0.7, 0.3);
        let from = Vec3::new(0.48, -0.6, 0.64);
        for to in [Vec3::X, Vec3::NEG_Y, head * from, Vec3::new(0.6, 0.0, -0.8)] {
            let expected = Mat3A::from_quat(Quat::from_rotation_arc(head * from, to) * head);
            let found = turn_after(Mat3A::from_quat(head), from.into(), to.into());
            assert!(found.abs_diff_eq(expected, 1e-6), "{found} {expected}");
        }
    }

    #[test]
    fn directions_that_are_nearly_opposite_give_a_turn_too() {
        let from = Vec3A::new(0.48, -0.6, 0.64);
        for off in [0.0, 1e-7, 1e-5, 1e-4, 3e-4, 1e-3, 1e-2] {
            let to = (-from + off * from.any_orthonormal_vector()).normalize();
            let turn = turn_after(Mat3A::IDENTITY, from, to);
            let error = OPPOSITE.sqrt();
            assert!((turn * from).distance(to) < error, "{off}");
            assert!((turn.transpose() * turn).abs_diff_eq(Mat3A::IDENTITY, 2.0 * error), "{off}");
            assert!((turn.determinant() - 1.0).abs() < 2.0 * error, "{off}");
        }
    }
}
