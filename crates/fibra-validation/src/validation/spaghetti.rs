//! Rods dropped on a plate [Bertails2011, Fig. 2 and 10]: residuals of every step, and effect of friction on the pile.

use super::Check;
use super::rods_scene::RodsScene;
use fibra_run::methods::rods::RodsSimulation;
use fibra_run::simulation::Simulation;
use fibra_scene::Quantity;

/// The 76 rods of the paper.
const SCENE: &str = "spaghetti-76";
/// A step counts as solved if `|f^AC|` of each of its contacts is at most this value, relative to the larger of weight and tension [-].
const SOLVED: f64 = 1e-4;
/// Smallest allowed share of solved steps [-]; the paper reaches 0.9.
const SHARE: f64 = 0.99;
/// Largest allowed `|f^AC|` of any contact [-]: its value if the load at a contact is not supported at all. The bound is
/// loose and mainly serves to report the residual.
const WORST: f64 = 1.0;
/// Final interval in which the pile is at rest [s], and the largest allowed node speed in it [m/s].
const REST: f64 = 0.2;
const STILL: f64 = 1e-4;
/// Smallest allowed distance of two rods in any step, relative to their thickness [-].
const GAP: f64 = 0.95;
/// Smallest allowed ratio of the width without friction to the width with friction [-].
const WIDER: f64 = 1.5;

/// Runs the scene with friction to its end, and without friction until the pile is wide enough.
pub fn run() -> Result<Vec<Check>, String> {
    let mut rough = RodsScene::load(SCENE, None, &[])?;
    let rests_from = rough.end() - REST;
    let (mut steps, mut solved, mut unsolved_before, mut fastest) = (0u32, 0u32, 0, 0.0);
    let mut least = f64::INFINITY;
    rough.run(|simulation| {
        let unsolved = simulation.sim().state().statistics.unsolved_steps;
        // A step that was subdivided counts as solved only if all its parts are solved.
        let is_solved = simulation.sim().workspace().last.residual <= SOLVED && unsolved == unsolved_before;
        unsolved_before = unsolved;
        steps += 1;
        solved += u32::from(is_solved);
        least = least.min(measure(simulation, Quantity::SmallestGap));
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
        Check::above("contact-spaghetti-gap", least, GAP),
        Check::above("contact-spaghetti-wider", spread(&smooth.simulation) / width, WIDER),
    ])
}

/// Measures a quantity of all rods. An undefined quantity gives NaN, which fails every check.
fn measure(simulation: &RodsSimulation, quantity: Quantity) -> f64 {
    simulation.measure(quantity, None).unwrap_or(f64::NAN)
}
