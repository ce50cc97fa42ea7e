//! Implicit and explicit steps of the scene `cloth-curtain` with its preset `stiff`: time per simulated second, and distance from a reference.
//!
//! All runs advance frame by frame in turns, so that other load on the machine slows all of them. The reference takes explicit steps of half the stable
//! length. The distance of the explicit run from it shows how far two accurate runs of the scene differ.

use super::Timed;
use fibra_mpm::MpmSim;
use fibra_scene::Scene;
use fibra_scene::setup::set_up_mpm;
use glam::DVec3;
use std::time::Instant;

const EXPLICIT: &str = "mpm.integrator=explicit";

/// Number of frames of the scene that are simulated. The ball reaches the curtain halfway.
const FRAMES: u32 = 12;

/// Parts of the benchmark, with their changes of the scene. The last one is the reference.
const RUNS: [(&str, &[&str]); 3] =
    [("implicit", &[]), ("explicit", &[EXPLICIT]), ("reference", &[EXPLICIT, "time.sound_cfl=0.2"])];

/// A run in progress.
struct Run {
    sim: MpmSim,
    steps: u64,
    /// Wall time of the steps [s].
    seconds: f64,
}

/// Runs the scene with implicit, explicit and halved explicit steps.
pub fn run() -> Result<Vec<Timed>, String> {
    // Run on a thread of the pool. From a thread outside the pool, every parallel loop would have to wake the pool.
    rayon::scope(|_| {
        let mut runs = Vec::new();
        let mut fps = 1.0;
        for (_, sets) in RUNS {
            let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
            let loaded = Scene::load("cloth-curtain", Some("stiff"), &sets).map_err(|e| e.render(false))?;
            fps = loaded.scene.time.fps;
            let sim = set_up_mpm(&loaded).map_err(|e| e.render(false))?.sim;
            runs.push(Run { sim, steps: 0, seconds: 0.0 });
        }
        for frame in 1..=FRAMES {
            for run in &mut runs {
                run.advance(f64::from(frame) / fps)?;
            }
        }
        let simulated = f64::from(FRAMES) / fps;
        let reference = runs[RUNS.len() - 1].sim.positions();
        Ok(RUNS.iter().zip(&runs).map(|((part, _), run)| run.result(part, simulated, &reference)).collect())
    })
}

impl Run {
    fn advance(&mut self, until: f64) -> Result<(), String> {
        let start = Instant::now();
        while self.sim.time() < until {
            self.sim.step(until).map_err(|error| error.to_string())?;
            self.steps += 1;
        }
        self.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Returns the result, given the simulated time [s] and the positions of the reference [m].
    fn result(&self, part: &str, simulated: f64, reference: &[DVec3]) -> Timed {
        let positions = self.sim.positions();
        let square = positions.iter().zip(reference).map(|(a, b)| a.distance_squared(*b)).sum::<f64>();
        let details = vec![
            ("seconds_per_simulated_second", self.seconds / simulated),
            ("mean_step", simulated / self.steps as f64),
            ("rms_distance", (square / positions.len() as f64).sqrt()),
        ];
        Timed {
            part: part.to_owned(),
            items: self.sim.state().particles.len(),
            steps: self.steps,
            seconds: self.seconds,
            details,
            ..Timed::default()
        }
    }
}
