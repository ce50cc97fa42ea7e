//! Rotations between two that a file gives.

use glam::DQuat;

/// The shortest turn from one rotation to another, a share of it done; the first one where one of them is no rotation.
pub(crate) fn turned(from: DQuat, to: DQuat, share: f64) -> DQuat {
    let is_rotation = |q: DQuat| q.is_finite() && q.length_squared() > 0.0;
    if is_rotation(from) && is_rotation(to) { from.normalize().slerp(to.normalize(), share) } else { from }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_even_short_and_never_broken() {
        let [start, end] = [0.2, 1.0].map(DQuat::from_rotation_y);
        for end in [end, -end, end * 3.0] {
            let middle = turned(start * 2.0, end, 0.25);
            assert!(middle.dot(DQuat::from_rotation_y(0.4)).abs() > 1.0 - 1e-12, "{middle}");
        }
        for broken in [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)] {
            assert_eq!(turned(start, broken, 0.5), start);
        }
    }
}
