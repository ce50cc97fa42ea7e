//! The midpoint rule is second order in time: a pendulum keeps its amplitude, and a sliding rod stops at the right place.

use crate::validation::Check;
use fibra_core::geometry::Collider;
use fibra_rods::{End, Integrator, RodInput, RodMaterial, RodModel, RodSettings, RodSim, RodSimError, Surface};
use glam::DVec3;

/// Rod models that support the midpoint rule.
const MODELS: [(&str, RodModel); 3] =
    [("mass-spring", RodModel::MassSpring), ("corde", RodModel::Corde), ("der", RodModel::DiscreteElastic)];
/// Simulated time of the pendulum [s].
const TIME: f64 = 5.0;
/// Initial angle of the pendulum [degrees].
const AMPLITUDE: f64 = 60.0;
/// Length of the pendulum [m].
const LENGTH: f64 = 0.5;
/// Initial speed [m/s] and coefficient of friction [-] of the sliding rod.
const SPEED: f64 = 1.03;
const FRICTION: f64 = 0.3;

/// The amplitude after 5 s with steps of 1 ms, and the stopping distance `v^2 / (2 mu g)` with steps of 10 ms.
pub fn run() -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for (name, model) in MODELS {
        let measured = amplitude(model).map_err(|error| error.to_string())?;
        checks.push(Check::relative(&format!("rod-pendulum-{name}"), measured, AMPLITUDE, 1e-3));
        let measured = stopping_distance(model).map_err(|error| error.to_string())?;
        let expected = SPEED * SPEED / (2.0 * FRICTION * 9.81);
        checks.push(Check::relative(&format!("rod-pendulum-{name}-stops"), measured, expected, 5e-3));
    }
    Ok(checks)
}

fn material(radius: f64, youngs_modulus: f64) -> RodMaterial {
    RodMaterial { radius, youngs_modulus, poisson_ratio: 0.3, ..RodMaterial::default() }
}

/// Largest angle of a stiff pinned rod in the last second of its swing [degrees].
fn amplitude(model: RodModel) -> Result<f64, RodSimError> {
    let settings = RodSettings { dt: 1e-3, integrator: Integrator::Midpoint, ..RodSettings::default() };
    let mut sim = RodSim::new(settings)?;
    let start = AMPLITUDE.to_radians();
    let along = DVec3::new(start.sin(), -start.cos(), 0.0);
    let points = (0..=5).map(|i| LENGTH * 0.2 * f64::from(i) * along).collect();
    let ends = [End::pinned(), End::free()];
    let rod = sim.add_rod(RodInput { points, model, material: material(1e-2, 1e9), ends, ..RodInput::default() })?;
    let mut most: f64 = 0.0;
    while sim.time() < TIME {
        sim.advance(settings.dt)?;
        // The period is 1.24 s, so each second contains a turning point.
        if sim.time() > TIME - 1.0 {
            let tip = sim.positions_of(rod)?[5];
            most = most.max(tip.x.atan2(-tip.y).abs());
        }
    }
    Ok(most.to_degrees())
}

/// Distance at which friction stops a rod that slides along its axis [m].
fn stopping_distance(model: RodModel) -> Result<f64, RodSimError> {
    let settings = RodSettings { dt: 1e-2, integrator: Integrator::Midpoint, ..RodSettings::default() };
    let mut sim = RodSim::new(settings)?;
    let radius = 5e-3;
    let rod = sim.add_rod(RodInput {
        points: (0..=10).map(|i| DVec3::new(0.02 * f64::from(i), radius, 0.0)).collect(),
        model,
        material: RodMaterial { internal_damping: 1e-3, ..material(radius, 1e8) },
        surface: Surface { friction: FRICTION, restitution: 0.0 },
        velocity: SPEED * DVec3::X,
        ..RodInput::default()
    })?;
    sim.add_collider(Collider::ground(0.0).friction(FRICTION as f32))?;
    sim.advance(1.0)?;
    Ok(sim.positions_of(rod)?[0].x)
}
