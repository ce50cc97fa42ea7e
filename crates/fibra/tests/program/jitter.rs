//! Robustness of every [Jiang2017] scene under random perturbation: other seeds, and material parameters and friction changed by up
//! to 20 %. The simulation must stay finite and must not fly apart.
//!
//! The quick test runs the first third of each scene with one of the seeds, on a grid twice as coarse. The full test runs each scene to
//! its end with every seed, at the resolution of the scene. It takes about half an hour:
//! `cargo test --release -p fibra --test program jitter -- --ignored --nocapture`.

use fibra_core::random::CounterRng;
use fibra_run::simulation::Simulation;
use fibra_run::simulation_of;
use fibra_scene::{Scene, builtin};
use rayon::prelude::*;

/// Seeds of the perturbations.
const SEEDS: [u64; 3] = [1, 2, 3];
/// Largest relative change of a parameter [-].
const JITTER: f64 = 0.2;
/// Largest allowed distance of a point from the scene's center, relative to the largest initial distance [-].
const FARTHEST: f64 = 6.0;

/// Returns the names of the scenes.
fn scenes() -> impl Iterator<Item = &'static str> {
    builtin::SCENES.iter().filter(|scene| scene.text.contains("paper = \"Jiang2017\"")).map(|scene| scene.name)
}

/// Returns `--set` options that perturb the parameters of a scene.
fn perturbations(name: &str, seed: u64) -> Vec<String> {
    let table: toml::Table = toml::from_str(builtin::scene(name).unwrap().text).unwrap();
    let rng = CounterRng::new(seed);
    let mut count = 0;
    let mut factor = || {
        count += 1;
        1.0 + JITTER * (2.0 * rng.uniform(&[count]) - 1.0)
    };
    let mut sets = vec![format!("mpm.seed={seed}")];
    let mut perturb = |path: String, values: &toml::Table| {
        for (key, value) in values {
            let number = value.as_float().or(value.as_integer().map(|i| i as f64));
            let Some(number) = number.filter(|number| *number != 0.0) else { continue };
            // Poisson's ratio of a nearly incompressible material must stay below 0.5.
            let perturbed = if key == "poisson_ratio" { (number * factor()).min(0.45) } else { number * factor() };
            sets.push(format!("{path}.{key}={perturbed}"));
        }
    };
    for object in table["object"].as_array().unwrap() {
        let name = object["name"].as_str().unwrap();
        let (material, values) = object["material"].as_table().unwrap().iter().next().unwrap();
        perturb(format!("object.{name}.material.{material}"), values.as_table().unwrap());
    }
    for collider in table.get("collider").and_then(|list| list.as_array()).into_iter().flatten() {
        let name = collider["name"].as_str().unwrap();
        if let Some(friction) = collider.get("friction").and_then(toml::Value::as_float) {
            sets.push(format!("collider.{name}.friction={}", friction * factor_of(&rng, name)));
        }
    }
    sets
}

fn factor_of(rng: &CounterRng, name: &str) -> f64 {
    1.0 + JITTER * (2.0 * rng.uniform(&[1000, name.len() as u64]) - 1.0)
}

/// Runs the given fraction of a scene and checks every frame.
fn run(name: &str, seed: u64, coarser: f64, share: f64) {
    let mut sets = perturbations(name, seed);
    let plain = Scene::load(name, None, &[]).unwrap().scene;
    let dx = plain.mpm.unwrap_or_else(|| panic!("{name} has no grid")).dx;
    sets.push(format!("mpm.dx={}", dx * coarser));
    let loaded = Scene::load(name, None, &sets).unwrap_or_else(|error| panic!("{name}\n{}", error.render(false)));
    let mut simulation = simulation_of(&loaded).unwrap_or_else(|error| panic!("{name}\n{}", error.render(false)));
    let points = |simulation: &dyn Simulation, index| {
        let frame = simulation.frame(index);
        assert_eq!(frame.first_non_finite(), None, "{name}, seed {seed}, frame {index}");
        (0..frame.points.len()).map(|point| frame.world_point(point)).collect::<Vec<_>>()
    };
    let start = points(&*simulation, 0);
    let middle: [f64; 3] = std::array::from_fn(|a| start.iter().map(|x| x[a]).sum::<f64>() / start.len() as f64);
    let farthest = |points: &[[f64; 3]]| {
        let distance = |x: &[f64; 3]| (0..3).map(|a| (x[a] - middle[a]).powi(2)).sum::<f64>().sqrt();
        points.iter().map(distance).fold(0.0, f64::max)
    };
    let reach = FARTHEST * farthest(&start);
    let time = &loaded.scene.time;
    let frames = (f64::from(time.frames) * share).ceil() as u32;
    for index in 1..=frames {
        let until = f64::from(index) / time.fps;
        while simulation.time() < until {
            if let Err(failure) = simulation.step(until) {
                panic!("{name}, seed {seed}: {failure:?}\n{sets:?}");
            }
        }
        let far = farthest(&points(&*simulation, index));
        assert!(far < reach, "{name}, seed {seed}, frame {index}: a point is {far} m away\n{sets:?}");
    }
}

#[test]
fn perturbed_scenes_are_stable_on_a_coarse_grid() {
    // A scene this coarse does not keep all threads busy, so scenes run in parallel.
    let runs = scenes().zip(SEEDS.into_iter().cycle()).collect::<Vec<_>>();
    runs.into_par_iter().for_each(|(name, seed)| run(name, seed, 2.0, 0.33));
}

#[test]
#[ignore = "takes about half an hour"]
fn perturbed_scenes_are_stable_to_their_end() {
    for name in scenes() {
        for seed in SEEDS {
            run(name, seed, 1.0, 1.0);
            println!("{name}, seed {seed}: holds");
        }
    }
}
