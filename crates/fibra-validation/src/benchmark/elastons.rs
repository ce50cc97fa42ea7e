//! Elaston scenes at the paper's size: time of precomputation, and of assembly and solution per step [Martin2010, Table
//! 1].

use super::Timed;
use fibra_elastons::internals::workspace::Workspace;
use fibra_run::methods::elastons::ElastonsSimulation;
use fibra_run::simulation::Simulation;
use fibra_scene::Scene;
use fibra_scene::setup::set_up_elastons;
use std::time::Instant;

/// Number of timed steps.
const STEPS: u64 = 24;

/// Target times on two threads [s].
struct Targets {
    precompute: f64,
    assemble: f64,
    solve: f64,
}

/// The flag with 45,000 unknowns, and smaller flags.
pub fn flag() -> Result<Vec<Timed>, String> {
    let bars = Targets { precompute: 6.8, assemble: 0.15, solve: 2.0 };
    let mut timed = vec![scene("flag", "", &[], Some(bars))?];
    // Smaller flags with the same ratio of elastons to samples show how the cost scales.
    for samples in [700, 350, 175] {
        let counts = format!("object.cloth.sampling={{samples={samples},elastons={}}}", samples * 5400 / 1400);
        timed.push(scene("flag", &format!("{samples}-samples"), &[counts], None)?);
    }
    Ok(timed)
}

/// The buckling cylinder with 16,000 unknowns.
pub fn buckling() -> Result<Vec<Timed>, String> {
    let bars = Targets { precompute: 7.46, assemble: 0.15, solve: 1.0 };
    Ok(vec![scene("cylinder-buckling", "", &[], Some(bars))?])
}

fn scene(name: &str, part: &str, sets: &[String], bars: Option<Targets>) -> Result<Timed, String> {
    let loaded = Scene::load(name, Some("paper"), sets).map_err(|error| error.render(false))?;
    let mut simulation = ElastonsSimulation::new(set_up_elastons(&loaded).map_err(|error| error.render(false))?);
    let start = Instant::now();
    Workspace::new(simulation.params(), simulation.state()).map_err(|error| error.to_string())?;
    let precompute = start.elapsed().as_secs_f64();
    let before = simulation.stage_seconds();
    let start = Instant::now();
    let dt = simulation.params().dt;
    for step in 1..=STEPS {
        simulation.step(step as f64 * dt).map_err(|failure| failure.to_string())?;
    }
    let elapsed = start.elapsed().as_secs_f64();
    let spent = |stage: &str| {
        let of =
            |seconds: &[(&str, f64)]| seconds.iter().find(|(name, _)| *name == stage).map_or(0.0, |(_, spent)| *spent);
        (of(&simulation.stage_seconds()) - of(&before)) / STEPS as f64
    };
    let (assemble, solve) = (spent("assemble"), spent("factor") + spent("solve"));
    let account = &simulation.workspace().account;
    let mut details = vec![
        ("unknowns", simulation.state().displacements.len() as f64),
        ("precompute_s", precompute),
        ("assemble_s", assemble),
        ("solve_s", solve),
        ("contacts_s", spent("contacts")),
        ("factors", account.factors as f64),
        ("iterations_per_step", account.iterations as f64 / STEPS as f64),
    ];
    if let Some(bars) = bars {
        let met = precompute <= bars.precompute && assemble <= bars.assemble && solve <= bars.solve;
        let bars = [
            ("precompute_bar_s", bars.precompute),
            ("assemble_bar_s", bars.assemble),
            ("solve_bar_s", bars.solve),
            ("met", f64::from(u8::from(met))),
        ];
        details.extend(bars);
    }
    let items = simulation.state().matter.elastons.len();
    Ok(Timed { part: part.to_owned(), items, steps: STEPS, seconds: elapsed, details, ..Timed::default() })
}
