//! A ball on two rails that lead through a double loop [Bertails2011, Fig. 9]. It starts with spin alone, which friction turns into speed:
//! the rougher the rails, the less of it is lost to sliding, and the further it gets.

use super::Check;
use fibra_core::geometry::Motion;
use fibra_rods::internals::ball::Ball;
use fibra_rods::internals::body::Body;
use fibra_rods::internals::fixed::FixedRod;
use fibra_rods::internals::rod::RodParams;
use fibra_rods::internals::step::step;
use fibra_rods::internals::world::{Params, State, Statistics, Workspace};
use fibra_rods::{End, RodMaterial, RodSettings, Solver, SolverSettings, Surface};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Length of a step [s], the paper's.
const DT: f64 = 0.011;
/// A run ends after so long at the latest [s].
const LONGEST: f64 = 5.0;
/// The friction coefficients that are compared.
const FRICTIONS: [f64; 4] = [0.0, 0.1, 0.2, 0.3];
/// Most iterations of Newton's method in a step, and the `|f^AC|^2` that they are to reach.
const ITERATIONS: usize = 8;
const RESIDUAL: f64 = 1e-18;

/// Radius of the loops [m].
const LOOP: f64 = 2.0;
/// By how much a loop shifts the track sideways [m].
const SHIFT: f64 = 1.5;
/// Length of the straight track before the loops, and after them, further than any ball gets [m].
const STRAIGHT: f64 = 10.0;
const RUN_OUT: f64 = 60.0;
/// Length of a segment of the rails [m].
const SEGMENT: f64 = 0.1;
/// Radius of a rail, and half the distance between the two [m].
const RAIL: f64 = 0.05;
const GAUGE: f64 = 0.25;
/// Radius of the ball [m], and its spin at the start [rad/s].
const BALL: f64 = 0.45;
const SPIN: f64 = 150.0;

/// With each friction the ball must get further along the track than with the one before, and Newton's method alone must solve every step.
pub fn run() -> Result<Vec<Check>, String> {
    let mut statistics = Statistics::default();
    let distances: Vec<f64> = FRICTIONS.iter().map(|&mu| traveled(mu, &mut statistics)).collect::<Result<_, _>>()?;
    let further = distances.windows(2).zip(&FRICTIONS[1..]);
    let mut checks: Vec<Check> =
        further.map(|(pair, mu)| Check::above(&format!("ball-loop-distance-{mu}"), pair[1], pair[0])).collect();
    checks.push(Check::at_most("ball-loop-residual", statistics.worst_residual, RESIDUAL));
    checks.push(Check::at_most("ball-loop-iterations", statistics.most_iterations as f64, ITERATIONS as f64));
    Ok(checks)
}

/// Point of the middle of the track at a distance along it [m], and the direction from there to where the ball is.
fn track(distance: f64) -> (DVec3, DVec3) {
    // A loop is a turn of a helix.
    let turn = (TAU * LOOP).hypot(SHIFT);
    let angle = TAU * ((distance - STRAIGHT) / turn).clamp(0.0, 2.0);
    let straight = distance.min(STRAIGHT) + (distance - STRAIGHT - 2.0 * turn).max(0.0);
    let up = DVec3::new(-angle.sin(), angle.cos(), 0.0);
    let loops = DVec3::new(0.0, LOOP, SHIFT * (angle - angle.sin()) / TAU) - LOOP * up;
    (straight * DVec3::X + loops, up)
}

/// Distance along the track that a ball gets to with a friction coefficient [m].
fn traveled(friction: f64, statistics: &mut Statistics) -> Result<f64, String> {
    let length = STRAIGHT + 2.0 * (TAU * LOOP).hypot(SHIFT) + RUN_OUT;
    let segments = (length / SEGMENT).ceil();
    let rail = |side: f64| -> Result<Body, String> {
        let point = |i: u32| track(length * f64::from(i) / segments).0 + side * GAUGE * DVec3::Z;
        let material = RodMaterial {
            radius: RAIL,
            density: 1e3,
            youngs_modulus: 1e9,
            poisson_ratio: 0.3,
            drag: 0.0,
            internal_damping: 0.0,
        };
        let params = RodParams {
            material,
            points: (0..=segments as u32).map(point).collect(),
            natural: None,
            closed: false,
            velocity: DVec3::ZERO,
            ends: [End::default(), End::default()],
        };
        let rail = FixedRod::new(params, Motion::Still, DVec3::ZERO).map_err(|error| error.to_string())?;
        Ok(Body::Rod(Box::new(rail)))
    };
    // Above the middle of the track.
    let height = ((BALL + RAIL).powi(2) - GAUGE * GAUGE).sqrt();
    let ball = Ball {
        radius: BALL,
        mass: 1.0,
        drag: 0.0,
        center: DVec3::new(1.0, height, 0.0),
        rotation: DQuat::IDENTITY,
        velocity: [0.0, 0.0, 0.0, 0.0, 0.0, -SPIN],
    };
    let solver = SolverSettings { solver: Solver::Newton, tolerance: RESIDUAL, ..SolverSettings::default() };
    let params = Params {
        settings: RodSettings { dt: DT, solver, ..RodSettings::default() },
        surfaces: vec![Surface { friction, restitution: 0.0 }; 3],
        colliders: Vec::new(),
    };
    let bodies = vec![rail(-1.0)?, rail(1.0)?, Body::Ball(ball)];
    let mut state = State { bodies, statistics: *statistics, ..State::default() };
    let mut workspace = Workspace::default();
    let (mut here, mut furthest) = (1.0, 1.0);
    while state.time < LONGEST {
        step(&params, &mut state, &mut workspace, LONGEST).map_err(|error| error.to_string())?;
        let center = state.bodies[2].points()[0];
        here = nearest(center, height, here);
        let (middle, up) = track(here);
        let off = (middle + height * up).distance(center);
        furthest = f64::max(furthest, here);
        // Off the track, or at its end.
        if off > 0.5 * BALL || here >= length - BALL {
            break;
        }
    }
    *statistics = state.statistics;
    Ok(furthest)
}

/// Distance along the track, near `from`, where the ball would be closest to its center [m].
fn nearest(center: DVec3, height: f64, from: f64) -> f64 {
    let off = |distance: f64| {
        let (middle, up) = track(distance);
        (middle + height * up).distance_squared(center)
    };
    let (mut best, mut reach) = (from, BALL);
    while reach > 1e-6 {
        let better = [best - reach, best + reach].into_iter().find(|&distance| off(distance) < off(best));
        match better {
            Some(distance) => best = distance,
            None => reach *= 0.5,
        }
    }
    best
}
