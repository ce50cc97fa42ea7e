//! A cube of jelly falls onto a table: `cargo run --release -p fibra-mpm --example jelly_on_table`.

use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_mpm::materials::{FixedCorotated, Lame};
use fibra_mpm::{Material, MpmObject, MpmSettings, MpmSim};
use glam::{DVec3, Vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let jelly = Material::FixedCorotated(FixedCorotated { lame: Lame::new(1e4, 0.3) });
    let (shape, pose) = (Shape::cuboid(Vec3::splat(0.1))?, RigidPose::at(0.3 * DVec3::Y));
    let mut scene = MpmSim::builder(MpmSettings { dx: 0.025, ..MpmSettings::default() });
    scene.add_object(MpmObject::solid("jelly", shape, pose, jelly, 1000.0));
    scene.add_collider(Collider {
        name: "table".into(),
        shape: Shape::plane(Vec3::ZERO, Vec3::Y)?,
        rest: RigidPose::IDENTITY,
        motion: Motion::Still,
        contact: Contact::Separating,
        friction: 0.5,
    });
    let mut sim = scene.build()?;
    for _ in 0..10 {
        sim.advance(0.05)?;
        let lowest = sim.positions().iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        println!(
            "{:.2} s: lowest point {lowest:.4} m, {:.3} J elastic",
            sim.time(),
            sim.quantities()["elastic_energy"]
        );
    }
    Ok(())
}
