//! A ball on two rails that form a double loop [Bertails2011, Fig. 9]. The ball starts with spin only, and friction
//! converts spin to speed. On rougher rails, sliding dissipates less energy, so the ball travels further.

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

/// Time step of the paper [s].
const DT: f64 = 0.011;
/// Longest simulated time of a run [s].
const LONGEST: f64 = 5.0;
/// Friction coefficients to compare.
const FRICTIONS: [f64; 4] = [0.0, 0.1, 0.2, 0.3];
/// Largest allowed number of Newton iterations per step and residual `|f^AC|` of the Alart-Curnier function, relative to the weight [-].
const ITERATIONS: usize = 8;
const RESIDUAL: f64 = 1e-9;

/// Radius of the loops [m].
const LOOP: f64 = 2.0;
/// Sideways offset of the track per loop [m].
const SHIFT: f64 = 1.5;
/// Lengths of the straight track before and after the loops [m]. No ball reaches the end of the track.
const STRAIGHT: f64 = 10.0;
const RUN_OUT: f64 = 60.0;
/// Segment length of the rails [m].
const SEGMENT: f64 = 0.1;
/// Radius of a rail, and half the distance between the two rails [m].
const RAIL: f64 = 0.05;
const GAUGE: f64 = 0.25;
/// Radius of the ball [m] and its initial angular speed [rad/s].
const BALL: f64 = 0.45;
const SPIN: f64 = 150.0;

/// The ball must travel further with each higher friction coefficient. Every step must be solved by Newton's method
/// alone.
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

/// Returns the point on the centerline of the track at a given distance along the track [m], and the direction from
/// this point to the ball.
fn track(distance: f64) -> (DVec3, DVec3) {
    // A loop is one turn of a helix.
    let turn = (TAU * LOOP).hypot(SHIFT);
    let angle = TAU * ((distance - STRAIGHT) / turn).clamp(0.0, 2.0);
    let straight = distance.min(STRAIGHT) + (distance - STRAIGHT - 2.0 * turn).max(0.0);
    let up = DVec3::new(-angle.sin(), angle.cos(), 0.0);
    let loops = DVec3::new(0.0, LOOP, SHIFT * (angle - angle.sin()) / TAU) - LOOP * up;
    (straight * DVec3::X + loops, up)
}

/// Distance that a ball travels along the track for a friction coefficient [m].
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
            ..RodMaterial::default()
        };
        let params = RodParams {
            material,
            points: (0..=segments as u32).map(point).collect(),
            natural: None,
            closed: false,
            velocity: DVec3::ZERO,
            ends: [End::default(), End::default()],
        };
        let rail = FixedRod::new(params, vec![Motion::Still], DVec3::ZERO).map_err(|error| error.to_string())?;
        Ok(Body::Rod(Box::new(rail)))
    };
    // Height of the ball's center above the centerline of the track.
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
        ..Params::default()
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
        // Stop when the ball has left the track or has reached the end of the track.
        if off > 0.5 * BALL || here >= length - BALL {
            break;
        }
    }
    *statistics = state.statistics;
    Ok(furthest)
}

/// Distance along the track [m] at which a ball on the track would be closest to `center`. The search starts near
/// `from`.
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
