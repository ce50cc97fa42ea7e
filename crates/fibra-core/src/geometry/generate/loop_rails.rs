//! Two parallel rails with vertical loops, as a track for a ball or a carriage.

use super::even::even_points;
use super::{GenerateError, require, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;
use std::f64::consts::TAU;

/// Number of straight segments that approximate a loop.
const FINE: usize = 4000;

/// A track along the x-axis: a horizontal part, a number of loops one after the other, and another horizontal part. The first loop starts
/// at the origin. Each loop shifts the track sideways, toward +z, so that the track does not intersect itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopRails {
    /// Number of loops; 0 gives a straight track.
    pub loops: u32,
    /// Radius of the loops [m].
    pub loop_radius: f64,
    /// Sideways shift of the track by one loop [m]; more than the gauge.
    pub pitch: f64,
    /// Distance between the centerlines of the rails [m].
    pub gauge: f64,
    /// Length of horizontal track before the first loop [m].
    pub run_in: f64,
    /// Length of horizontal track after the last loop [m].
    pub run_out: f64,
    /// Longest segment [m].
    pub spacing: f64,
}

impl LoopRails {
    /// Builds the left rail and the right one, seen along the track, each from equal segments.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        require_positive([("loop_radius", self.loop_radius), ("gauge", self.gauge), ("spacing", self.spacing)])?;
        require_positive([("pitch", self.pitch), ("run_in", self.run_in), ("run_out", self.run_out)])?;
        require(self.pitch > self.gauge, "pitch", self.pitch, "it must be above the gauge, or rails would cross")?;
        // The gauge is constant only if the track's sideways slope is not large.
        let flat = 1.5 * self.pitch <= TAU * self.loop_radius;
        require(flat, "pitch", self.pitch, "it must be at most four times the loop_radius")?;
        let loops = f64::from(self.loops);
        let length = self.run_in + self.run_out + loops * (TAU * self.loop_radius).hypot(self.pitch);
        require_particle_limit(2.0 * (2.0 * segment_count(length, self.spacing) + 1.0))?;
        require_particle_limit(loops * FINE as f64)?;

        let track = self.track();
        let mut rails = CurveBuilder::default();
        for side in [-0.5, 0.5] {
            let rail: Vec<DVec3> = track.iter().map(|(point, across)| *point + side * self.gauge * *across).collect();
            rails.chain(even_points(&rail, self.spacing));
        }
        Ok(rails.finish()?)
    }

    /// Returns points of the track's centerline [m], each with the direction across the track, to the right.
    fn track(&self) -> Vec<(DVec3, DVec3)> {
        let mut track = vec![(-self.run_in * DVec3::X, DVec3::Z)];
        // The start of the first loop, if there is one.
        track.push((DVec3::ZERO, DVec3::Z));
        for turn in 0..self.loops {
            track.extend((1..=FINE).map(|i| self.on_loop(f64::from(turn), i as f64 / FINE as f64)));
        }
        let (end, across) = track[track.len() - 1];
        track.push((end + self.run_out * DVec3::X, across));
        track
    }

    /// Returns the point at the fraction `share` of a loop, and the direction across the track there.
    fn on_loop(&self, turn: f64, share: f64) -> (DVec3, DVec3) {
        let radius = self.loop_radius;
        let (sine, cosine) = (TAU * share).sin_cos();
        // The sideways shift has zero slope at both ends, so that the track is smooth.
        let sideways = self.pitch * (turn + share * share * (3.0 - 2.0 * share));
        let slope = 6.0 * self.pitch * share * (1.0 - share);
        let along = DVec3::new(TAU * radius * cosine, TAU * radius * sine, slope).normalize();
        let across = (DVec3::Z - along.z * along).normalize();
        (DVec3::new(radius * sine, radius * (1.0 - cosine), sideways), across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAILS: LoopRails =
        LoopRails { loops: 2, loop_radius: 0.5, pitch: 0.3, gauge: 0.1, run_in: 2.0, run_out: 1.0, spacing: 0.01 };

    fn rails(shape: &LoopRails) -> [Vec<DVec3>; 2] {
        let mesh = shape.build().unwrap();
        let first = mesh.segments().windows(2).position(|pair| pair[0][1] != pair[1][0]).unwrap() + 2;
        [mesh.points()[..first].to_vec(), mesh.points()[first..].to_vec()]
    }

    #[test]
    fn rails_have_correct_ends_and_are_smooth() {
        for (rail, z) in rails(&RAILS).iter().zip([-0.05, 0.05]) {
            assert!(rail[0].distance(DVec3::new(-2.0, 0.0, z)) < 1e-12);
            assert!(rail[rail.len() - 1].distance(DVec3::new(1.0, 0.0, 0.6 + z)) < 1e-12);
            assert!(rail.windows(2).all(|p| p[0].distance(p[1]) <= 0.01 + 1e-12));
            // The curvature is nowhere larger than in the loop.
            let turns = rail.windows(3).map(|p| (p[1] - p[0]).angle_between(p[2] - p[1]));
            assert!(turns.fold(0.0, f64::max) < 1.05 * 0.01 / 0.5);
            assert!((rail.iter().map(|p| p.y).fold(0.0, f64::max) - 1.0).abs() < 1e-3);
        }
    }

    #[test]
    fn gauge_is_constant_and_track_does_not_intersect_itself() {
        let [left, right] = rails(&RAILS);
        for point in &left {
            let nearest = right.iter().map(|other| point.distance(*other)).fold(1.0, f64::min);
            assert!((nearest - 0.1).abs() < 0.003, "{nearest}");
        }
        // Seen from the side, the loops and the horizontal track overlap; they are one pitch apart.
        for (i, a) in right.iter().enumerate() {
            for b in &right[(i + 100).min(right.len())..] {
                assert!(a.distance(*b) > 0.95 * 0.3, "{a} {b}");
            }
        }
    }

    #[test]
    fn track_without_loops_is_straight() {
        let [left, _] = rails(&LoopRails { loops: 0, ..RAILS });
        assert!(left.len() > 300 && left.iter().all(|p| p.y == 0.0 && (p.z + 0.05).abs() < 1e-15));
    }

    #[test]
    fn invalid_rails_are_errors() {
        let cases = [
            LoopRails { loop_radius: 0.0, ..RAILS },
            LoopRails { gauge: f64::NAN, ..RAILS },
            LoopRails { pitch: 0.1, ..RAILS },
            LoopRails { pitch: 2.5, ..RAILS },
            LoopRails { run_in: 0.0, ..RAILS },
            LoopRails { run_out: -1.0, ..RAILS },
        ];
        for shape in cases {
            assert!(matches!(shape.build().unwrap_err(), GenerateError::Parameter { .. }), "{shape:?}");
        }
        for shape in [LoopRails { spacing: 1e-12, ..RAILS }, LoopRails { loops: u32::MAX, ..RAILS }] {
            assert!(matches!(shape.build().unwrap_err(), GenerateError::TooMany { .. }), "{shape:?}");
        }
    }
}
