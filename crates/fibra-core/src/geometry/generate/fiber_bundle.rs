//! A bundle of many short, overlapping fibers around one direction, like cotton wool.

use super::{GenerateError, require, require_not_negative, require_particle_limit, require_positive, segment_count};
use crate::geometry::CurveMesh;
use crate::geometry::curve_builder::CurveBuilder;
use crate::random::CounterRng;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Fibers in a box centered at the origin, with directions around the x-axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiberBundle {
    /// Edge lengths of the box [m].
    pub size: DVec3,
    /// Number of fibers; at least 1.
    pub fibers: u32,
    /// Length of the shortest fibers [m].
    pub min_length: f64,
    /// Length of the longest fibers [m].
    pub max_length: f64,
    /// Largest angle between a fiber and the x-axis [rad], below pi/2.
    pub spread: f64,
    /// Angle by which a fiber bends from one end to the other [rad], at most pi.
    pub bend: f64,
    /// Longest segment [m].
    pub spacing: f64,
    /// Seed of the random choices.
    pub seed: u64,
}

impl FiberBundle {
    /// Builds the fibers, each a circular arc of equal segments, entirely inside the box.
    pub fn build(&self) -> Result<CurveMesh, GenerateError> {
        let [x, y, z] = self.size.to_array();
        require_positive([("size along x", x), ("size along y", y), ("size along z", z)])?;
        let lengths = [("min_length", self.min_length), ("max_length", self.max_length), ("spacing", self.spacing)];
        require_positive(lengths)?;
        require_not_negative([("spread", self.spread), ("bend", self.bend)])?;
        require(self.fibers > 0, "fibers", 0.0, "it must be at least 1")?;
        let ordered = self.min_length <= self.max_length;
        require(ordered, "min_length", self.min_length, "it must not be above max_length")?;
        require(self.spread < 0.25 * TAU, "spread", self.spread, "it must be below half of pi (1.5707)")?;
        require(self.bend <= 0.5 * TAU, "bend", self.bend, "it must be at most pi (3.1415)")?;
        require_particle_limit(f64::from(self.fibers) * (2.0 * segment_count(self.max_length, self.spacing) + 1.0))?;

        let random = CounterRng::new(self.seed);
        let mut bundle = CurveBuilder::default();
        for fiber in 0..u64::from(self.fibers) {
            let arc = self.arc(|k| random.uniform(&[fiber, k]));
            // Random position such that the fiber is entirely inside the box.
            let low = arc.iter().copied().fold(DVec3::INFINITY, DVec3::min);
            let high = arc.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
            let slack = self.size - (high - low);
            let allowed = "fibers with this length, spread and bend must fit into the box";
            require(slack.min_element() >= 0.0, "max_length", self.max_length, allowed)?;
            let place = slack * random.uniform_in_cube([fiber, 0, 1]) - 0.5 * self.size - low;
            bundle.chain(arc.into_iter().map(|p| p + place));
        }
        Ok(bundle.finish()?)
    }

    /// Returns the shape of one fiber [m].
    fn arc(&self, random: impl Fn(u64) -> f64) -> Vec<DVec3> {
        let length = self.min_length + (self.max_length - self.min_length) * random(0);
        let segments = segment_count(length, self.spacing);
        // Uniform over the directions within the spread.
        let cosine = 1.0 - (1.0 - self.spread.cos()) * random(1);
        let turn = DQuat::from_rotation_x(TAU * random(2)) * DQuat::from_rotation_y(cosine.acos());
        let roll = DQuat::from_rotation_x(TAU * random(3));
        let mut at = DVec3::ZERO;
        let mut points = vec![at];
        points.extend((0..segments as u64).map(|i| {
            let (sine, cosine) = (self.bend * ((i as f64 + 0.5) / segments - 0.5)).sin_cos();
            at += length / segments * (turn * (roll * DVec3::new(cosine, sine, 0.0)));
            at
        }));
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    const BUNDLE: FiberBundle = FiberBundle {
        size: DVec3::new(1.0, 0.3, 0.3),
        fibers: 2000,
        min_length: 0.1,
        max_length: 0.2,
        spread: 0.5,
        bend: 0.4,
        spacing: 0.01,
        seed: 7,
    };

    #[test]
    fn fibers_are_inside_the_box_and_around_the_axis() {
        let mesh = BUNDLE.build().unwrap();
        assert_eq!(mesh.points().len() - mesh.segments().len(), 2000);
        assert!(mesh.lengths().all(|length| (0.009..=0.01 + 1e-12).contains(&length)));
        let half = 0.5 * BUNDLE.size + 1e-12;
        assert!(mesh.points().iter().all(|p| p.abs().cmple(half).all()));
        for segment in 0..mesh.segments().len() {
            let [a, b] = mesh.ends(segment);
            assert!((b - a).normalize().x >= (0.5f64 + 0.2).cos() - 1e-12);
        }
        // Fibers overlap along the whole box. The middle third contains more than a third of the points, because fewer fibers reach the
        // ends.
        let middle = mesh.points().iter().filter(|p| p.x.abs() < 1.0 / 6.0).count();
        assert!(middle as f64 > mesh.points().len() as f64 / 3.0);
    }

    #[test]
    fn straight_fibers_are_straight() {
        let mesh = FiberBundle { bend: 0.0, spread: 0.0, fibers: 20, ..BUNDLE }.build().unwrap();
        for segment in 0..mesh.segments().len() {
            let [a, b] = mesh.ends(segment);
            assert_relative_eq!((b - a).normalize(), DVec3::X, epsilon = 1e-9);
        }
    }

    #[test]
    fn size_matches_the_paper() {
        let bundle = FiberBundle { size: DVec3::new(4.0, 1.5, 1.5), fibers: 70_000, ..BUNDLE }.build().unwrap();
        assert_relative_eq!(bundle.segments().len() as f64, 1.04e6, max_relative = 0.15);
        assert_relative_eq!((bundle.segments().len() + bundle.points().len()) as f64, 2.15e6, max_relative = 0.15);
    }

    #[test]
    fn invalid_sizes_are_errors() {
        for bundle in [
            FiberBundle { max_length: 0.05, ..BUNDLE },
            FiberBundle { size: DVec3::splat(0.05), ..BUNDLE },
            FiberBundle { size: DVec3::new(1.0, f64::NAN, 1.0), ..BUNDLE },
            FiberBundle { spread: 2.0, ..BUNDLE },
            FiberBundle { bend: 4.0, ..BUNDLE },
            FiberBundle { fibers: 0, ..BUNDLE },
        ] {
            assert!(matches!(bundle.build().unwrap_err(), GenerateError::Parameter { .. }), "{bundle:?}");
        }
        let endless = FiberBundle { spacing: 1e-9, ..BUNDLE };
        assert!(matches!(endless.build().unwrap_err(), GenerateError::TooMany { .. }));
    }
}
