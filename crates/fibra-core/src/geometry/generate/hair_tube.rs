//! A bundle of parallel hair strands.

use super::{GenerateError, require, require_not_negative, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use crate::random::CounterRng;
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};

/// Parallel strands in a cylinder about the y-axis, centered at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HairTube {
    /// Number of strands; at least 1.
    pub strands: u32,
    /// Radius of the cylinder [m].
    pub radius: f64,
    /// Radius of the hollow core along the axis [m]; 0 for none.
    pub hollow: f64,
    /// Length of the cylinder [m].
    pub length: f64,
    /// Longest segment [m].
    pub spacing: f64,
    /// Radius of the helix that each strand follows [m]; 0 for straight hair.
    pub curl_radius: f64,
    /// Pitch of the helix: length along the axis of one turn [m]. Unused for straight hair.
    pub curl_length: f64,
    /// Seed of the strand positions and curl phases.
    pub seed: u64,
}

impl HairTube {
    /// Builds the strands, each a chain of equal segments.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        require_positive([("radius", self.radius), ("length", self.length), ("spacing", self.spacing)])?;
        require_not_negative([("hollow", self.hollow), ("curl_radius", self.curl_radius)])?;
        require(self.strands > 0, "strands", 0.0, "it must be at least 1")?;
        if self.curl_radius > 0.0 {
            require_positive([("curl_length", self.curl_length)])?;
        }
        let inner = self.hollow + self.curl_radius;
        let outer = self.radius - self.curl_radius;
        require(inner < outer, "hollow", self.hollow, "together with the curls it must be smaller than the radius")?;

        let turns = if self.curl_radius > 0.0 { self.length / self.curl_length } else { 0.0 };
        let arc_length = self.length.hypot(TAU * turns * self.curl_radius);
        // A chord of a helix is never longer than its arc, so segments are no longer than the spacing. Use at least six segments per turn
        // to resolve the helix.
        let segments = segment_count(arc_length, self.spacing).max((6.0 * turns).ceil());
        require_particle_limit(f64::from(self.strands) * (2.0 * segments + 1.0))?;

        let random = CounterRng::new(self.seed);
        let mut hair = CurveBuilder::default();
        for (strand, center) in disc_points(self.strands, inner, outer, &random).enumerate() {
            let phase = random.uniform(&[strand as u64, 2]);
            hair.chain((0..=segments as u64).map(|i| {
                let along = i as f64 / segments;
                let across = center + self.curl_radius * DVec2::from_angle(TAU * (turns * along + phase));
                DVec3::new(across.x, self.length * (along - 0.5), across.y)
            }));
        }
        Ok(hair.finish()?)
    }
}

/// Returns `count` points [m] distributed uniformly, without visible pattern, over the annulus between two radii [m] about the origin.
fn disc_points(count: u32, inner: f64, outer: f64, random: &CounterRng) -> impl Iterator<Item = DVec2> {
    // Rotating by the golden angle between rings of equal area leaves no gaps; jitter hides the spiral.
    const GOLDEN_ANGLE: f64 = TAU * 0.381_966_011_250_105;
    const JITTER: f64 = 0.25;
    let ring = outer * outer - inner * inner;
    let cell = (PI * ring / f64::from(count)).sqrt();
    (0..count).map(move |i| {
        let radius = (inner * inner + ring * (f64::from(i) + 0.5) / f64::from(count)).sqrt();
        let angle = GOLDEN_ANGLE * f64::from(i);
        let jitter = [0, 1].map(|k| JITTER * cell * (2.0 * random.uniform(&[u64::from(i), k]) - 1.0));
        (radius + jitter[0]).clamp(inner, outer) * DVec2::from_angle(angle + jitter[1] / radius)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    const TUBE: HairTube = HairTube {
        strands: 200,
        radius: 0.05,
        hollow: 0.0,
        length: 0.4,
        spacing: 0.01,
        curl_radius: 0.0,
        curl_length: 0.0,
        seed: 3,
    };

    #[test]
    fn straight_strands_fill_the_cylinder() {
        let mesh = TUBE.build().unwrap();
        assert_eq!((mesh.points().len(), mesh.segments().len()), (200 * 41, 200 * 40));
        assert!(mesh.lengths().all(|length| (length - 0.01).abs() < 1e-12));
        assert!(mesh.points().iter().all(|p| p.x.hypot(p.z) <= 0.05 + 1e-12 && p.y.abs() <= 0.2 + 1e-12));
        let roots: Vec<DVec3> = mesh.points().iter().copied().filter(|p| p.y == -0.2).collect();
        assert_eq!(roots.len(), 200);
        // Uniform: half of the strands are in half of the area, and no two coincide.
        let half = roots.iter().filter(|p| p.x.hypot(p.z) < 0.05 * 0.5f64.sqrt()).count();
        assert!((95..=105).contains(&half), "{half}");
        let cell = 0.05 * (PI / 200.0).sqrt();
        for (i, a) in roots.iter().enumerate() {
            for b in &roots[..i] {
                assert!(a.distance(*b) > 0.2 * cell, "{}", a.distance(*b) / cell);
            }
        }
    }

    #[test]
    fn curls_stay_between_the_hollow_and_the_radius() {
        let curly = HairTube { curl_radius: 0.004, curl_length: 0.05, hollow: 0.02, ..TUBE };
        let mesh = curly.build().unwrap();
        for p in mesh.points() {
            assert!((0.02 - 1e-12..=0.05 + 1e-12).contains(&p.x.hypot(p.z)), "{p}");
        }
        let longest = mesh.lengths().fold(0.0, f64::max);
        let shortest = mesh.lengths().fold(1.0, f64::min);
        assert!(longest <= 0.01 && shortest > 0.0075, "{shortest} {longest}");
        // Arc length of a helix; the chords are slightly shorter.
        let total = mesh.lengths().sum::<f64>() / 200.0;
        assert_relative_eq!(total, 0.4 * (1.0 + (TAU * 0.004 / 0.05f64).powi(2)).sqrt(), max_relative = 0.05);
    }

    #[test]
    fn result_depends_only_on_parameters_and_seed() {
        assert_eq!(TUBE.build().unwrap(), TUBE.build().unwrap());
        assert_ne!(TUBE.build().unwrap(), HairTube { seed: 4, ..TUBE }.build().unwrap());
    }

    #[test]
    fn size_matches_the_paper() {
        let tube = HairTube { strands: 2655, length: 0.72, ..TUBE };
        assert_relative_eq!(2.0 * tube.build().unwrap().segments().len() as f64, 0.38e6, max_relative = 0.15);
    }

    #[test]
    fn invalid_sizes_are_errors() {
        let cases = [
            HairTube { strands: 0, ..TUBE },
            HairTube { radius: f64::NAN, ..TUBE },
            HairTube { hollow: 0.05, ..TUBE },
            HairTube { hollow: -0.01, ..TUBE },
            HairTube { curl_radius: 0.03, curl_length: 0.1, ..TUBE },
            HairTube { curl_radius: 0.01, ..TUBE },
        ];
        for tube in cases {
            assert!(matches!(tube.build().unwrap_err(), GenerateError::Parameter { .. }), "{tube:?}");
        }
        for tube in [
            HairTube { spacing: 1e-9, ..TUBE },
            HairTube { strands: u32::MAX, ..TUBE },
            HairTube { curl_radius: 0.01, curl_length: 1e-12, ..TUBE },
        ] {
            assert!(matches!(tube.build().unwrap_err(), GenerateError::TooMany { .. }), "{tube:?}");
        }
    }
}
