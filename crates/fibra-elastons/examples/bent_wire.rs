//! A plastic wire: a hold moved by the caller bends it by 90 degrees and releases it, and it springs back a little.

use fibra_core::geometry::RigidPose;
use fibra_elastons::{ElasticMaterial, ElastonError, ElastonObject, ElastonSettings, ElastonSim, Plasticity};
use glam::{DQuat, DVec3};

fn main() -> Result<(), ElastonError> {
    let settings = ElastonSettings { gravity: DVec3::ZERO, dt: 0.01, mass_damping: 10.0, ..ElastonSettings::default() };
    let plasticity = Some(Plasticity { yield_strain: 0.01, creep: f64::INFINITY });
    let lead = ElasticMaterial { youngs_modulus: 1e7, density: 2000.0, plasticity, ..ElasticMaterial::default() };
    let wire = ElastonObject::wire(vec![DVec3::ZERO, DVec3::X], 0.02, 0.02).material(lead).samples(12).elastons(36);

    let mut builder = ElastonSim::builder(settings);
    let wire = builder.add(wire)?;
    builder.hold(wire, |x| x.x < 0.1)?;
    let hand = builder.hold(wire, |x| x.x > 0.9)?;
    // The release time is slightly after the last motion, because 100 steps of 0.01 s reach 1 s only up to rounding.
    builder.release_hold_at(hand, 1.005)?;
    let mut sim = builder.build()?;
    for step in 1..=100 {
        // Rotate the hold by 90 degrees about the middle of the wire, in one second.
        let turn = DQuat::from_rotation_z(f64::from(step) / 100.0 * std::f64::consts::FRAC_PI_2);
        let pose = RigidPose { translation: 0.5 * DVec3::X + turn * (0.45 * DVec3::X), rotation: turn };
        sim.move_hold(hand, pose)?;
        sim.advance(0.01)?;
    }
    println!("bent: the end is at {:.3} m with a force of {:.2} N", tip(&sim), sim.hold_force(hand)?.length());
    sim.advance(1.0)?;
    println!("released: the end is at {:.3} m", tip(&sim));
    Ok(())
}

fn tip(sim: &ElastonSim) -> DVec3 {
    sim.positions().last().copied().unwrap_or_default()
}
