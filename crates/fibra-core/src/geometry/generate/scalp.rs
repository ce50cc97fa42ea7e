//! A head of hair: strands that grow from the upper part of a ball and hang down around it.

use super::even::even_points;
use super::{GenerateError, require, require_not_negative, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// Number of straight segments for the bend of a strand, or for a turn of its curl.
const FINE: f64 = 200.0;
/// Rotation between consecutive strands that distributes roots uniformly [rad].
const GOLDEN_ANGLE: f64 = TAU * 0.381_966_011_250_105;

/// Strands that leave a ball centered at the origin along its normals, bend over and hang down. Strands from the top are outermost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalp {
    /// Number of strands; at least 1.
    pub strands: u32,
    /// Radius of the ball [m].
    pub radius: f64,
    /// Largest polar angle of a root, from the top [rad]; at most 2.
    pub cap: f64,
    /// Length of a strand without curls [m].
    pub length: f64,
    /// Gap between the ball and the innermost hanging strands [m].
    pub lift: f64,
    /// Thickness of the layer of hanging hair [m].
    pub volume: f64,
    /// Radius of the curls [m]; 0 for straight hair.
    pub curl_radius: f64,
    /// Length along the strand of one curl [m]. Unused for straight hair.
    pub curl_length: f64,
    /// Longest segment [m].
    pub spacing: f64,
}

impl Scalp {
    /// Builds the strands, each from root to tip, with equal segments.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        let positive = [("radius", self.radius), ("cap", self.cap), ("length", self.length), ("spacing", self.spacing)];
        require_positive(positive)?;
        require_not_negative([("lift", self.lift), ("volume", self.volume), ("curl_radius", self.curl_radius)])?;
        require(self.strands > 0, "strands", 0.0, "it must be at least 1")?;
        require(self.cap <= 2.0, "cap", self.cap, "it must be at most 2")?;
        if self.curl_radius > 0.0 {
            require_positive([("curl_length", self.curl_length)])?;
            let steep = TAU * self.curl_radius / self.curl_length;
            require(steep <= 10.0, "curl_length", self.curl_length, "it must be above 0.63 times the curl_radius")?;
        }
        let turns = if self.curl_radius > 0.0 { self.length / self.curl_length } else { 0.0 };
        let longest = self.length.hypot(TAU * turns * self.curl_radius);
        require_particle_limit(f64::from(self.strands) * (2.0 * segment_count(longest, self.spacing) + 1.0))?;
        require_particle_limit(f64::from(self.strands) * FINE * (turns + 1.0))?;

