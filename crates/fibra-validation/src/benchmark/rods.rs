//! Whole scenes of rods: what a step costs in the mean, from the fall to the rest.

use super::Timed;
use crate::validation::rods_scene::RodsScene;
use fibra_run::simulation::Simulation;
use std::time::Instant;

/// Runs a built-in scene from its start to its end, once.
pub fn scene(name: &str) -> Result<Timed, String> {
    let mut scene = RodsScene::load(name, None, &[])?;
    let mut steps = 0;
    let start = Instant::now();
    scene.run(|_| {
        steps += 1;
        false
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let account = scene.simulation.account();
    let details = vec![
        ("most_contacts", account.most_contacts as f64),
        ("largest_nu", account.largest_nu),
        ("unsolved_steps", account.unsolved_steps as f64),
        ("worst_residual", account.worst_residual),
    ];
    Ok(Timed { items: scene.simulation.items(), steps, seconds, details, ..Timed::default() })
}
