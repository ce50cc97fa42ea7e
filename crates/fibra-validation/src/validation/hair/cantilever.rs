//! A strand clamped at its root, horizontally, hangs under its own weight.

use super::{Hair, WIRE, straight};
use crate::validation::Check;
use crate::validation::rods::heavy_elastica;
use fibra_core::geometry::RigidPose;
use fibra_hair::{StrandInput, StrandParams};
use glam::Vec3;

/// Segments of the strand.
const SEGMENTS: usize = 60;
/// Weight over stiffness, `G = rho A g L^3 / (EI)` [-]: from where it hardly bends to where it hangs down.
const WEIGHTS: [f32; 4] = [0.2, 5.0, 50.0, 200.0];
/// Steps after which it is at rest.
const STEPS: usize = 1000;
const TOLERANCE: f64 = 0.02;

/// How far the tip is below the clamp over how far it is away, for four weights.
pub fn run() -> Result<Vec<Check>, String> {
    WEIGHTS.iter().map(|&weight| hang(weight)).collect()
}

fn hang(weight: f32) -> Result<Check, String> {
    // Edges turn at the vertices between them: the root's edge is held, so that the clamp is at its middle.
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
