//! Residual angle of a bar bent beyond yield and released, compared with an elastic, perfectly plastic beam.

use super::Check;
use super::body::Cuboid;
use fibra_core::geometry::{Keyframes, Motion};
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::world::Plasticity;
use glam::{DQuat, DVec3, UVec3};

const THICKNESS: f64 = 0.02;
const LENGTH: f64 = 1.0;
const YIELD_STRAIN: f64 = 0.002;
/// Durations of bending, and of settling after the release [s].
const BENDING: f64 = 1.0;
const RESTING: f64 = 2.0;

/// Residual angle after bending to `times` the curvature at first yield [rad].
fn set_angle(times: f64) -> Result<f64, String> {
    let free = 100;
    let piece = LENGTH / f64::from(free);
    let cuboid = Cuboid {
        sides: DVec3::new(LENGTH + 2.0 * piece, THICKNESS, THICKNESS),
        cells: UVec3::new(free + 2, 1, 1),
        samples: 10,
        elastons: 30,
        young: 1e9,
        poisson: 0.3,
        gravity: DVec3::ZERO,
        order: Order::Second,
        plasticity: Some(Plasticity { yield_strain: YIELD_STRAIN, creep: f64::INFINITY }),
    };
    // The far end follows the path of a bar of constant length and uniform curvature.
    let curvature = times * 2.0 * YIELD_STRAIN / THICKNESS;
    let start = DVec3::new(LENGTH + piece, 0.5 * THICKNESS, 0.5 * THICKNESS);
    let parts = 50;
    let way = |part: i32| {
        let angle = curvature * LENGTH * f64::from(part) / f64::from(parts);
        let moved = if part == 0 { 0.0 } else { angle.sin() / angle - 1.0 };
        let raised = if part == 0 { 0.0 } else { (1.0 - angle.cos()) / angle };
        (DVec3::new(moved, raised, 0.0) * LENGTH, DQuat::from_rotation_z(angle))
    };
    let (moves, turns): (Vec<_>, Vec<_>) = (0..=parts).map(way).unzip();
    let times = (0..=parts).map(|part| BENDING * f64::from(part) / f64::from(parts)).collect();
    let bend = Motion::Keyframes(Keyframes::new(times, moves, turns).map_err(|error| error.to_string())?).about(start);
    let mut world = cuboid.at_rest()?;
    world.params.mass_damping = 10.0;
    world.hold(|x| x.x < piece, Motion::Still, f64::INFINITY);
    world.hold(|x| x.x > LENGTH + piece, bend, BENDING);
    let mut work = world.workspace()?;
    world.run(&mut work, BENDING)?;
    world.run(&mut work, BENDING + RESTING)?;
    let [end, before] = [0.5, 1.5].map(|back| {
        let place = DVec3::X * (LENGTH + 2.0 * piece - back * piece);
        let at = world.nearest(place);
        world.state.matter.cloud.points[at] + work.discretization.pieces.read(at, &world.state.displacements)[0]
    });
    Ok((end.y - before.y).atan2(end.x - before.x))
}

pub fn plastic() -> Result<Vec<Check>, String> {
    let check = |times: f64| {
        let yields = 2.0 * YIELD_STRAIN / THICKNESS;
        // The curvature of the springback is the bending moment divided by the bending stiffness. Both are relative to
        // first yield here.
        let moment = 1.5 - 0.5 / (times * times);
        let left = (times - moment) * yields * LENGTH;
        Ok(Check::relative(&format!("elaston-plastic-{times}"), set_angle(times)?, left, 0.10))
    };
    [2.0, 3.0, 5.0].into_iter().map(check).collect()
}
