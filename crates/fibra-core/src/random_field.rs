//! Smooth Gaussian random fields.

use crate::random::CounterRng;
use glam::DVec3;
use std::f64::consts::TAU;

/// A field of pairs of independent standard normal numbers (mean 0, variance 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussianField {
    rng: CounterRng,
    /// Spacing of the interpolation nodes [m].
    length: f64,
}

impl GaussianField {
    /// Creates the field of a random number generator. Along an axis, the correlation falls to about 0.4 at the distance `length` [m] and
    /// to 0 at three times that.
    pub fn new(rng: CounterRng, length: f64) -> GaussianField {
        GaussianField { rng, length }
    }

    /// Evaluates the field at a position [m]: `sum w_n g_n / sqrt(sum w_n^2)` over the nodes of a quadratic B-spline, which keeps the
    /// variance at 1.
    pub fn at(&self, position: DVec3) -> [f64; 2] {
        let [x, y, z] = (position / self.length).to_array().map(stencil);
        let (mut sum, mut squares) = ([0.0; 2], 0.0);
        for (i, wx) in x {
            for (j, wy) in y {
                for (k, wz) in z {
                    let weight = wx * wy * wz;
                    let [a, b] = normal_pair(&self.rng, &[i, j, k]);
                    sum = [sum[0] + weight * a, sum[1] + weight * b];
                    squares += weight * weight;
                }
            }
        }
        sum.map(|g| g / squares.sqrt())
    }
}

/// Returns a pair of independent standard normal numbers for an index, by the Box-Muller transform.
pub fn normal_pair(rng: &CounterRng, index: &[u64]) -> [f64; 2] {
    let own = CounterRng::new(rng.bits(index));
    // In (0, 1], so that the logarithm is finite.
    let (radius, angle) = ((-2.0 * (1.0 - own.uniform(&[0])).ln()).sqrt(), TAU * own.uniform(&[1]));
    [radius * angle.cos(), radius * angle.sin()]
}

/// Returns the three nodes around a coordinate [cells], with their weights.
fn stencil(x: f64) -> [(u64, f64); 3] {
    let middle = x.round();
    let d = x - middle;
    // Positions too far away to be resolved share a node.
    let node = |step: i64| (middle as i64).wrapping_add(step) as u64;
    [(node(-1), 0.5 * (0.5 - d) * (0.5 - d)), (node(0), 0.75 - d * d), (node(1), 0.5 * (0.5 + d) * (0.5 + d))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_a_normal_distribution_anywhere() {
        let n = 40_000;
        let rng = CounterRng::new(3);
        // The same position in fields of different seeds gives independent samples.
        let samples: Vec<[f64; 2]> = (0..n)
            .map(|seed| GaussianField::new(CounterRng::new(rng.bits(&[seed])), 0.1).at(DVec3::new(0.234, -5.1, 0.02)))
            .collect();
        let mean = |f: &dyn Fn(&[f64; 2]) -> f64| samples.iter().map(f).sum::<f64>() / n as f64;
        // Five standard errors of 1 / sqrt(n), sqrt(2 / n), sqrt(96 / n).
        assert!(mean(&|g| g[0]).abs() < 0.025 && mean(&|g| g[1]).abs() < 0.025);
        assert!((mean(&|g| g[0] * g[0]) - 1.0).abs() < 0.036);
        assert!((mean(&|g| g[1].powi(4)) - 3.0).abs() < 0.25);
        assert!(mean(&|g| g[0] * g[1]).abs() < 0.025);
    }

    #[test]
    fn correlation_falls_with_distance_and_the_field_is_continuous() {
        let n = 20_000;
        let correlation = |distance: f64| {
            let product = |seed: u64| {
                let field = GaussianField::new(CounterRng::new(seed), 1.0);
                let at = 3.0 * CounterRng::new(9).uniform_in_cube([seed, 0, 0]);
                field.at(at)[0] * field.at(at + distance * DVec3::X)[0]
            };
            (0..n).map(product).sum::<f64>() / n as f64
        };
        // The quintic B-spline divided by its value at 0: 26 / 66 and 1 / 66, up to normalization.
        let at_length = correlation(1.0);
        assert!((at_length - 0.39).abs() < 0.05, "{at_length}");
        assert!(correlation(3.01).abs() < 0.036);
        let field = GaussianField::new(CounterRng::new(1), 1.0);
        let at = |k: u32| field.at(DVec3::new(f64::from(k) * 1e-3, 0.3, 0.4))[0];
        let jump = (0..5000).map(|k| (at(k + 1) - at(k)).abs()).fold(0.0, f64::max);
        assert!(jump < 0.01, "{jump}");
    }
}
