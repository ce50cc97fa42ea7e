//! A rod clamped horizontally at one end and bent by its own weight.

use super::{Build, LENGTH, WIRE, clamped_wire, line_density};
use crate::validation::Check;
use fibra_rods::internals::statics::Statics;
use glam::DVec3;
use std::f64::consts::FRAC_PI_2;

/// Segments of the rod.
const SEGMENTS: usize = 60;
/// Ratios of weight to stiffness, `G = rho A g L^3 / (EI)` [-].
const WEIGHTS: [f64; 3] = [5.0, 20.0, 100.0];

/// Ratio of the vertical to the horizontal distance of the free end from the clamp, for three weights.
pub fn run(name: &str, build: Build, tolerance: f64) -> Result<Vec<Check>, String> {
    WEIGHTS.iter().map(|&weight| hang(name, build, weight, tolerance)).collect()
}

fn hang(name: &str, build: Build, weight: f64, tolerance: f64) -> Result<Check, String> {
    let mut rod = build(clamped_wire(SEGMENTS)).map_err(|e| e.to_string())?;
    let g = weight * WIRE.bending() / (line_density() * LENGTH.powi(3));
    let statics = Statics { gravity: -g * DVec3::Y, ..Statics::default() };
    statics.settle(rod.as_mut()).map_err(|e| e.to_string())?;
    let end = rod.centerline()[SEGMENTS];
    Ok(Check::relative(&format!("{name}-{weight}"), -end.y / end.x, heavy_elastica(weight), tolerance))
}

/// Ratio of height to width of the heavy elastica: `theta'' = -G (1 - s) cos(theta)`, `theta(0) = 0`, `theta'(1) = 0`,
/// where `theta` is the angle below the horizontal.
///
/// The equation is solved by shooting from the free end: the angle of the free end is bisected until the rod is
/// horizontal at the clamp. The unknown is the logarithm of the angle to the vertical, because the ends of heavy rods
/// hang almost vertically.
pub fn heavy_elastica(weight: f64) -> f64 {
    let [drop, reach] = heavy_elastica_shape(weight);
    drop / reach
}

/// Height and width of the heavy elastica, relative to its length [-]; see [`heavy_elastica`].
pub fn heavy_elastica_shape(weight: f64) -> [f64; 2] {
    let (mut low, mut high) = (-60.0, FRAC_PI_2.ln());
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        let (clamp, ..) = shoot(weight, middle.exp());
        if clamp < FRAC_PI_2 { low = middle } else { high = middle }
    }
    let (_, height, width) = shoot(weight, low.exp());
    [height, width]
}

/// Integrates by the classical Runge-Kutta method from the free end, which has the angle `end` to the vertical [rad].
/// Returns the angle to the vertical at the clamp, the height and the width.
fn shoot(weight: f64, end: f64) -> (f64, f64, f64) {
    const STEPS: usize = 2000;
    // With u = 1 - s from the free end: angle, its derivative, height, width.
    let rate = |u: f64, y: [f64; 4]| [y[1], weight * u * y[0].sin(), y[0].cos(), y[0].sin()];
    let plus = |y: [f64; 4], h: f64, k: [f64; 4]| [0, 1, 2, 3].map(|i| y[i] + h * k[i]);
    let h = 1.0 / STEPS as f64;
    let mut y = [end, 0.0, 0.0, 0.0];
    for step in 0..STEPS {
        let u = step as f64 * h;
        let k1 = rate(u, y);
        let k2 = rate(u + 0.5 * h, plus(y, 0.5 * h, k1));
        let k3 = rate(u + 0.5 * h, plus(y, 0.5 * h, k2));
        let k4 = rate(u + h, plus(y, h, k3));
        y = [0, 1, 2, 3].map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    (y[0], y[2], y[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Light rods follow linear beam theory: the ratio is `G / 8`. The other values are from an independent solution.
    #[test]
    fn heavy_elastica_matches_reference_values() {
        assert!((heavy_elastica(1e-3) / (1e-3 / 8.0) - 1.0).abs() < 1e-6);
        for (weight, ratio) in [(5.0, 0.58572), (20.0, 1.86393), (100.0, 5.88810), (1000.0, 21.33544)] {
            assert!((heavy_elastica(weight) - ratio).abs() < 1e-5, "{weight}: {}", heavy_elastica(weight));
        }
    }
}
