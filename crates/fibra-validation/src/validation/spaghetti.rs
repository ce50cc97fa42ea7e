//! Rods dropped on a plate [Bertails2011, Fig. 2 and 10]: how well every step is solved, and what friction does to the pile.

use super::Check;
use super::rods_scene::RodsScene;
use fibra_run::methods::rods::RodsSimulation;
use fibra_run::simulation::Simulation;
use fibra_scene::Quantity;

/// The 76 rods of the paper.
const SCENE: &str = "spaghetti-76";
/// A step is solved when `|f^AC|^2` of all its contacts is not above this [-], the paper's tolerance.
const SOLVED: f64 = 1e-5;
/// Least share of solved steps [-]; the paper has 0.9.
const SHARE: f64 = 0.99;
/// Largest `|f^AC|^2` of any step [-]: as if nothing bore the weight of a contact. It is there to be reported; the paper has 1e-2.
const WORST: f64 = 1.0;
/// The pile rests at the end for so long [s], and no node is faster than this meanwhile [m/s].
const REST: f64 = 0.2;
const STILL: f64 = 1e-4;
/// How much wider the pile must get without friction [-].
const WIDER: f64 = 1.5;

/// The scene with friction to its end, and without until it is wide enough.
pub fn run() -> Result<Vec<Check>, String> {
    let mut rough = RodsScene::load(SCENE, None, &[])?;
    let rests_from = rough.end() - REST;
    let (mut steps, mut solved, mut unsolved_before, mut fastest) = (0u32, 0u32, 0, 0.0);
    rough.run(|simulation| {
        let unsolved = simulation.sim().state().statistics.unsolved_steps;
        // A step that was cut into parts is as good as the worst of them.
        let is_solved = simulation.sim().workspace().last.residual <= SOLVED && unsolved == unsolved_before;
        unsolved_before = unsolved;
        steps += 1;
        solved += u32::from(is_solved);
        if simulation.time() > rests_from {
            fastest = f64::max(fastest, measure(simulation, Quantity::MaxSpeed));
        }
        false
    })?;
    let spread = |simulation: &RodsSimulation| measure(simulation, Quantity::Spread);
    let width = spread(&rough.simulation);
    let mut smooth = RodsScene::load(SCENE, Some("frictionless"), &[])?;
    smooth.run(|simulation| spread(simulation) > WIDER * width)?;
    Ok(vec![
        Check::above("contact-spaghetti-solved", f64::from(solved) / f64::from(steps), SHARE),
        Check::at_most("contact-spaghetti-worst", rough.simulation.sim().state().statistics.worst_residual, WORST),
        Check::at_most("contact-spaghetti-still", fastest, STILL),
        Check::above("contact-spaghetti-wider", spread(&smooth.simulation) / width, WIDER),
    ])
}

/// A quantity of all rods; not a number, which fails every check, if it had no meaning for them.
fn measure(simulation: &RodsSimulation, quantity: Quantity) -> f64 {
    simulation.measure(quantity, None).unwrap_or(f64::NAN)
}
