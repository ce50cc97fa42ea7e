//! `MpmSim` on a device, with a collider and a pin that the caller moves.

use fibra_core::geometry::generate::Sheet;
use fibra_core::geometry::{Collider, RigidPose, Shape};
use fibra_gpu::on_every_device;
use fibra_mpm::materials::{ClothParams, ElasticParams};
use fibra_mpm::{ColliderId, MaterialSpec, MpmObject, MpmPin, MpmSettings, MpmSim, PinId};
use glam::{DQuat, DVec3, Vec3};

const DX: f64 = 0.05;

/// A cube beside a wall, and a pinned sheet above them.
fn scene() -> (MpmSim, ColliderId, PinId) {
    let jelly = MaterialSpec::FixedCorotated(ElasticParams { youngs_modulus: 2e4, ..ElasticParams::default() });
    let cotton = ClothParams {
        density: 500.0,
        thickness: 0.001,
        youngs_modulus: 1e4,
        normal_stiffness: 100.0,
        shear_stiffness: 0.0,
        friction_angle: 0.0,
        ..ClothParams::default()
    };
    let cube = |half: f32| Shape::cuboid(Vec3::splat(half)).unwrap();
    let mesh = Sheet { width: 0.3, depth: 0.3, spacing: 0.05 }.build().unwrap();
    let mut scene = MpmSim::builder(MpmSettings { dx: DX, ..MpmSettings::default() });
    scene.add_object(MpmObject::solid("cube", cube(0.1), RigidPose::at(-0.5 * DVec3::Y), jelly));
    let sheet = scene.add_object(MpmObject::surface("sheet", mesh, cotton));
    let pin = scene.add_pin(MpmPin::new(sheet, 0..7));
    let wall = Collider::new("wall", cube(0.2), RigidPose::at(DVec3::new(-0.35, -0.5, 0.0))).friction(0.3);
    let wall = scene.add_collider(wall);
    (scene.build().unwrap(), wall, pin)
}

/// Moves the wall into the cube, moves and rotates the sheet, and lets both rest at the end.
fn run(sim: &mut MpmSim, wall: ColliderId, pin: PinId) -> Vec<DVec3> {
    let (wall_start, pin_start) = (sim.collider_pose(wall).unwrap(), sim.pin_pose(pin).unwrap());
    for frame in 1..=4 {
        let way = f64::from(frame);
        let wall_at = wall_start.translation + DVec3::new(0.03 * way, -0.01 * way, 0.0);
        sim.move_collider(wall, RigidPose::at(wall_at)).unwrap();
        let translation = pin_start.translation - 0.004 * way * DVec3::Z;
        sim.move_pin(pin, RigidPose { translation, rotation: DQuat::from_rotation_y(0.03 * way) }).unwrap();
        sim.advance(0.02).unwrap();
    }
    sim.advance(0.02).unwrap();
    sim.positions()
}

#[test]
fn caller_driven_motion_works_on_devices() {
    let (mut sim, wall, pin) = scene();
    let start = sim.positions();
    let expected = run(&mut sim, wall, pin);
    let pushed = (0..512).map(|i| expected[i].x - start[i].x).fold(0.0, f64::max);
    assert!(pushed > 0.05, "the wall pushed the cube by only {pushed} m");
    on_every_device!(gpu => {
        let (mut sim, wall, pin) = scene();
        sim.move_to(gpu.clone()).unwrap();
        let positions = run(&mut sim, wall, pin);
        let apart = positions.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        println!("{} cells apart", apart / DX);
        // The same tolerance as for many steps of falling cubes.
        assert!(apart < 1e-3 * DX, "{} cells apart", apart / DX);
        let stages: Vec<&str> = sim.stage_seconds().into_iter().map(|(name, _)| name).collect();
        assert_eq!(stages, ["device", "read back"]);
    });
}
