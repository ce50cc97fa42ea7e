//! Frames along a polyline that do not twist, and its curvature in them.

use glam::{DQuat, DVec2, DVec3};

/// A frame for each edge of a polyline: the third axis along the edge, no twist from one to the next. If it is closed, one more
/// than there are edges: the frame that a turn around the loop brings back to the first edge.
pub(crate) fn bishop_frames(points: &[DVec3], closed: bool) -> Vec<DQuat> {
    let n = points.len();
    let edges = if closed { n + 1 } else { n - 1 };
    let tangent = |i: usize| (points[(i + 1) % n] - points[i % n]).normalize_or(DVec3::Z);
    let mut frames = Vec::with_capacity(edges);
    frames.push(DQuat::from_rotation_arc(DVec3::Z, tangent(0)));
    for i in 1..edges {
        let carried = DQuat::from_rotation_arc(tangent(i - 1), tangent(i)) * frames[i - 1];
        // Rounding must not build up into a frame that leaves the edge.
        let back = DQuat::from_rotation_arc(carried * DVec3::Z, tangent(i));
        frames.push((back * carried).normalize());
    }
    frames
}

/// The angle by which frames are best rolled about their tangents so that the curvatures `now` come closest to `natural`:
/// of all ways to lay a bent rod along a curve, the one that stores the least energy. Curvatures come with their weights.
pub(crate) fn best_roll(pairs: impl Iterator<Item = (f64, DVec2, DVec2)>) -> f64 {
    // Rolled by a, the curvature k is seen as k turned by -a; the sum of natural . (k turned by -a) is
    // cos a sum(natural . k) + sin a sum(natural x k).
    let (along, across) = pairs.fold((0.0, 0.0), |(along, across), (weight, now, natural)| {
        (along + weight * natural.dot(now), across + weight * natural.perp_dot(now))
    });
    if along == 0.0 && across == 0.0 { 0.0 } else { f64::atan2(across, along) }
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
    fn the_best_roll_undoes_a_roll() {
        let natural = [DVec2::new(1.0, 0.2), DVec2::new(-0.3, 0.5)];
        // Seen from frames that were rolled by -0.7, curvatures are turned by 0.7.
        let pairs = natural.iter().map(|k| (1.0, DVec2::from_angle(0.7).rotate(*k), *k));
        assert!((best_roll(pairs) - 0.7).abs() < 1e-14);
    }
}
