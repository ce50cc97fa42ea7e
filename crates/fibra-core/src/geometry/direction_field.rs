//! Direction fields, interpolated from samples.

use super::point_tree::PointTree;
use super::principal_axes::principal_axes;
use super::shepard::shepard_weights;
use glam::{DMat3, DVec3};

/// Number of nearest samples to find: eight are interpolated; the weights fall to zero at the distance of the ninth.
const NEAREST: usize = 8 + 1;

/// A field of directions without sign: `u` and `-u` are equivalent.
#[derive(Clone, Debug)]
pub struct DirectionField {
    points: PointTree,
    directions: Vec<DVec3>,
    /// Alignment of grains with the direction [-], if the samples have it.
    alignments: Option<Vec<f64>>,
}

/// Direction at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionSample {
    /// Position [m].
    pub point: DVec3,
    /// Unit vector.
    pub direction: DVec3,
    /// Alignment of grains with the direction, from 0 to 1 [-]. Set for all samples of a field or for none.
    pub alignment: Option<f64>,
}

impl DirectionField {
    /// Creates a field that interpolates between samples. Requires 1 to 2^32 samples.
    ///
    /// # Panics
    /// If there are no samples.
    pub fn new(samples: &[DirectionSample]) -> DirectionField {
        assert!(!samples.is_empty(), "a direction field needs at least one sample");
        let points: Vec<DVec3> = samples.iter().map(|sample| sample.point).collect();
        DirectionField {
            points: PointTree::new(&points),
            directions: samples.iter().map(|sample| sample.direction).collect(),
            alignments: samples.iter().map(|sample| sample.alignment).collect(),
        }
    }

    /// Returns the unit direction at a position [m], with arbitrary sign: the principal axis of `sum w u u^T` over the nearest samples.
    pub fn direction(&self, position: DVec3) -> DVec3 {
        let moment = self.blend(position).into_iter().fold(DMat3::ZERO, |sum, (weight, point)| {
            let u = self.directions[point as usize];
            sum + DMat3::from_cols(u.x * u, u.y * u, u.z * u) * weight
        });
        principal_axes(&moment)[0].1
    }

    /// Returns the alignment of grains with the direction at a position [-], if the samples have it.
    pub fn alignment(&self, position: DVec3) -> Option<f64> {
        let alignments = self.alignments.as_ref()?;
        Some(self.blend(position).into_iter().map(|(weight, point)| weight * alignments[point as usize]).sum())
    }

    /// Returns whether the samples have an alignment.
    pub fn has_alignment(&self) -> bool {
        self.alignments.is_some()
    }

    fn blend(&self, position: DVec3) -> [(f64, u32); NEAREST] {
        let nearest = self.points.nearest::<NEAREST>(position);
        let weights = shepard_weights(nearest.map(|(distance, _)| distance));
        std::array::from_fn(|k| (weights[k], nearest[k].1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::CounterRng;

    fn field(samples: &[(DVec3, DVec3)]) -> DirectionField {
        let sample =
            |&(point, u): &(DVec3, DVec3)| DirectionSample { point, direction: u.normalize(), alignment: None };
        DirectionField::new(&samples.iter().map(sample).collect::<Vec<_>>())
    }

    /// Returns samples of a smooth field at random positions in a unit cube, each with a random sign.
    fn swirl(n: u64) -> Vec<(DVec3, DVec3)> {
        let rng = CounterRng::new(11);
        let sign = |i: u64| if rng.bits(&[i]) & 1 == 0 { 1.0 } else { -2.0 };
        (0..n).map(|i| (rng.uniform_in_cube([i, 2, 3]), i)).map(|(p, i)| (p, sign(i) * exact(p))).collect()
    }

    fn exact(p: DVec3) -> DVec3 {
        DVec3::new(p.y.cos(), p.y.sin(), 0.5 * p.x).normalize()
    }

    fn angle(a: DVec3, b: DVec3) -> f64 {
        a.cross(b).length().atan2(a.dot(b).abs())
    }

    #[test]
    fn samples_are_interpolated_and_a_smooth_field_is_approximated() {
        let samples = swirl(4000);
        let field = field(&samples);
        for (point, direction) in samples.iter().take(50) {
            assert!(angle(field.direction(*point), *direction) < 1e-5);
        }
        let rng = CounterRng::new(12);
        // Samples are 0.06 apart, and the field rotates by 1 rad per unit length.
        let worst = (0..500)
            .map(|i| 0.1 + 0.8 * rng.uniform_in_cube([i, 0, 0]))
            .map(|p| angle(field.direction(p), exact(p)))
            .fold(0.0, f64::max);
        assert!(worst < 0.06, "{worst} rad");
    }

    #[test]
    fn signs_do_not_matter() {
        let samples = swirl(300);
        let flipped: Vec<_> = samples.iter().map(|(p, u)| (*p, -*u)).collect();
        let (one, other) = (field(&samples), field(&flipped));
        for i in 0..100 {
            let p = CounterRng::new(13).uniform_in_cube([i, 0, 0]);
            assert_eq!(one.direction(p), other.direction(p));
        }
        // Opposite directions are equivalent and do not cancel.
        let pair = field(&[(DVec3::ZERO, DVec3::X), (DVec3::X, -DVec3::X)]);
        assert_eq!(pair.direction(DVec3::new(0.5, 0.3, 0.0)), DVec3::X);
    }

    #[test]
    fn directions_are_continuous_between_samples() {
        let field = field(&swirl(300));
        let rng = CounterRng::new(14);
        for i in 0..20 {
            let (from, to) = (rng.uniform_in_cube([i, 0, 0]), rng.uniform_in_cube([i, 1, 0]));
            let at = |k: u32| field.direction(from.lerp(to, f64::from(k) / 20_000.0));
            let jump = (0..20_000).map(|k| angle(at(k), at(k + 1))).fold(0.0, f64::max);
            // Each step is 3e-5 of the cube; the closest sample may be as close as 1e-2.
            assert!(jump < 0.01, "{jump} rad on line {i}");
        }
    }

    #[test]
    fn alignment_column_is_interpolated() {
        let sample = |point, alignment| DirectionSample { point, direction: DVec3::Z, alignment: Some(alignment) };
        let field = DirectionField::new(&[sample(DVec3::ZERO, 0.4), sample(DVec3::X, 0.8)]);
        assert!(field.has_alignment());
        let middle = field.alignment(DVec3::new(0.5, 0.0, 0.0)).unwrap();
        assert!((middle - 0.6).abs() < 1e-12, "{middle}");
        assert_eq!(field.alignment(DVec3::X), Some(0.8));
        assert_eq!(swirl_without().alignment(DVec3::X), None);
    }

    fn swirl_without() -> DirectionField {
        field(&swirl(3))
    }
}
