//! A helix.

use super::{GenerateError, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;
use std::f64::consts::TAU;

/// A helix along y, centered at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Helix {
    /// Distance from the axis [m].
    pub radius: f64,
    /// Rise of one turn [m].
    pub pitch: f64,
    /// Number of turns [-].
    pub turns: f64,
    /// Whether the helix is left-handed.
    pub left_handed: bool,
    /// Longest segment [m].
    pub spacing: f64,
}

impl Helix {
    /// Builds one strand, going up.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        require_positive([
            ("radius", self.radius),
            ("pitch", self.pitch),
            ("turns", self.turns),
            ("spacing", self.spacing),
        ])?;
        let length = self.turns * (TAU * self.radius).hypot(self.pitch);
        let segments = segment_count(length, self.spacing);
        require_particle_limit(2.0 * segments + 1.0)?;
        let hand = if self.left_handed { -1.0 } else { 1.0 };
        let mut helix = CurveBuilder::default();
        helix.chain((0..=segments as u64).map(|i| {
            let turn = self.turns * (i as f64 / segments - 0.5);
            let (sin, cos) = (TAU * turn).sin_cos();
            DVec3::new(self.radius * cos, self.pitch * turn, -hand * self.radius * sin)
        }));
        Ok(helix.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn helix_has_correct_length_and_handedness() {
        let helix = Helix { radius: 0.3, pitch: 0.1, turns: 2.5, left_handed: false, spacing: 0.01 };
        let curve = helix.build().unwrap();
        assert_relative_eq!(curve.lengths().sum::<f64>(), 2.5 * (TAU * 0.3).hypot(0.1), max_relative = 1e-3);
        assert_relative_eq!(curve.bounds().extent().y, 0.25, max_relative = 1e-12);
        // Torsion is positive for right-handed screws. It has the sign of the triple product of three consecutive segments.
        let torsion = |curve: &CurveMesh| {
            let step = |i: usize| curve.points()[i + 1] - curve.points()[i];
            step(0).cross(step(1)).dot(step(2))
        };
        assert!(torsion(&curve) > 0.0);
        assert!(torsion(&Helix { left_handed: true, ..helix }.build().unwrap()) < 0.0);
    }

    #[test]
    fn invalid_sizes_are_errors() {
        let helix = Helix { radius: 0.3, pitch: 0.1, turns: 2.5, left_handed: false, spacing: 0.01 };
        for bad in [Helix { turns: 0.0, ..helix }, Helix { pitch: -1.0, ..helix }, Helix { radius: f64::NAN, ..helix }]
        {
            assert!(matches!(bad.build(), Err(GenerateError::Parameter { .. })));
        }
        assert!(matches!(Helix { spacing: 1e-12, ..helix }.build(), Err(GenerateError::TooMany { .. })));
    }
}
