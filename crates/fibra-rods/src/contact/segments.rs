//! The closest points of two segments.

use glam::DVec3;

/// Sine of the angle below which two segments count as parallel [-]: then no point of the stretch where they lie side by side is
/// closer than the others, and the middle of it stands for all.
const PARALLEL: f64 = 1e-3;

/// Shares of the way along `a` and along `b`, each 0 to 1, at which the two segments are closest [-].
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
    let s = if cross <= PARALLEL * PARALLEL * aa * bb {
        // The stretch of a that lies beside b.
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

/// The point so far along a segment.
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
    fn side_by_side_the_middle_stands_for_all() {
        let a = [DVec3::ZERO, DVec3::X];
        let b = [DVec3::new(0.5, 0.1, 0.0), DVec3::new(1.5, 0.1, 0.0)];
        let [s, t] = closest_shares(a, b);
        assert!((s - 0.75).abs() < 1e-12 && (t - 0.25).abs() < 1e-12, "{s} {t}");
        // One behind the other.
        let c = [DVec3::new(3.0, 0.0, 0.0), DVec3::new(2.0, 0.0, 0.0)];
        assert_eq!(closest_shares(a, c), [1.0, 1.0]);
    }

    #[test]
    fn points_are_segments_too() {
        let p = [DVec3::new(0.3, 1.0, 0.0); 2];
        assert_eq!(closest_shares(p, [DVec3::ZERO, DVec3::X]), [0.0, 0.3]);
        assert_eq!(closest_shares([DVec3::ZERO, DVec3::X], p), [0.3, 0.0]);
        assert_eq!(closest_shares(p, p), [0.0, 0.0]);
    }
}
