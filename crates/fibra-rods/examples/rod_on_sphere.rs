//! A flexible cord falls on a rough sphere and drapes over it. Prints the contacts and their forces.

use fibra_core::geometry::{Collider, RigidPose, Shape};
use fibra_rods::{RodInput, RodMaterial, RodSettings, RodSim};
use glam::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sim = RodSim::new(RodSettings::default())?;
    sim.add_collider(Collider::new("sphere", Shape::sphere(0.05)?, RigidPose::IDENTITY).friction(0.6))?;
    sim.add_rod(RodInput {
        points: (-20..=20).map(|i| DVec3::new(0.004 * f64::from(i), 0.06, 0.0)).collect(),
        material: RodMaterial { youngs_modulus: 1e6, drag: 2.0, internal_damping: 1e-3, ..RodMaterial::default() },
        ..RodInput::default()
    })?;
    sim.advance(1.0)?;
    for contact in sim.contacts() {
        let normal_force = contact.force.dot(contact.normal);
        let friction = (contact.force - normal_force * contact.normal).length();
        println!("at {:.4} m: {normal_force:.2e} N along the normal, {friction:.2e} N of friction", contact.position);
    }
    let total: DVec3 = sim.contacts().iter().map(|contact| contact.force).sum();
    println!("the contacts carry {:.5} N of a weight of {:.5} N", total.y, 9.81 * sim.quantities()["mass"]);
    Ok(())
}
