//! Cloth hangs from a bar that the caller moves: `cargo run --release -p fibra-mpm --example hanging_cloth`.

use fibra_core::geometry::RigidPose;
use fibra_core::geometry::generate::Sheet;
use fibra_mpm::materials::ClothParams;
use fibra_mpm::{MpmObject, MpmPin, MpmSettings, MpmSim, Transfer};
use glam::DVec3;

/// Simulated seconds between two positions of the bar.
const FRAME: f64 = 1.0 / 24.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = Sheet { width: 0.3, depth: 0.3, spacing: 0.015 }.build()?;
    // Vertices go along x first: the first row is one edge.
    let edge: Vec<usize> = (0..mesh.vertices().len()).filter(|&i| mesh.vertices()[i].z < -0.149).collect();
    let cotton = ClothParams { density: 200.0, thickness: 0.001, youngs_modulus: 2e4, ..ClothParams::default() };

    let settings = MpmSettings { dx: 0.02, transfer: Transfer::Apic { damping: 200.0 }, ..MpmSettings::default() };
    let mut scene = MpmSim::builder(settings);
    let cloth = scene.add_object(MpmObject::surface("cloth", mesh, cotton));
    let bar = scene.add_pin(MpmPin::new(cloth, edge));
    let mut sim = scene.build()?;

    let start = sim.pin_pose(bar)?;
    for frame in 1..=36 {
        // Swings along z, 10 cm to either side.
        let swing = 0.1 * (f64::from(frame) * FRAME * 4.0).sin();
        sim.move_pin(bar, RigidPose { translation: start.translation + swing * DVec3::Z, ..start })?;
        sim.advance(FRAME)?;
        if frame % 6 == 0 {
            let lowest = sim.positions_of(cloth)?.into_iter().min_by(|a, b| a.y.total_cmp(&b.y)).unwrap_or_default();
            let bar = sim.pin_pose(bar)?.translation;
            println!("{:.2} s: bar at z = {:+.3} m, lowest vertex at {lowest:+.3} m", sim.time(), bar.z);
        }
    }
    Ok(())
}
