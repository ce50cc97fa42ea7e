//! Bishop (twist-free) frames along a polyline.

use glam::{DQuat, DVec2, DVec3};

/// Returns a Bishop frame for each edge of a polyline. The third axis is the tangent. All frames follow from the first
/// one by parallel transport. A closed polyline gets one additional frame: the frame of the first edge after parallel
/// transport around the loop.
pub(crate) fn bishop_frames(points: &[DVec3], closed: bool) -> Vec<DQuat> {
    let n = points.len();
    let edges = if closed { n + 1 } else { n - 1 };
    let tangent = |i: usize| (points[(i + 1) % n] - points[i % n]).normalize_or(DVec3::Z);
    let mut frames = Vec::with_capacity(edges);
    frames.push(DQuat::from_rotation_arc(DVec3::Z, tangent(0)));
    for i in 1..edges {
        let transported = DQuat::from_rotation_arc(tangent(i - 1), tangent(i)) * frames[i - 1];
        // Re-align the frame with the edge, so that rounding errors do not accumulate.
        let back = DQuat::from_rotation_arc(transported * DVec3::Z, tangent(i));
        frames.push((back * transported).normalize());
    }
    frames
}

/// Returns the angle by which to rotate the frames about their tangents so that the curvatures `now` come closest to
/// `natural`. Among all ways to place a naturally curved rod along a curve, this rotation stores the least energy. The
/// pairs are `(weight, now, natural)`.
pub(crate) fn best_roll(pairs: impl Iterator<Item = (f64, DVec2, DVec2)>) -> f64 {
    // In frames rolled by a, the curvature k is rotated by -a. The sum of natural . (k rotated by -a) is
    // cos a sum(natural . k) + sin a sum(natural x k).
    let (along, across) = pairs.fold((0.0, 0.0), |(along, across), (weight, now, natural)| {
        (along + weight * natural.dot(now), across + weight * natural.perp_dot(now))
    });
    if along == 0.0 && across == 0.0 { 0.0 } else { f64::atan2(across, along) }
}

/// Returns the angle by which to rotate a frame about its third axis so that its first axis points along a direction; 0 if the direction is zero.
pub(crate) fn turn_to_axis(direction: DVec3, frame: DQuat) -> f64 {
    let local = (frame.conjugate() * direction).truncate();
    if direction == DVec3::ZERO { 0.0 } else { local.y.atan2(local.x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_follow_edges_without_twist() {
        let points: Vec<DVec3> =
            (0..20).map(|i| 0.4 * f64::from(i)).map(|t| DVec3::new(t.cos(), t.sin(), 0.3 * t)).collect();
        let frames = bishop_frames(&points, false);
        for (i, frame) in frames.iter().enumerate() {
            let tangent = (points[i + 1] - points[i]).normalize();
            assert!((*frame * DVec3::Z).distance(tangent) < 1e-14);
        }
        for pair in frames.windows(2) {
            assert!((pair[0].conjugate() * pair[1]).z.abs() < 1e-14);
        }
    }

    #[test]
    fn best_roll_recovers_a_known_roll() {
        let natural = [DVec2::new(1.0, 0.2), DVec2::new(-0.3, 0.5)];
        // In frames rolled by -0.7, curvatures are rotated by 0.7.
        let pairs = natural.iter().map(|k| (1.0, DVec2::from_angle(0.7).rotate(*k), *k));
        assert!((best_roll(pairs) - 0.7).abs() < 1e-14);
    }
}
