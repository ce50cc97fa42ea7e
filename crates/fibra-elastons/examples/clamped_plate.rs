//! An elastic plate, clamped at one side, bends under its own weight.

use fibra_core::geometry::RigidPose;
use fibra_elastons::{ElasticMaterial, ElastonError, ElastonObject, ElastonSettings, ElastonSim};
use glam::DVec3;

fn main() -> Result<(), ElastonError> {
    let settings = ElastonSettings { dt: 0.01, mass_damping: 1.0, ..ElastonSettings::default() };
    let rubber = ElasticMaterial { youngs_modulus: 2e6, poisson_ratio: 0.4, density: 1100.0, ..Default::default() };
    let plate = ElastonObject::cuboid(DVec3::new(0.5, 0.01, 0.3), RigidPose::at(DVec3::new(0.25, 0.0, 0.0)), 0.02);

    let mut builder = ElastonSim::builder(settings);
    let plate = builder.add(plate.sample_spacing(0.05).material(rubber))?;
    builder.hold(plate, |x| x.x < 0.03)?;
    let mut sim = builder.build()?;
    for frame in 1..=50 {
        sim.advance(0.02)?;
        if frame % 5 == 0 {
            let tip = sim.positions()[sim.pieces(plate).end - 1];
            println!("{:.2} s: the corner is at {:.4} m, {:.4} m", sim.time(), tip.x, tip.y);
        }
    }
    Ok(())
}
