//! A cube of jelly falls onto a table: `cargo run --release -p fibra-mpm --example jelly_on_table`.

use fibra_core::geometry::{Collider, RigidPose, Shape};
use fibra_mpm::materials::ElasticParams;
use fibra_mpm::{MaterialSpec, MpmObject, MpmSettings, MpmSim};
use glam::{DVec3, Vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let jelly = MaterialSpec::FixedCorotated(ElasticParams { youngs_modulus: 1e4, ..ElasticParams::default() });
    let (shape, pose) = (Shape::cuboid(Vec3::splat(0.1))?, RigidPose::at(0.3 * DVec3::Y));
    let mut scene = MpmSim::builder(MpmSettings { dx: 0.025, ..MpmSettings::default() });
    scene.add_object(MpmObject::solid("jelly", shape, pose, jelly));
    scene.add_collider(Collider::ground(0.0).friction(0.5));
    let mut sim = scene.build()?;
    for _ in 0..10 {
        sim.advance(0.05)?;
        let lowest = sim.positions().iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        let elastic = sim.quantities()["elastic_energy"];
        println!("{:.2} s: lowest point {lowest:.4} m, {elastic:.3} J elastic", sim.time());
    }
    Ok(())
}
