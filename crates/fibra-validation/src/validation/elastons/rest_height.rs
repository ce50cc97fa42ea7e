//! A sheet and a wire lie on the ground: their midsurface is half a thickness above it, whatever the spacing of the pieces.

use super::Check;
use fibra_core::geometry::RigidPose;
use fibra_elastons::{ElasticMaterial, ElastonError, ElastonObject, ElastonSettings, ElastonSim};
use glam::DVec3;

/// Thickness of the sheet, and radius of the wire [m].
const THICKNESS: f64 = 0.002;
const RADIUS: f64 = 0.003;
/// Distance between pieces [m].
const SPACING: f64 = 0.02;

/// Mean height at which an object comes to rest [m].
fn height(object: ElastonObject) -> Result<f64, ElastonError> {
    let settings =
        ElastonSettings { dt: 0.005, mass_damping: 10.0, stiffness_damping: 0.01, ..ElastonSettings::default() };
    let mut builder = ElastonSim::builder(settings);
    builder.add(object.material(ElasticMaterial { youngs_modulus: 1e6, ..ElasticMaterial::default() }))?;
    builder.add_floor(0.0, 0.5)?;
    let mut sim = builder.build()?;
    sim.advance(1.0)?;
    let positions = sim.positions();
    Ok(positions.iter().map(|x| x.y).sum::<f64>() / positions.len() as f64)
}

pub fn rest_height() -> Result<Vec<Check>, String> {
    let start = 0.015;
    let sheet = ElastonObject::cuboid(DVec3::new(0.2, THICKNESS, 0.2), RigidPose::at(start * DVec3::Y), SPACING);
    let ends = [-0.15, 0.15].map(|x| DVec3::new(x, start, 0.0));
    let wire = ElastonObject::wire(ends.to_vec(), RADIUS, SPACING);
    let text = |error: ElastonError| error.to_string();
    Ok(vec![
        Check::relative("elaston-rest-height-sheet", height(sheet.samples(9)).map_err(text)?, 0.5 * THICKNESS, 0.02),
        Check::relative("elaston-rest-height-wire", height(wire.samples(4)).map_err(text)?, RADIUS, 0.02),
    ])
}
