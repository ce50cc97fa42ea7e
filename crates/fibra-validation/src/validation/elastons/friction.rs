//! A block on an incline: it must stick below the friction angle, without creeping, and slide beyond it.

use super::Check;
use fibra_core::geometry::{Collider, RigidPose};
use fibra_elastons::{ElasticMaterial, ElastonError, ElastonObject, ElastonSettings, ElastonSim};
use glam::{DQuat, DVec3};

/// Gravity [m/s^2].
const GRAVITY: f64 = 9.81;
/// Coefficient of friction [-].
const FRICTION: f64 = 0.5;

/// Mean velocity of the block down the incline.
fn velocity(sim: &ElastonSim, downhill: DVec3) -> f64 {
    let velocities = sim.velocities();
    velocities.iter().map(|velocity| velocity.dot(downhill)).sum::<f64>() / velocities.len() as f64
}

/// A block on a tilted plane, and the direction down the incline.
fn block(slope: f64) -> Result<(ElastonSim, DVec3), ElastonError> {
    let turn = DQuat::from_rotation_z(-slope.atan());
    let material = ElastonObject::cuboid(
        DVec3::new(0.2, 0.1, 0.2),
        RigidPose { translation: turn * DVec3::new(0.0, 0.05, 0.0), rotation: turn },
        0.025,
    )
    .material(ElasticMaterial { youngs_modulus: 1e6, ..ElasticMaterial::default() })
    .samples(8)
    .elastons(40);
    let settings = ElastonSettings {
        gravity: DVec3::NEG_Y * GRAVITY,
        dt: 0.005,
        stiffness_damping: 0.005,
        ..ElastonSettings::default()
    };
    let mut builder = ElastonSim::builder(settings);
    builder.add(material)?;
    let rest = RigidPose { translation: DVec3::ZERO, rotation: turn };
    builder.add_collider(Collider { rest, ..Collider::ground(0.0).friction(FRICTION as f32) })?;
    Ok((builder.build()?, turn * DVec3::X))
}

pub fn friction() -> Result<Vec<Check>, String> {
    let text = |error: ElastonError| error.to_string();
    // At rest: displacement over 2 s, divided by the time, after the block has settled.
    let (mut sim, downhill) = block(0.2).map_err(text)?;
    sim.advance(1.0).map_err(text)?;
    let place = |sim: &ElastonSim| {
        let positions = sim.positions();
        positions.iter().map(|x| x.dot(downhill)).sum::<f64>() / positions.len() as f64
    };
    let before = place(&sim);
    sim.advance(2.0).map_err(text)?;
    let creep = (place(&sim) - before) / 2.0;
    // Sliding: a = g (sin - mu cos) of the slope angle.
    let (mut sim, downhill) = block(0.8).map_err(text)?;
    sim.advance(1.0).map_err(text)?;
    let early = velocity(&sim, downhill);
    sim.advance(1.0).map_err(text)?;
    let acceleration = velocity(&sim, downhill) - early;
    let angle = 0.8_f64.atan();
    Ok(vec![
        Check::absolute("elaston-friction-stick", creep, 0.0, 1e-6),
        Check::relative("elaston-friction-slide", acceleration, GRAVITY * (angle.sin() - FRICTION * angle.cos()), 0.01),
    ])
}
