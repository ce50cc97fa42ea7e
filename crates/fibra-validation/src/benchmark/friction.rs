//! Frictional contact problems taken from a pile of rods. Each problem is solved on its own, starting from zero
//! impulses.

use super::Timed;
use crate::validation::rods_scene::RodsScene;
use fibra_rods::internals::one_step::solve::IslandProblem;
use fibra_rods::internals::rod::StepContext;
use fibra_rods::internals::step::{Prepared, prepare};
use fibra_rods::internals::world::{Params, State};
use fibra_rods::{RodSettings, SolverSettings};
use fibra_run::simulation::Simulation;
use glam::DVec3;
use std::time::Instant;

/// The scene from which the problems are taken.
const SCENE: &str = "spaghetti-76";
/// Largest allowed error of a solution, measured by the natural map [-].
const ERROR: f64 = 1e-8;
/// Number of times each problem is solved; the fastest solution counts.
const REPEATS: usize = 3;
/// Times at which a pile is settling and at which it is at rest [s].
const SETTLING: f64 = 0.25;
const RESTING: f64 = 0.6;

/// Three problems of about `contacts` contacts.
///
/// The first problem is the largest island of the scene in the first step with that many contacts, when the rods hit
/// the plate. The other two problems use a bundle of `rods` rods, chosen to give about as many contacts: one while the
/// pile settles, and one when it is at rest.
pub fn problems(contacts: usize, rods: u32) -> Result<Vec<Timed>, String> {
    let fewer = [format!("object.spaghetti.shape.rod-bundle.rods={rods}")];
    let impact = captured(&[], |now, _| now >= contacts)?.solved("impact")?;
    let settling = captured(&fewer, |_, time| time >= SETTLING)?.solved("settling")?;
    let resting = captured(&fewer, |_, time| time >= RESTING)?.solved("resting")?;
    Ok(vec![impact, settling, resting])
}

/// A step that is prepared up to the contact solve.
struct Captured {
    params: Params,
    prepared: Prepared,
}

/// Runs the scene with changed values until `enough(contacts of the last step, time [s])` returns true. Then prepares
/// the next step.
fn captured(sets: &[String], enough: impl Fn(usize, f64) -> bool) -> Result<Captured, String> {
    let mut scene = RodsScene::load(SCENE, None, sets)?;
    scene.run(|simulation| enough(simulation.sim().workspace().last.contacts, simulation.time()))?;
    let (params, mut state, _) = scene.simulation.into_sim().into_parts();
    let prepared = next_step(&params, &mut state)?;
    Ok(Captured { params, prepared })
}

/// Prepares a step of full length.
pub fn next_step(params: &Params, state: &mut State) -> Result<Prepared, String> {
    let RodSettings { dt, gravity, origin, .. } = params.settings;
    let context = StepContext { time: state.time, dt, gravity, origin };
    prepare(params, state, &context).map_err(|error| error.to_string())
}

impl Captured {
    /// The problem of the island with the most contacts.
    fn largest(&self) -> Result<IslandProblem<'_>, String> {
        let islands = 0..self.prepared.islands.len();
        let largest = islands.max_by_key(|&island| self.prepared.islands[island].2.len());
        let island = largest.ok_or("no contacts were found")?;
        Ok(self.prepared.problem(island))
    }

    /// Solves the largest problem from zero impulses to `ERROR`.
    fn solved(&self, part: &str) -> Result<Timed, String> {
        let problem = self.largest()?;
        let contacts = problem.rows.len();
        let solve = |settings: &SolverSettings| {
            let mut r = vec![DVec3::ZERO; contacts];
            let start = Instant::now();
            let (_, report) = problem.solve(settings, &mut r);
            (start.elapsed().as_secs_f64(), report, problem.natural_error(&r))
        };
        // The solver's tolerance applies to another error measure. Reduce the tolerance until the error of the natural
        // map is small enough.
        let mut settings =
            SolverSettings { tolerance: 1e-4, newton_iterations: 2000, sweeps: 20_000, ..self.params.settings.solver };
        let (mut seconds, mut report, mut error) = solve(&settings);
        while error > ERROR && report.unsolved == 0 {
            settings.tolerance *= 0.1;
            (seconds, report, error) = solve(&settings);
        }
        for _ in 1..REPEATS {
            seconds = seconds.min(solve(&settings).0);
        }
        let details = vec![
            ("iterations", report.newton_iterations as f64),
            ("sweeps", report.sweeps as f64),
            ("error", error),
            ("met", f64::from(error <= ERROR)),
        ];
        Ok(Timed { part: part.to_owned(), items: contacts, steps: 1, seconds, details, ..Timed::default() })
    }
}
