//! A tuft of hair that falls from the horizontal: `cargo run --release -p fibra-hair --example tuft`

use fibra_core::geometry::RigidPose;
use fibra_hair::{HairError, HairSettings, HairSim, StrandInput};
use glam::Vec3;

fn main() -> Result<(), HairError> {
    let mut builder = HairSim::builder(HairSettings::default());
    for k in 0..100 {
        // Roots on a square of 2 cm; 20 cm of hair along x.
        let (y, z) = (0.002 * (k / 10) as f32, 0.002 * (k % 10) as f32);
        let points = (0..21).map(|i| Vec3::new(0.01 * i as f32, y, z)).collect();
        builder.add_strand(StrandInput { points, pinned: 2, ..StrandInput::default() });
    }
    let mut hair = builder.build()?;
    println!("time [s]  tip [m]              kinetic energy [J]");
    for _ in 0..10 {
        hair.advance(&RigidPose::IDENTITY, 0.1)?;
        let (tip, quantities) = (hair.positions()[20], hair.quantities());
        println!("{:8.1}  {tip:6.3}  {:.3e}", hair.time(), quantities["kinetic_energy"]);
    }
    Ok(())
}
