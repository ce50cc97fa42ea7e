//! A block on an inclined plane with Coulomb friction: it slides with the known acceleration or stays at rest.
//!
//! The incline is modeled in two ways: a plane aligned with the grid under tilted gravity, and a tilted plane that cuts
//! through the grid under vertical gravity.

use super::Check;
use super::scenario::{G, Scenario, block, jelly};
use fibra_core::geometry::{Contact, RigidPose};
use fibra_mpm::internals::params::Transfer;
use glam::{DQuat, DVec3, Vec3};

/// Slope of the incline [rad].
const SLOPE: f64 = 30.0 * std::f64::consts::PI / 180.0;

/// Acceleration down the slope, compared with `g (sin a - mu cos a)` for the slope angle `a`.
pub fn slide() -> Result<Vec<Check>, String> {
    const FRICTION: f64 = 0.3;
    let expected = G * (SLOPE.sin() - FRICTION * SLOPE.cos());
    inclines()
        .map(|(suffix, turn)| {
            let mut block = inclined_block(turn, FRICTION)?;
            // Linear regression of speed against time, after the block has settled on the plane.
            let (mut n, mut t1, mut t2, mut v1, mut tv) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for k in 20..=100 {
                let t = 0.005 * f64::from(k);
                block.advance(t)?;
                let v = (block.mass_weighted(|p| block.velocity(p)) / block.mass()).dot(downhill(turn));
                (n, t1, t2, v1, tv) = (n + 1.0, t1 + t, t2 + t * t, v1 + v, tv + t * v);
            }
            let acceleration = (n * tv - t1 * v1) / (n * t2 - t1 * t1);
            Ok(Check::relative(&format!("mpm-incline-slide{suffix}"), acceleration, expected, 0.03))
        })
        .collect()
}

/// Displacement in 1.2 s for `tan(slope) = 0.577 < mu`, which must be at most a millimeter [m]. The error is the
/// displacement in meters.
pub fn rest() -> Result<Vec<Check>, String> {
    const FRICTION: f64 = 0.65;
    inclines()
        .map(|(suffix, turn)| {
            let mut block = inclined_block(turn, FRICTION)?;
            let begin = block.center_of_mass();
            // Gravity starts abruptly. An undamped block would overshoot to twice its static shear and slip. Therefore
            // the block first settles with damping. After that, it must stay at rest without damping.
            block.params.transfer = Transfer::RIGID;
            block.advance(0.2)?;
            block.params.transfer = Transfer::Apic { damping: 0.0 };
            block.advance(1.2)?;
            let moved = (block.center_of_mass() - begin).length();
            Ok(Check {
                name: format!("mpm-incline-rest{suffix}"),
                measured: moved,
                expected: 0.0,
                error: moved,
                tolerance: 1e-3,
            })
        })
        .collect()
}

/// Name suffix and rotation of the plane.
fn inclines() -> impl Iterator<Item = (&'static str, DQuat)> {
    [("", DQuat::IDENTITY), ("-tilted-plane", DQuat::from_rotation_z(-SLOPE))].into_iter()
}

fn downhill(turn: DQuat) -> DVec3 {
    turn * DVec3::X
}

fn inclined_block(turn: DQuat, friction: f64) -> Result<Scenario, String> {
    const HALF: Vec3 = Vec3::new(0.2, 0.05, 0.1);
    let pose = RigidPose { translation: turn * DVec3::new(0.0, HALF.y.into(), 0.0), rotation: turn };
    let mut block = Scenario::new(0.025, block(HALF, pose, jelly(1e6, 0.3))?)?;
    block.add_plane(DVec3::ZERO, (turn * DVec3::Y).as_vec3(), Contact::Separating, friction as f32)?;
    let gravity = turn * DVec3::new(G * SLOPE.sin(), -G * SLOPE.cos(), 0.0);
    block.params.gravity = gravity.as_vec3().to_array();
    Ok(block)
}
