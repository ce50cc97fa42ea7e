//! Large deflection: a rod clamped horizontally hangs under its own weight, compared with the heavy elastica.

use super::Check;
use super::body::Cuboid;
use fibra_core::geometry::Motion;
use fibra_elastons::internals::gmls::Order;
use glam::{DVec3, UVec3};

/// Free length [m].
const LENGTH: f64 = 1.0;
/// Side of the square section [m].
const THICKNESS: f64 = 0.01;
const GRAVITY: f64 = 9.81;
/// Duration of the run, after which the rod is at rest [s].
const DURATION: f64 = 12.0;

/// Position of the free end relative to the clamp, divided by the length: horizontally, and downward. `load` is the weight
/// divided by `EI / L^2`.
fn free_end(load: f64, samples: usize) -> Result<[f64; 2], String> {
    let free = 200;
    let piece = LENGTH / f64::from(free);
    let density = super::body::DENSITY;
    let cuboid = Cuboid {
        sides: DVec3::new(LENGTH + piece, THICKNESS, THICKNESS),
        cells: UVec3::new(free + 1, 1, 1),
        samples,
        elastons: 3 * samples,
        young: 12.0 * density * GRAVITY * LENGTH.powi(3) / (load * THICKNESS.powi(2)),
        poisson: 0.3,
        gravity: DVec3::NEG_Y * GRAVITY,
        order: Order::Second,
        plasticity: None,
    };
    let mut world = cuboid.at_rest()?;
    world.hold(|x| x.x < piece, Motion::Still, f64::INFINITY);
    world.params.dt = 0.01;
    // Overdamped at first, so that the rod does not swing through; the equilibrium does not depend on damping.
    world.params.mass_damping = 4.0;
    let mut work = world.workspace()?;
    world.run(&mut work, DURATION)?;
    let [last, before] = [0.5, 1.5].map(|back| {
        let at = world.nearest(DVec3::X * (LENGTH + piece - back * piece));
        world.state.matter.cloud.points[at] + work.discretization.pieces.read(at, &world.state.displacements)[0]
    });
    let end = last + 0.5 * (last - before);
    let clamp = DVec3::new(piece, 0.5 * THICKNESS, 0.5 * THICKNESS);
    Ok([(end.x - clamp.x) / LENGTH, (clamp.y - end.y) / LENGTH])
}

pub fn elastica() -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    // Load, number of samples, and the solution of the ordinary differential equation `t'' = G s cos(t)`.
    for (load, samples, exact) in [(10.0, 16, [0.65635, 0.70020]), (100.0, 32, [0.15922, 0.93752])] {
        let found = free_end(load, samples)?;
        for (axis, k) in [("x", 0), ("drop", 1)] {
            checks.push(Check::relative(&format!("elaston-elastica-{load}-{axis}"), found[k], exact[k], 0.015));
        }
    }
    Ok(checks)
}
