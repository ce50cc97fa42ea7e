//! A board plows through a column of dry sand: `cargo run --release -p fibra-mpm --example sand_plow`.

use fibra_core::geometry::{Collider, RigidPose, Shape};
use fibra_mpm::materials::SandParams;
use fibra_mpm::{MpmObject, MpmSettings, MpmSim};
use glam::{DVec3, Vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grains = SandParams { youngs_modulus: 3.5e5, friction_angle: 33.0, ..SandParams::default() };
    let mut scene = MpmSim::builder(MpmSettings { dx: 0.02, ..MpmSettings::default() });
    let (column, pose) = (Shape::cylinder(0.1, 0.1)?, RigidPose::at(0.1 * DVec3::Y));
    let sand = scene.add_object(MpmObject::solid("sand", column, pose, grains));
    scene.add_collider(Collider::ground(0.0).friction(0.4));
    let mut board_at = DVec3::new(-0.2, 0.15, 0.0);
    let board = Collider::new("board", Shape::cuboid(Vec3::new(0.03, 0.14, 0.2))?, RigidPose::at(board_at));
    let board = scene.add_collider(board.friction(0.4));
    let mut sim = scene.build()?;

    for frame in 1..=24 {
        board_at.x += 0.01;
        sim.move_collider(board, RigidPose::at(board_at))?;
        sim.advance(1.0 / 48.0)?;
        if frame % 6 == 0 {
            let points = sim.positions_of(sand)?;
            let center = points.iter().map(|x| x.x).sum::<f64>() / points.len() as f64;
            println!("{:.2} s: board at x = {:+.3} m, sand at x = {center:+.3} m", sim.time(), board_at.x);
        }
    }
    Ok(())
}
