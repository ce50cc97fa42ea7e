//! A thin cylinder under axial compression: it buckles in a diamond pattern and loses load capacity [Martin2010, Fig.
//! 4].

use super::Check;
use super::body::World;
use fibra_core::geometry::{Keyframes, Motion, TriangleMesh};
use fibra_elastons::internals::fill::sheet;
use fibra_elastons::internals::forces::hold_force;
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::law::Elasticity;
use fibra_elastons::internals::matter::Body;
use fibra_elastons::internals::workspace::Workspace;
use fibra_elastons::internals::world::{Section, Substance};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use std::ops::Range;

const RADIUS: f64 = 0.5;
const HEIGHT: f64 = 1.0;
const THICKNESS: f64 = 0.01;
/// Compression relative to the height, applied at constant speed [-].
const PRESSED: f64 = 0.1;
/// Duration of the compression [s].
const TIME: f64 = 0.3;
/// Width of the held rings [m].
const RING: f64 = 0.04;
const SAMPLES: usize = 250;

/// Triangle mesh of an open cylinder.
fn cylinder(around: u32, up: u32) -> Result<TriangleMesh, String> {
    let vertex = |at: u32| {
        let (column, row) = (at % around, at / around);
        // Every other row is shifted by half a triangle, so that all triangles are congruent.
        let angle = TAU * (f64::from(column) + 0.5 * f64::from(row % 2)) / f64::from(around);
        let height = HEIGHT * f64::from(row) / f64::from(up);
        DVec3::new(RADIUS * angle.cos(), height, RADIUS * angle.sin())
    };
    let place = |column: u32, row: u32| row * around + column % around;
    let cell = |at: u32| {
        let (column, row) = (at % around, at / around);
        let [a, b, c, d] =
            [place(column, row), place(column + 1, row), place(column, row + 1), place(column + 1, row + 1)];
        if row % 2 == 0 { [[a, c, b], [b, c, d]] } else { [[a, c, d], [a, d, b]] }
    };
    let vertices = (0..around * (up + 1)).map(vertex).collect();
    TriangleMesh::new(vertices, (0..around * up).flat_map(cell).collect()).map_err(|error| error.to_string())
}

/// Rest angle [rad], rest height [m] and outward displacement [m] of each material point.
fn bulges(world: &World, work: &Workspace) -> Vec<(f64, f64, f64)> {
    let points = world.state.matter.cloud.points.iter().enumerate();
    let bulge = |(at, rest): (usize, &DVec3)| {
        let now = *rest + work.discretization.pieces.read(at, &world.state.displacements)[0];
        (rest.z.atan2(rest.x), rest.y, now.x.hypot(now.z) - RADIUS)
    };
    points.map(bulge).collect()
}

/// Outward displacement of a ring of the cylinder as a function of the angle, minus its mean [m].
fn profile(bulges: &[(f64, f64, f64)], ring: Range<f64>) -> Vec<f64> {
    const PARTS: usize = 36;
    let mut sums = [(0.0, 0.0); PARTS];
    for (angle, height, bulge) in bulges {
        if ring.contains(height) {
            let part = &mut sums[((angle / TAU).rem_euclid(1.0) * PARTS as f64) as usize % PARTS];
            *part = (part.0 + bulge, part.1 + 1.0);
        }
    }
    let mean = sums.iter().map(|(sum, _)| sum).sum::<f64>() / sums.iter().map(|(_, count)| count).sum::<f64>();
    sums.iter().map(|(sum, count)| sum / count - mean).collect()
}

/// Number of dents in a profile: sign changes from outward to inward around the ring.
fn dents(profile: &[f64]) -> usize {
    let next = profile.iter().cycle().skip(1);
    profile.iter().zip(next).filter(|(here, next)| **here >= 0.0 && **next < 0.0).count()
}

pub fn buckling() -> Result<Vec<Check>, String> {
    let cloud = sheet(&cylinder(96, 30)?, THICKNESS, 0.03).map_err(|error| error.to_string())?;
    let objects = vec![0; cloud.points.len()];
    let elastons = 5 * SAMPLES;
    let body = Body { cloud, objects, samples: SAMPLES, elastons, grading: None };
    let elasticity = Elasticity { young: 1e6, poisson: 0.3 };
    let substance = Substance {
        elasticity,
        density: 1000.0,
        plasticity: None,
        samples: SAMPLES,
        elastons,
        section: Section::Rectangular,
    };
    let mut world = World::new(&[body], vec![substance], DVec3::ZERO, Order::Second)?;
    world.params.mass_damping = 1.0;
    let moves = vec![DVec3::ZERO, DVec3::NEG_Y * PRESSED * HEIGHT];
    let down = Keyframes::new(vec![0.0, TIME], moves, vec![DQuat::IDENTITY; 2]).map_err(|error| error.to_string())?;
    world.hold(|x| x.y < RING, Motion::Still, f64::INFINITY);
    world.hold(|x| x.y > HEIGHT - RING, Motion::Keyframes(down), f64::INFINITY);
    let mut work = world.workspace()?;
    let (mut peak, mut force) = (0.0_f64, 0.0);
    for frame in 1..=30 {
        world.run(&mut work, TIME * f64::from(frame) / 30.0)?;
        force = -hold_force(&world.params, &world.state, &work.discretization, 1).y;
        peak = peak.max(force);
    }
    let bulges = bulges(&world, &work);
    let [lower, upper] = [0.15..0.45, 0.55..0.85].map(|ring| profile(&bulges, ring));
    // In a diamond pattern, the dents above the middle lie between the dents below it, so the profiles are
    // anticorrelated.
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let alike = product(&lower, &upper) / (product(&lower, &lower) * product(&upper, &upper)).sqrt();
    let deepest = |profile: &[f64]| -profile.iter().copied().fold(0.0, f64::min) / THICKNESS;
    Ok(vec![
        Check::at_most("elaston-buckling-force-drop", force / peak, 0.7),
        Check::above("elaston-buckling-dents", dents(&lower).min(dents(&upper)) as f64, 2.0),
        Check::above("elaston-buckling-depth", deepest(&lower).min(deepest(&upper)), 1.0),
        Check::at_most("elaston-buckling-staggered", alike, -0.3),
    ])
}
