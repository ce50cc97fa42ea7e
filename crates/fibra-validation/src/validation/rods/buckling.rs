//! Loss of stability: a column under load and a ring under twist.
//!
//! The critical value is found by bisection. A state is unstable if a small deviation grows in quasi-static steps. This
//! happens if the stiffness matrix has a negative eigenvalue.

use super::{Build, LENGTH, WIRE, clamped_wire, line_density};
use crate::validation::Check;
use fibra_rods::RodError;
use fibra_rods::internals::rod::{End, Rod, RodParams};
use fibra_rods::internals::statics::Statics;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Segments of the column and of the ring.
const SEGMENTS: usize = 64;
/// Number of steps between the two deviations that are compared. It is so large that only the mode remains that grows
/// fastest or decays most slowly.
const STEPS: usize = 100;
/// Initial deviation [m].
const DEVIATION: f64 = 1e-6;
/// Number of bisection steps. The width of the initial interval equals the expected value.
const HALVINGS: usize = 12;

/// Axial load on the free end at which a clamped column buckles.
pub fn euler(name: &str, build: Build, tolerance: f64) -> Result<Vec<Check>, String> {
    let expected = PI * PI * WIRE.bending() / (2.0 * LENGTH).powi(2);
    let dt = time_scale(LENGTH);
    let buckles = |load: f64| {
        let mut params = clamped_wire(SEGMENTS);
        params.ends[1].force = -load * DVec3::X;
        // Apply a lateral velocity that displaces the column in the first step.
        params.velocity = DEVIATION / dt * DVec3::Y;
        let mut rod = build(params).map_err(|e| e.to_string())?;
        grows(rod.as_mut(), dt, |points| points[points.len() - 1].y.abs())
    };
    let measured = bisect(expected, buckles)?;
    Ok(vec![Check::relative(name, measured, expected, tolerance)])
}

/// Total twist at which a closed, naturally straight ring buckles out of its plane [Michell1889].
pub fn michell(
    name: &str,
    ring: fn(RodParams, f64) -> Result<Box<dyn Rod>, RodError>,
    tolerance: f64,
) -> Result<Vec<Check>, String> {
    let expected = TAU * 3f64.sqrt() * WIRE.bending() / WIRE.twisting();
    let radius = LENGTH / TAU;
    // The first buckling mode has two waves.
    let angle = |i: usize| TAU * i as f64 / SEGMENTS as f64;
    let wave =
        |i: usize| DVec3::new(radius * angle(i).cos(), radius * angle(i).sin(), DEVIATION * (2.0 * angle(i)).cos());
    let params = RodParams {
        material: WIRE,
        points: (0..SEGMENTS).map(wave).collect(),
        natural: None,
        closed: true,
        velocity: DVec3::ZERO,
        ends: [End::default(), End::default()],
    };
    let second_wave = |points: &[DVec3]| {
        let part = |f: fn(f64) -> f64| points.iter().enumerate().map(|(i, x)| x.z * f(2.0 * angle(i))).sum::<f64>();
        2.0 / SEGMENTS as f64 * part(f64::sin).hypot(part(f64::cos))
    };
    let leaves = |twist: f64| {
        let mut rod = ring(params.clone(), twist).map_err(|e| e.to_string())?;
        // Twist and bending of the ring are large, so models whose stiffness neglects second derivatives of strains
        // need short steps.
        grows(rod.as_mut(), 0.3 * time_scale(radius), second_wave)
    };
    let measured = bisect(expected, leaves)?;
    Ok(vec![Check::relative(name, measured, expected, tolerance)])
}

/// Approximate period [s] of the bending vibration of a wire of a given length [m].
fn time_scale(length: f64) -> f64 {
    length * length * (line_density() / WIRE.bending()).sqrt()
}

/// Finds the smallest value for which `happens` is true, by bisection between 0.5 and 1.5 times `expected`.
pub fn bisect(expected: f64, happens: impl Fn(f64) -> Result<bool, String>) -> Result<f64, String> {
    let (mut low, mut high) = (0.5 * expected, 1.5 * expected);
    if happens(low)? || !happens(high)? {
        return Err(format!("the critical value is not between {low} and {high}"));
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if happens(middle)? { high = middle } else { low = middle }
    }
    Ok(0.5 * (low + high))
}

/// Whether a deviation grows.
fn grows(rod: &mut dyn Rod, dt: f64, deviation: impl Fn(&[DVec3]) -> f64) -> Result<bool, String> {
    let statics = Statics::default();
    let mut sizes = [0.0; 2];
    for size in &mut sizes {
        for _ in 0..STEPS {
            statics.relax(rod, dt).map_err(|e| e.to_string())?;
            *size = deviation(rod.centerline());
            // Stop before the deviation is too large for linear theory or too small for the numerical precision.
            if !(1e-3..1e3).contains(&(*size / DEVIATION)) {
                return Ok(*size > DEVIATION);
            }
        }
    }
    Ok(sizes[1] > sizes[0])
}
