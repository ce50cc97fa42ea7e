//! A ring that is twisted before it is closed buckles out of its plane at a total twist of `2 pi sqrt(3) EI / GJ`
//! [Michell1889].
//!
//! A closed ring is modeled as a strand whose first and last edges are held in the same position. The deformations of
//! ring and strand are equal up to rigid motions.

use super::{Hair, WIRE};
use crate::validation::Check;
use crate::validation::rods::bisect;
use fibra_core::geometry::RigidPose;
use fibra_hair::{RestShape, StrandInput, StrandParams};
use glam::Vec3;
use std::f32::consts::TAU;

/// Edges around the ring.
const EDGES: usize = 64;
/// Number of steps between the two deviations that are compared. It is so large that only the mode remains that grows
/// fastest or decays most slowly.
const STEPS: usize = 100;
/// Initial deviation, for a ring of radius 1 m [m].
const DEVIATION: f32 = 1e-3;
const TOLERANCE: f64 = 0.03;

/// Finds the twist above which a small deviation grows.
pub fn run() -> Result<Vec<Check>, String> {
    let expected = f64::from(TAU * 3.0f32.sqrt() * WIRE.bending() / WIRE.twisting());
    let measured = bisect(expected, |twist| leaves_its_plane(twist as f32))?;
    Ok(vec![Check::relative("hair-michell", measured, expected, TOLERANCE)])
}

fn leaves_its_plane(twist: f32) -> Result<bool, String> {
    let point = |i: usize| {
        let angle = TAU * (i % EDGES) as f32 / EDGES as f32;
        // The first buckling mode has two waves. Pinned vertices stay in the plane.
        let out = if (2..EDGES).contains(&i) { DEVIATION * (1.0 - (2.0 * angle).cos()) } else { 0.0 };
        Vec3::new(angle.cos(), angle.sin(), out)
    };
    let points = (0..EDGES + 2).map(point).collect();
    let strand = StrandInput { points, rest: RestShape::Straight, pinned: 2, pinned_tip: 2, twist };
    let params = StrandParams { gravity: Vec3::ZERO, drag: 1.0, ..StrandParams::default() };
    let mut hair = Hair::new(&WIRE, params, &[strand])?;
    let start = out_of_tilted_plane(&hair.positions());
    let mut sizes = [0.0; 2];
    for size in &mut sizes {
        for _ in 0..STEPS {
            hair.step(&RigidPose::IDENTITY, 1.0)?;
            *size = out_of_tilted_plane(&hair.positions());
            // Stop before the deviation is too large for linear theory or too small for the numerical precision.
            if !(1e-2..1e2).contains(&(*size / start)) {
                return Ok(*size > start);
            }
        }
    }
    Ok(sizes[1] > sizes[0])
}

/// Deviation of points from the best-fit plane through the first edge: root of the sum of squared distances [m]. The
/// ring may tilt freely about this edge.
fn out_of_tilted_plane(points: &[Vec3]) -> f64 {
    let (mut zz, mut az, mut aa) = (0.0, 0.0, 0.0);
    let side = (points[1] - points[0]).cross(Vec3::Z).normalize().as_dvec3();
    for x in points.iter().map(|x| (*x - points[0]).as_dvec3()) {
        let arm = x.dot(side);
        (zz, az, aa) = (zz + x.z * x.z, az + arm * x.z, aa + arm * arm);
    }
    (zz - az * az / aa).max(0.0).sqrt()
}
