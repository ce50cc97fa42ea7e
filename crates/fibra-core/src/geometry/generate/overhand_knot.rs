//! A rope with an overhand knot in it: a trefoil whose ends lead away.

use super::even::even_points;
use super::{GenerateError, pieces, require_few, require_not_negative, require_positive};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Half the distance between the two strands where they are twisted around each other, over the loop's radius [-].
const HALF_GAP: f64 = 1.0 / 3.0;
/// Half the length of the twist, over the loop's radius [-]: long enough that the strands are never steeper than half a right angle,
/// beyond which they would come closer than side by side.
const HALF_TWIST: f64 = 2.5;
/// Straight lines that each part of the knot is drawn with.
const FINE: usize = 2000;

/// A loose overhand knot about the origin whose ends lead away along the x-axis.
///
/// Two strands are twisted around each other about the x-axis by three half turns; the one that comes from the left leaves the twist at
/// the top, goes round a loop above it, and becomes the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverhandKnot {
    /// Radius of the bends of the loop [m]. No two strands are closer than two thirds of it.
    pub loop_radius: f64,
    /// Length of each straight end [m].
    pub tail: f64,
    /// Longest segment [m].
    pub spacing: f64,
}

impl OverhandKnot {
    /// The rope, of equal segments, from left to right.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        require_positive([("loop_radius", self.loop_radius), ("spacing", self.spacing)])?;
        require_not_negative([("tail", self.tail)])?;
        let rope = self.drawn();
        let length: f64 = rope.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        require_few(2.0 * pieces(length, self.spacing) + 1.0)?;
        let mut curve = CurveBuilder::default();
        curve.chain(even_points(&rope, self.spacing));
        Ok(curve.finish()?)
    }

    /// The rope in many short lines [m].
    fn drawn(&self) -> Vec<DVec3> {
        let (radius, gap, twist) = (self.loop_radius, HALF_GAP * self.loop_radius, HALF_TWIST * self.loop_radius);
        let shares = |from: usize| (from..=FINE).map(|i| i as f64 / FINE as f64);
        // Three half turns that begin and end gently, so that both strands leave along x.
        let twisted = |share: f64, sign: f64| {
            let (sine, cosine) = (3.0 * PI * share * share * (3.0 - 2.0 * share)).sin_cos();
            DVec3::new(twist * (2.0 * share - 1.0), -sign * gap * cosine, sign * gap * sine)
        };
        // Right bend, straight back, left bend: all turned the same way.
        let bend = |x: f64, angle: f64| DVec3::new(x + radius * angle.sin(), gap + radius * (1.0 - angle.cos()), 0.0);
        let mut rope = vec![DVec3::new(-twist - self.tail, -gap, 0.0)];
        // Without a tail its end is the start of the twist.
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
    fn the_rope_is_smooth_and_its_strands_keep_apart() {
        let mesh = KNOT.build().unwrap();
        let p = mesh.points();
        assert!(mesh.lengths().all(|length| length <= 0.002 + 1e-12 && length > 0.0018));
        for i in 1..p.len() - 1 {
            assert!((p[i] - p[i - 1]).angle_between(p[i + 1] - p[i]) < 0.15, "at {}", p[i]);
        }
        for i in 0..p.len() {
            // Parts of the rope that are a third of a bend away along it.
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

    /// Seen along z, the rope crosses itself three times in the twist, over and under by turns: a trefoil, not a loop that falls open.
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
    fn impossible_knots_are_refused() {
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
