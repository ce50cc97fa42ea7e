//! Mean step time of complete rod scenes, from the fall to rest.

use super::Timed;
use crate::validation::rods_scene::RodsScene;
use fibra_run::simulation::Simulation;
use std::time::Instant;

/// Runs a built-in scene once, from start to end.
pub fn scene(name: &str) -> Result<Timed, String> {
    let mut scene = RodsScene::load(name, None, &[])?;
    let mut steps = 0;
    let start = Instant::now();
    scene.run(|_| {
        steps += 1;
        false
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let statistics = scene.simulation.sim().state().statistics;
    let details = vec![
        ("most_contacts", statistics.most_contacts as f64),
        ("largest_nu", statistics.largest_nu),
        ("unsolved_steps", statistics.unsolved_steps as f64),
        ("worst_residual", statistics.worst_residual),
    ];
    Ok(Timed { items: scene.simulation.items(), steps, seconds, details, ..Timed::default() })
}
