//! Interpolation of rotations from a file.

use glam::DQuat;

/// Interpolates between two rotations along the shortest arc; returns the first rotation if either is invalid.
pub(crate) fn slerp(from: DQuat, to: DQuat, fraction: f64) -> DQuat {
    let is_rotation = |q: DQuat| q.is_finite() && q.length_squared() > 0.0;
    if is_rotation(from) && is_rotation(to) { from.normalize().slerp(to.normalize(), fraction) } else { from }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_take_the_shortest_arc_and_survive_invalid_input() {
        let [start, end] = [0.2, 1.0].map(DQuat::from_rotation_y);
        for end in [end, -end, end * 3.0] {
            let middle = slerp(start * 2.0, end, 0.25);
            assert!(middle.dot(DQuat::from_rotation_y(0.4)).abs() > 1.0 - 1e-12, "{middle}");
        }
        for broken in [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)] {
            assert_eq!(slerp(start, broken, 0.5), start);
        }
    }
}
