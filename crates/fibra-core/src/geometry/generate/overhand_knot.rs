//! A rope with an overhand knot: an open trefoil.

use super::even::even_points;
use super::{GenerateError, require_not_negative, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Half the distance between the two strands in the twisted part, relative to the loop's radius [-].
const HALF_GAP: f64 = 1.0 / 3.0;
/// Half the length of the twist, relative to the loop's radius [-]. This length keeps the slope of the strands below 45 degrees; steeper
/// strands would come closer together than parallel ones.
const HALF_TWIST: f64 = 2.5;
/// Number of straight segments for each part of the knot.
const FINE: usize = 2000;

/// A loose overhand knot centered at the origin, with ends along the x-axis.
///
/// Two strands are twisted around each other about the x-axis by three half turns. The strand from the left end leaves the twist at the
/// top, follows a loop above the twist, and returns as the other strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverhandKnot {
    /// Radius of the loop's bends [m]. The distance between strands is at least two thirds of this radius.
    pub loop_radius: f64,
    /// Length of each straight end [m].
    pub tail: f64,
    /// Longest segment [m].
    pub spacing: f64,
}

impl OverhandKnot {
    /// Builds the rope from equal segments, from left to right.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        require_positive([("loop_radius", self.loop_radius), ("spacing", self.spacing)])?;
        require_not_negative([("tail", self.tail)])?;
        let rope = self.traced();
        let length: f64 = rope.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        require_particle_limit(2.0 * segment_count(length, self.spacing) + 1.0)?;
        let mut curve = CurveBuilder::default();
        curve.chain(even_points(&rope, self.spacing));
        Ok(curve.finish()?)
    }

    /// Returns the rope as a fine polyline [m].
    fn traced(&self) -> Vec<DVec3> {
        let (radius, gap, twist) = (self.loop_radius, HALF_GAP * self.loop_radius, HALF_TWIST * self.loop_radius);
        let shares = |from: usize| (from..=FINE).map(|i| i as f64 / FINE as f64);
        // Three half turns with zero twist rate at both ends, so that both strands leave along x.
        let twisted = |share: f64, sign: f64| {
            let (sine, cosine) = (3.0 * PI * share * share * (3.0 - 2.0 * share)).sin_cos();
            DVec3::new(twist * (2.0 * share - 1.0), -sign * gap * cosine, sign * gap * sine)
        };
        // Right bend, straight back, left bend: all with the same sense of rotation.
        let bend = |x: f64, angle: f64| DVec3::new(x + radius * angle.sin(), gap + radius * (1.0 - angle.cos()), 0.0);
        let mut rope = vec![DVec3::new(-twist - self.tail, -gap, 0.0)];
        // Without a tail, the first point of the rope is also the start of the twist: add it only once.
        rope.extend(shares(usize::from(self.tail == 0.0)).map(|share| twisted(share, 1.0)));
        rope.extend(shares(1).map(|share| bend(twist, PI * share)));
        rope.extend(shares(0).map(|share| bend(-twist, PI + (TAU - PI) * share)));
        rope.extend(shares(1).map(|share| twisted(share, -1.0)));
        if self.tail > 0.0 {
            rope.push(DVec3::new(twist + self.tail, -gap, 0.0));
        }
        rope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOT: OverhandKnot = OverhandKnot { loop_radius: 0.03, tail: 0.1, spacing: 0.002 };

    #[test]
    fn rope_is_smooth_and_its_strands_are_separated() {
        let mesh = KNOT.build().unwrap();
        let p = mesh.points();
        assert!(mesh.lengths().all(|length| length <= 0.002 + 1e-12 && length > 0.0018));
        for i in 1..p.len() - 1 {
            assert!((p[i] - p[i - 1]).angle_between(p[i + 1] - p[i]) < 0.15, "at {}", p[i]);
        }
        for i in 0..p.len() {
            // Compare only points that are at least about a third of a bend apart along the rope.
            for j in i + 16..p.len() {
                assert!(p[i].distance(p[j]) > 0.98 * 0.02, "{} {}", p[i], p[j]);
            }
        }
        let (first, last) = (p[0], p[p.len() - 1]);
        assert!(
            first.distance(DVec3::new(-0.175, -0.01, 0.0)) < 1e-12
                && last.distance(DVec3::new(0.175, -0.01, 0.0)) < 1e-12
        );
    }

    /// Projected along z, the rope crosses itself three times in the twist, alternating over and under: a trefoil, not an unknotted loop.
    #[test]
    fn crossings_alternate() {
        let rope = OverhandKnot { spacing: 5e-4, ..KNOT }.build().unwrap().points().to_vec();
        let at = |i: usize| [rope[i], rope[i + 1]];
        let mut crossings: Vec<(usize, f64)> = Vec::new();
        for i in 0..rope.len() - 1 {
            for j in i + 2..rope.len() - 1 {
                let ([a, b], [c, d]) = (at(i), at(j));
                let side = |p: DVec3, q: DVec3, x: DVec3| (q - p).truncate().perp_dot((x - p).truncate());
                if side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0 {
                    crossings.extend([(i, a.z - c.z), (j, c.z - a.z)]);
                }
            }
        }
        crossings.sort_by_key(|(at, _)| *at);
        let over: Vec<bool> = crossings.iter().map(|(_, height)| *height > 0.0).collect();
        assert_eq!(over.len(), 6, "{crossings:?}");
        assert!(over.windows(2).all(|pair| pair[0] != pair[1]), "{over:?}");
    }

    #[test]
    fn invalid_knots_are_errors() {
        for knot in [
            OverhandKnot { loop_radius: 0.0, ..KNOT },
            OverhandKnot { tail: -1.0, ..KNOT },
            OverhandKnot { spacing: f64::INFINITY, ..KNOT },
        ] {
            assert!(matches!(knot.build().unwrap_err(), GenerateError::Parameter { .. }), "{knot:?}");
        }
        assert!(OverhandKnot { tail: 0.0, ..KNOT }.build().is_ok());
    }
}
