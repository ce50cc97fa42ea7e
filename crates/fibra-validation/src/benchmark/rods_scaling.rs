//! Cost as a function of problem size: bundles of 3 to 120 rods that fall on a plate.

use super::Timed;
use super::friction::next_step;
use crate::validation::rods_scene::RodsScene;
use fibra_rods::internals::step::step;
use fibra_run::simulation::Simulation;
use glam::DVec3;
use std::time::Instant;

/// Numbers of rods in the bundles.
const RODS: [u32; 7] = [3, 6, 12, 25, 45, 75, 120];
/// Distance between neighbors in the bundle [m].
const PITCH: f64 = 0.0021;
/// Time at which all rods are in contact [s].
const IN_TOUCH: f64 = 0.03;
/// Number of timed steps.
const STEPS: u64 = 2;

/// For each bundle, measures the mean time of a few steps, each warm-started with the impulses of the previous step.
/// Also measures the time to solve the same problems from zero impulses, one island after the other.
///
/// The last result includes the scaling exponents: slopes of least-squares lines through the logarithms of time and
/// number of contacts.
pub fn run() -> Result<Vec<Timed>, String> {
    let mut parts: Vec<Timed> = RODS.iter().map(|&rods| bundle(rods)).collect::<Result<_, _>>()?;
    let warm: Vec<[f64; 2]> = parts.iter().map(|part| [part.items as f64, part.seconds]).collect();
    let cold: Vec<[f64; 2]> = parts.iter().map(|part| [part.items as f64, part.details[0].1]).collect();
    if let Some(last) = parts.last_mut() {
        last.details.extend([("exponent", slope(&warm)), ("exponent_from_zero", slope(&cold))]);
    }
    Ok(parts)
}

fn bundle(rods: u32) -> Result<Timed, String> {
    // Radius of the circle that the rods fill when packed as densely as possible.
    let radius = PITCH * (0.866 / std::f64::consts::PI * f64::from(rods)).sqrt();
    let sets = [
        format!("object.spaghetti.shape.rod-bundle.rods={rods}"),
        format!("object.spaghetti.shape.rod-bundle.center=[0, {}, 0]", radius + PITCH),
        "object.spaghetti.shape.rod-bundle.rotate_degrees=[0, 25, 90]".to_owned(),
        format!("object.spaghetti.shape.rod-bundle.pitch={PITCH}"),
        "object.spaghetti.shape.rod-bundle.sway=2e-5".to_owned(),
    ];
    let mut scene = RodsScene::load("spaghetti-76", None, &sets)?;
    scene.run(|simulation| simulation.time() >= IN_TOUCH)?;
    let (params, mut state, mut workspace) = scene.simulation.into_sim().into_parts();
    let dt = params.settings.dt;
    let (mut from_zero, mut seconds, mut contacts) = (0.0, 0.0, 0);
    for _ in 0..STEPS {
        let prepared = next_step(&params, &mut state)?;
        contacts += prepared.contacts.len();
        let start = Instant::now();
        for (island, (.., rows)) in prepared.islands.iter().enumerate() {
            let problem = prepared.problem(island);
            problem.solve(&params.settings.solver, &mut vec![DVec3::ZERO; rows.len()]);
        }
        from_zero += start.elapsed().as_secs_f64();
        let (start, until) = (Instant::now(), state.time + dt);
        step(&params, &mut state, &mut workspace, until).map_err(|error| error.to_string())?;
        seconds += start.elapsed().as_secs_f64();
    }
    let items = contacts / STEPS as usize;
    let details = vec![("from_zero_seconds", from_zero / STEPS as f64)];
    Ok(Timed { part: rods.to_string(), items, steps: STEPS, seconds, details, ..Timed::default() })
}

/// Slope of the least-squares line through the logarithms of points [-].
fn slope(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|point| point.map(f64::ln)).collect();
    let n = logs.len() as f64;
    let mean = |k: usize| logs.iter().map(|log| log[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let product = |i: usize, j: usize| {
        let means = [x, y];
        logs.iter().map(|log| (log[i] - means[i]) * (log[j] - means[j])).sum::<f64>()
    };
    product(0, 1) / product(0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_recovers_the_exponent_of_a_power_law() {
        let points: Vec<[f64; 2]> = [1.0f64, 10.0, 300.0].iter().map(|x| [*x, 7.0 * x.powf(1.4)]).collect();
        assert!((slope(&points) - 1.4).abs() < 1e-12);
    }
}
