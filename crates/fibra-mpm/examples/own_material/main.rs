//! A constitutive law defined outside the crate: a ball of Mooney-Rivlin rubber bounces on the ground.
//!
//! `cargo run --release -p fibra-mpm --example own_material`

mod mooney_rivlin;

use fibra_core::geometry::{Collider, RigidPose, Shape};
use fibra_mpm::{Material, MpmMaterial, MpmObject, MpmSettings, MpmSim};
use glam::DVec3;
use mooney_rivlin::MooneyRivlin;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let law = MooneyRivlin { c1: 1e4, c2: 2e3, k: 1e5 };
    let rubber = MpmMaterial::new(Material::custom_implicit(law), 1000.0);
    let mut scene = MpmSim::builder(MpmSettings { dx: 0.025, ..MpmSettings::default() });
    scene.add_object(MpmObject::solid("ball", Shape::sphere(0.1)?, RigidPose::at(0.3 * DVec3::Y), rubber));
    scene.add_collider(Collider::ground(0.0));
    let mut sim = scene.build()?;
    for _ in 0..12 {
        sim.advance(0.05)?;
        let points = sim.positions();
        let height = points.iter().map(|x| x.y).sum::<f64>() / points.len() as f64;
        let quantities = sim.quantities();
        let (elastic, kinetic) = (quantities["elastic_energy"], quantities["kinetic_energy"]);
        println!("{:.2} s: center at {height:.3} m, {elastic:.2} J elastic, {kinetic:.2} J kinetic", sim.time());
    }
    Ok(())
}
