//! States of balance that become unstable: a column under load, a ring under twist. The critical number is bisected on whether
//! a small deviation grows in steps without inertia, which it does where the stiffness has a negative direction.

use super::{Build, LENGTH, WIRE, clamped_wire, line_density};
use crate::validation::Check;
use fibra_rods::RodError;
use fibra_rods::internals::rod::{End, Rod, RodParams};
use fibra_rods::internals::statics::Statics;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Segments of the column and of the ring.
const SEGMENTS: usize = 64;
/// Steps after which the deviation is compared with itself before as many: long enough that only the slowest mode is left.
const STEPS: usize = 100;
/// Size of the deviation at the start [m].
const DEVIATION: f64 = 1e-6;
/// Halvings of the range the critical number is sought in, which is as wide as the number itself.
const HALVINGS: usize = 12;

/// Load on the free end of a clamped column, along it, that makes it buckle.
pub fn euler(name: &str, build: Build, tolerance: f64) -> Result<Vec<Check>, String> {
    let expected = PI * PI * WIRE.bending() / (2.0 * LENGTH).powi(2);
    let dt = time_scale(LENGTH);
    let buckles = |load: f64| {
        let mut params = clamped_wire(SEGMENTS);
        params.ends[1].force = -load * DVec3::X;
        // A push to the side, which the first step takes up.
        params.velocity = DEVIATION / dt * DVec3::Y;
        let mut rod = build(params).map_err(|e| e.to_string())?;
        grows(rod.as_mut(), dt, |points| points[points.len() - 1].y.abs())
    };
    let measured = bisect(expected, buckles)?;
    Ok(vec![Check::relative(name, measured, expected, tolerance)])
}

/// Twist of a closed, naturally straight ring, over its whole length, that makes it leave its plane [Michell1889].
pub fn michell(
    name: &str,
    ring: fn(RodParams, f64) -> Result<Box<dyn Rod>, RodError>,
    tolerance: f64,
) -> Result<Vec<Check>, String> {
    let expected = TAU * 3f64.sqrt() * WIRE.bending() / WIRE.twisting();
    let radius = LENGTH / TAU;
    // The first mode to leave the plane has two waves.
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
        // Short enough for models whose stiffness has first derivatives of strains alone: twist and bending of the ring are large.
        grows(rod.as_mut(), 0.3 * time_scale(radius), second_wave)
    };
    let measured = bisect(expected, leaves)?;
    Ok(vec![Check::relative(name, measured, expected, tolerance)])
}

/// About the time of a swing over a length [m] [s].
fn time_scale(length: f64) -> f64 {
    length * length * (line_density() / WIRE.bending()).sqrt()
}

/// The number, between half and one and a half of what is expected, from which on something happens.
pub fn bisect(expected: f64, happens: impl Fn(f64) -> Result<bool, String>) -> Result<f64, String> {
    let (mut low, mut high) = (0.5 * expected, 1.5 * expected);
    if happens(low)? || !happens(high)? {
        return Err(format!("the critical number is not between {low} and {high}"));
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
            // Before it is so large that balance changes, or so small that it is rounding.
            if !(1e-3..1e3).contains(&(*size / DEVIATION)) {
                return Ok(*size > DEVIATION);
            }
        }
    }
    Ok(sizes[1] > sizes[0])
}
