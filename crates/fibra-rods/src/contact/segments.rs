//! Closest points of two segments.

use glam::DVec3;

/// Sine of the angle below which two segments count as parallel [-]. All points of the stretch in which parallel
/// segments overlap are equally close, so the midpoint of this stretch is used.
const PARALLEL_SINE: f64 = 1e-3;

/// Number of bisection steps.
const BISECTION_STEPS: usize = 20;

/// Returns the closest points of two segments as fractions along `a` and along `b`, each 0 to 1 [-].
pub fn closest_shares(a: [DVec3; 2], b: [DVec3; 2]) -> [f64; 2] {
    let (along_a, along_b, between) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (aa, bb, ab) = (along_a.length_squared(), along_b.length_squared(), along_a.dot(along_b));
    let (a_between, b_between) = (along_a.dot(between), along_b.dot(between));
    if aa == 0.0 && bb == 0.0 {
        return [0.0; 2];
    }
    if aa == 0.0 {
        return [0.0, (b_between / bb).clamp(0.0, 1.0)];
    }
    if bb == 0.0 {
        return [(-a_between / aa).clamp(0.0, 1.0), 0.0];
    }
    let cross = aa * bb - ab * ab;
    let s = if cross <= PARALLEL_SINE * PARALLEL_SINE * aa * bb {
        // The part of a that lies beside b.
        let [from, to] = [b[0], b[1]].map(|end| (end - a[0]).dot(along_a) / aa);
        let (from, to) = (from.min(to).clamp(0.0, 1.0), from.max(to).clamp(0.0, 1.0));
        0.5 * (from + to)
    } else {
        ((ab * b_between - bb * a_between) / cross).clamp(0.0, 1.0)
    };
    let t = (ab * s + b_between) / bb;
    if (0.0..=1.0).contains(&t) {
        return [s, t];
    }
    let t = t.clamp(0.0, 1.0);
    [((ab * t - a_between) / aa).clamp(0.0, 1.0), t]
}

/// Returns a pair of nearly closest points that changes little between steps. The distance between the two points exceeds the minimum by at most
/// `tolerance` [m]. Among all such pairs, the function returns the pair nearest to `known`, a fraction along `a`.
///
/// For nearly parallel segments, a tiny motion makes the closest points jump from one end to the other, and the contact
/// force jumps with them. The point returned by this function does not jump.
pub fn steady_shares(a: [DVec3; 2], b: [DVec3; 2], known: f64, tolerance: f64) -> [f64; 2] {
    let beside = |s: f64| [s, closest_shares([point_on(a, s); 2], b)[1]];
    let distance = |[s, t]: [f64; 2]| point_on(a, s).distance(point_on(b, t));
    let closest = closest_shares(a, b);
    let most = distance(closest) + tolerance;
    // Along one segment, the distance to the other segment has a single minimum.
    let (mut inside, mut outside) = (closest[0], known);
    if distance(beside(known)) <= most {
        return beside(known);
    }
    for _ in 0..BISECTION_STEPS {
        let middle = 0.5 * (inside + outside);
        if distance(beside(middle)) <= most { inside = middle } else { outside = middle }
    }
    if inside == closest[0] { closest } else { beside(inside) }
}

/// Returns the point at the fraction `share` along a segment.
pub fn point_on([from, to]: [DVec3; 2], share: f64) -> DVec3 {
    from + share * (to - from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0f64, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn no_sampled_points_are_closer(a in [vector(), vector()], b in [vector(), vector()]) {
            let [s, t] = closest_shares(a, b);
            let found = point_on(a, s).distance(point_on(b, t));
            for i in 0..=20 {
                for j in 0..=20 {
                    let other = point_on(a, f64::from(i) / 20.0).distance(point_on(b, f64::from(j) / 20.0));
                    prop_assert!(found <= other + 1e-3, "{found} {other}");
                }
            }
        }
    }

    #[test]
    fn parallel_segments_touch_at_the_middle_of_their_overlap() {
        let a = [DVec3::ZERO, DVec3::X];
        let b = [DVec3::new(0.5, 0.1, 0.0), DVec3::new(1.5, 0.1, 0.0)];
        let [s, t] = closest_shares(a, b);
        assert!((s - 0.75).abs() < 1e-12 && (t - 0.25).abs() < 1e-12, "{s} {t}");
        // The segments are collinear, one behind the other.
        let c = [DVec3::new(3.0, 0.0, 0.0), DVec3::new(2.0, 0.0, 0.0)];
        assert_eq!(closest_shares(a, c), [1.0, 1.0]);
    }

    /// A nearly parallel pair that tilts slightly to one side and to the other: the contact point stays.
    #[test]
    fn steady_points_do_not_jump() {
        let a = [DVec3::ZERO, DVec3::X];
        let tilted = |tilt: f64| [DVec3::new(0.0, 0.1 - tilt, 0.0), DVec3::new(1.0, 0.1 + tilt, 0.0)];
        assert_eq!(closest_shares(a, tilted(2e-3))[0], 0.0);
        assert_eq!(closest_shares(a, tilted(-2e-3))[0], 1.0);
        for tilt in [2e-3, -2e-3] {
            let [s, t] = steady_shares(a, tilted(tilt), 0.4, 5e-3);
            assert!(s == 0.4 && (t - 0.4).abs() < 1e-3, "{s} {t}");
        }
        // Strongly tilted: the point moves until the tolerance is met. The distance is nearly 0.1 - 0.02 + 0.04 s.
        let [s, _] = steady_shares(a, tilted(2e-2), 0.4, 5e-3);
        assert!((s - 0.125).abs() < 5e-3, "{s}");
    }

    #[test]
    fn degenerate_segments_are_points() {
        let p = [DVec3::new(0.3, 1.0, 0.0); 2];
        assert_eq!(closest_shares(p, [DVec3::ZERO, DVec3::X]), [0.0, 0.3]);
        assert_eq!(closest_shares([DVec3::ZERO, DVec3::X], p), [0.3, 0.0]);
        assert_eq!(closest_shares(p, p), [0.0, 0.0]);
    }
}
