//! Frictional contact problems as a pile of rods poses them, each solved by itself from zero impulses.

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

/// The scene that poses the problems.
const SCENE: &str = "spaghetti-76";
/// The error that a solution is to have, by the natural map [-].
const ERROR: f64 = 1e-8;
/// Repeats of each solution, of which the best counts.
const REPEATS: usize = 3;
/// When a pile settles, and when it rests [s].
const SETTLING: f64 = 0.25;
const RESTING: f64 = 0.6;

/// Problems of about so many contacts: the largest island of the scene when it first has as many, which is when the rods hit the plate;
/// and of a bundle of so many rods that about as many contacts are left, while its pile settles, and at rest.
pub fn problems(contacts: usize, rods: u32) -> Result<Vec<Timed>, String> {
    let fewer = [format!("object.spaghetti.shape.rod-bundle.rods={rods}")];
    let impact = captured(&[], |now, _| now >= contacts)?.solved("impact")?;
    let settling = captured(&fewer, |_, time| time >= SETTLING)?.solved("settling")?;
    let resting = captured(&fewer, |_, time| time >= RESTING)?.solved("resting")?;
    Ok(vec![impact, settling, resting])
}

/// A step before its contacts are solved.
struct Captured {
    params: Params,
    state: State,
    prepared: Prepared,
}

/// Runs the scene, with changes, until the number of contacts of the last step and the time [s] are right, and forms the step after it.
fn captured(sets: &[String], enough: impl Fn(usize, f64) -> bool) -> Result<Captured, String> {
    let mut scene = RodsScene::load(SCENE, None, sets)?;
    scene.run(|simulation| enough(simulation.sim().workspace().last.contacts, simulation.time()))?;
    let (params, mut state, _) = scene.simulation.into_sim().into_parts();
    let prepared = next_step(&params, &mut state)?;
    Ok(Captured { params, state, prepared })
}

/// Forms a step of full length.
pub fn next_step(params: &Params, state: &mut State) -> Result<Prepared, String> {
    let RodSettings { dt, gravity, origin, .. } = params.settings;
    let context = StepContext { time: state.time, dt, gravity, origin };
    prepare(params, state, &context).map_err(|error| error.to_string())
}

impl Captured {
    /// The problem with the most contacts.
    fn largest(&self) -> Result<IslandProblem<'_>, String> {
        let islands = 0..self.prepared.islands.len();
        let largest = islands.max_by_key(|&island| self.prepared.islands[island].2.len());
        let island = largest.ok_or("no contacts were found")?;
        Ok(self.prepared.problem(island, &self.params, &self.state.bodies, self.params.settings.dt))
    }

    /// Solves the largest problem from zero to the error that is asked for.
    fn solved(&self, part: &str) -> Result<Timed, String> {
        let problem = self.largest()?;
        let contacts = problem.rows.len();
        let solve = |settings: &SolverSettings| {
            let mut r = vec![DVec3::ZERO; contacts];
            let start = Instant::now();
            let (_, report) = problem.solve(settings, &mut r);
            (start.elapsed().as_secs_f64(), report, problem.natural_error(&r))
        };
        // The solver measures by other means: the largest tolerance of its own that is small enough.
        let mut settings =
            SolverSettings { tolerance: 1e-8, newton_iterations: 2000, sweeps: 20_000, ..self.params.settings.solver };
        let (mut seconds, mut report, mut error) = solve(&settings);
        while error > ERROR && report.unsolved == 0 {
            settings.tolerance *= 0.01;
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