        let mut hair = CurveBuilder::default();
        for strand in 0..self.strands {
            // Equal areas of the cap.
            let share = (f64::from(strand) + 0.5) / f64::from(self.strands);
            let polar = (1.0 - share * (1.0 - self.cap.cos())).acos();
            let outward = DQuat::from_rotation_y(GOLDEN_ANGLE * f64::from(strand));
            let traced = self.traced(polar, turns);
            hair.chain(even_points(&traced, self.spacing).into_iter().map(|point| outward * point));
        }
        Ok(hair.finish()?)
    }

    /// Returns the strand with the given polar angle [rad] as a fine polyline; x points outward.
    fn traced(&self, polar: f64, turns: f64) -> Vec<DVec3> {
        let hangs_at = self.radius + self.lift + self.volume * (1.0 - polar / self.cap);
        // The strand leaves the ball along its normal, bends in a circular arc, and hangs vertically at the distance `hangs_at` from the axis.
        let root = self.radius * DVec3::new(polar.sin(), polar.cos(), 0.0);
        let bend = (hangs_at - root.x) / (1.0 + polar.cos());
        let lines = FINE * (1.0 + turns);
        (0..=lines as u64)
            .map(|i| {
                let arc = self.length * i as f64 / lines.floor();
                let angle = (polar + arc / bend).min(PI);
                let straight = arc - bend * (angle - polar);
                let (sine, cosine) = angle.sin_cos();
                let axis = root + bend * DVec3::new(polar.cos() - cosine, sine - polar.sin(), 0.0);
                axis - straight * DVec3::Y + self.curl(arc, DVec3::new(cosine, -sine, 0.0))
            })
            .collect()
    }

    /// Returns the offset of a curl from the strand's axis at an arc length [m], where `across` is normal to the axis. Its radius grows
    /// smoothly from the root.
    fn curl(&self, arc: f64, across: DVec3) -> DVec3 {
        if self.curl_radius == 0.0 {
            return DVec3::ZERO;
        }
        let begun = (arc / self.curl_length).min(1.0);
        let (sine, cosine) = (TAU * arc / self.curl_length).sin_cos();
        self.curl_radius * begun * begun * (3.0 - 2.0 * begun) * (cosine * across + sine * DVec3::Z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALP: Scalp = Scalp {
        strands: 84,
        radius: 0.1,
        cap: 1.4,
        length: 0.25,
        lift: 0.01,
        volume: 0.03,
        curl_radius: 0.0,
        curl_length: 0.0,
        spacing: 0.0025,
    };

    fn strands(scalp: &Scalp) -> Vec<Vec<DVec3>> {
        let mesh = scalp.build().unwrap();
        let mut strands: Vec<Vec<DVec3>> = vec![vec![mesh.points()[0]]];
        for (segment, &[a, b]) in mesh.segments().iter().enumerate() {
            if segment > 0 && mesh.segments()[segment - 1][1] != a {
                strands.push(vec![mesh.points()[a as usize]]);
            }
            strands.last_mut().unwrap().push(mesh.points()[b as usize]);
        }
        strands
    }

    #[test]
    fn strands_leave_along_normals_stay_outside_and_hang_down() {
        let all = strands(&SCALP);
        assert_eq!(all.len(), 84);
        for strand in &all {
            let root = strand[0];
            assert!((root.length() - 0.1).abs() < 1e-12 && root.y >= 0.1 * 1.4f64.cos() - 1e-12);
            assert!((strand[1] - root).angle_between(root) < 0.2);
            assert!(strand[1..].iter().all(|p| p.length() > 0.1));
            let [before, tip] = [strand[strand.len() - 2], strand[strand.len() - 1]];
            assert!((tip - before).angle_between(-DVec3::Y) < 0.02);
            let length: f64 = strand.windows(2).map(|p| p[0].distance(p[1])).sum();
            assert!((length - 0.25).abs() < 1e-3, "{length}");
        }
    }

    #[test]
    fn strands_are_separated() {
        let all = strands(&SCALP);
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                let nearest = a.iter().flat_map(|p| b.iter().map(|q| p.distance(*q))).fold(1.0, f64::min);
                assert!(nearest > 0.004, "{nearest}");
            }
        }
    }

    #[test]
    fn curls_go_around_the_strand() {
        let curly = Scalp { curl_radius: 0.003, curl_length: 0.04, ..SCALP };
        for (straight, curled) in strands(&SCALP).iter().zip(strands(&curly)) {
            assert_eq!(straight[0], curled[0]);
            let away = |p: &DVec3| straight.windows(2).map(|s| off(*p, s)).fold(1.0, f64::min);
            let furthest = curled.iter().map(away).fold(0.0, f64::max);
            assert!((furthest - 0.003).abs() < 1e-4, "{furthest}");
        }
    }

    /// Returns the distance of a point from a segment [m].
    fn off(p: DVec3, segment: &[DVec3]) -> f64 {
        let along = segment[1] - segment[0];
        let share = ((p - segment[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        p.distance(segment[0] + share * along)
    }

    #[test]
    fn invalid_scalps_are_errors() {
        let cases = [
            Scalp { strands: 0, ..SCALP },
            Scalp { radius: -0.1, ..SCALP },
            Scalp { cap: 2.5, ..SCALP },
            Scalp { curl_radius: 0.01, ..SCALP },
            Scalp { curl_radius: 0.01, curl_length: 0.001, ..SCALP },
            Scalp { lift: f64::NAN, ..SCALP },
        ];
        for scalp in cases {
            assert!(matches!(scalp.build().unwrap_err(), GenerateError::Parameter { .. }), "{scalp:?}");
        }
        let many = Scalp { spacing: 1e-12, ..SCALP };
        assert!(matches!(many.build().unwrap_err(), GenerateError::TooMany { .. }));
    }
}
