//! A strand clamped horizontally at its root and bent by its own weight.

use super::{Hair, WIRE, straight};
use crate::validation::Check;
use crate::validation::rods::heavy_elastica;
use fibra_core::geometry::RigidPose;
use fibra_hair::{StrandInput, StrandParams};
use glam::Vec3;

/// Segments of the strand.
const SEGMENTS: usize = 60;
/// Ratios of weight to stiffness, `G = rho A g L^3 / (EI)` [-]: from almost straight strands to strands that hang down.
const WEIGHTS: [f32; 4] = [0.2, 5.0, 50.0, 200.0];
/// Number of steps after which the strand is at rest.
const STEPS: usize = 1000;
const TOLERANCE: f64 = 0.02;

/// Ratio of the vertical to the horizontal distance of the tip from the clamp, for four weights.
pub fn run() -> Result<Vec<Check>, String> {
    WEIGHTS.iter().map(|&weight| hang(weight)).collect()
}

fn hang(weight: f32) -> Result<Check, String> {
    // Edges rotate about the vertices between them. The root edge is held, so the effective clamp is at its midpoint.
    let clamp = 0.5 / SEGMENTS as f32;
    let g = weight * WIRE.bending() / (WIRE.density * WIRE.area() * (1.0 - clamp).powi(3));
    let params = StrandParams { gravity: -g * Vec3::Y, drag: 20.0 * g.sqrt(), ..StrandParams::default() };
    let strand = StrandInput { points: straight(SEGMENTS, 1.0), pinned: 2, ..StrandInput::default() };
    let mut hair = Hair::new(&WIRE, params, &[strand])?;
    for _ in 0..STEPS {
        hair.step(&RigidPose::IDENTITY, 0.2 / g.sqrt())?;
    }
    let tip = hair.positions()[SEGMENTS];
    let measured = f64::from(-tip.y / (tip.x - clamp));
    Ok(Check::relative(&format!("hair-cantilever-{weight}"), measured, heavy_elastica(weight.into()), TOLERANCE))
}
