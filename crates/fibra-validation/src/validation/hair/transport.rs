//! Strands on a head that completes full revolutions: parallel transport of frames must not leave residual twist.

use super::{Hair, straight};
use crate::validation::Check;
use fibra_core::geometry::RigidPose;
use fibra_core::random::CounterRng;
use fibra_hair::{StrandInput, StrandMaterial, StrandParams};
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::TAU;

/// Twist of the strand held at both ends, below its buckling twist [rad].
const TWIST: f32 = 2.0;
/// Number of revolutions, each about a different axis.
const TURNS: u32 = 10;
/// Numbers of steps per revolution, and of steps for settling at the end.
const STEPS: u32 = 120;
const REST: u32 = 600;
/// Time step [s].
const H: f32 = 1.0 / 120.0;
/// Largest allowed residual twist per revolution [rad].
const TOLERANCE: f64 = 1e-4;
/// Largest allowed distance of a vertex from its initial position [m].
const DISTANCE: f64 = 1e-3;

/// Measures the residual twist of a straight strand, of a curly strand and of a twisted strand held at both ends, and
/// the displacements of all vertices.
pub fn run() -> Result<Vec<Check>, String> {
    let helix = |i: usize| {
        let s = 0.5 * i as f32;
        Vec3::new(0.01 * s.cos(), 0.01 * s.sin(), 0.008 * s)
    };
    let held = |points: Vec<Vec3>| StrandInput { points, pinned: 2, ..StrandInput::default() };
    let params = StrandParams { gravity: Vec3::ZERO, drag: 5.0, ..StrandParams::default() };
    // Twist that enters the strand held at both ends cannot leave it again.
    let tied = StrandInput { pinned_tip: 2, twist: TWIST, ..held(straight(20, 0.2)) };
    let inputs = [held(straight(20, 0.2)), held((0..30).map(helix).collect()), tied];
    let mut hair = Hair::new(&StrandMaterial::HAIR, params, &inputs)?;
    let start = hair.positions();
    for turn in 0..TURNS {
        let axis = (2.0 * CounterRng::new(7).uniform_in_cube([turn.into(), 0, 0]) - DVec3::ONE).normalize();
        for i in 1..=STEPS {
            let rotation = DQuat::from_axis_angle(axis, TAU * f64::from(i) / f64::from(STEPS));
            hair.step(&RigidPose { rotation, ..RigidPose::IDENTITY }, H)?;
        }
    }
    for _ in 0..REST {
        hair.step(&RigidPose::IDENTITY, H)?;
    }
    let twist = |name: &str, strand: usize| {
        let left = hair.strands.total_twist(&hair.state, strand) - inputs[strand].twist;
        let measured = f64::from(left.abs()) / f64::from(TURNS);
        let name = format!("hair-transport-{name}");
        Check { name, measured, expected: 0.0, error: measured, tolerance: TOLERANCE }
    };
    // This form of the comparison keeps NaN.
    let distances = hair.positions().into_iter().zip(start).map(|(now, then)| f64::from(now.distance(then)));
    let most = distances.fold(0.0, |most: f64, distance| if distance <= most { most } else { distance });
    let shape = Check::at_most("hair-transport-shape", most, DISTANCE);
    Ok(vec![twist("straight", 0), twist("curly", 1), twist("tied", 2), shape])
}
