//! Compares 100 steps of built-in scenes on a GPU with the CPU.
#![cfg(feature = "gpu")]

use fibra_run::device::{Card, Device};
use fibra_run::simulation::Simulation;
use fibra_run::simulation_of;
use fibra_scene::Scene;

/// Loads a built-in scene. `dance` gets few strands: a software GPU takes seconds for each step with all of them.
fn load(name: &str) -> Box<dyn Simulation> {
    let style = "object.hair.shape.hairstyle";
    let sets = match name {
        "dance" => {
            vec![format!("{style}.strands=60"), format!("{style}.points=780"), format!("{style}.interpolated=0")]
        }
        _ => Vec::new(),
    };
    let loaded = Scene::load(name, None, &sets).unwrap_or_else(|error| panic!("{}", error.render(false)));
    simulation_of(&loaded).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

/// A time so far ahead that no step is shortened to end on it [s].
const FAR_AHEAD: f64 = 1e6;

/// Returns the simulated time after a number of steps [s].
fn time_after(name: &str, steps: u32) -> f64 {
    let mut simulation = load(name);
    for _ in 0..steps {
        simulation.step(FAR_AHEAD).unwrap();
    }
    simulation.time()
}

fn advance(mut simulation: Box<dyn Simulation>, until: f64) -> (Box<dyn Simulation>, u64) {
    let mut steps = 0;
    while simulation.time() < until {
        steps += simulation.step(until).unwrap().count;
    }
    (simulation, steps)
}

/// Returns the largest and the root mean square distance between corresponding points [m].
fn distances(a: &[[f32; 3]], b: &[[f32; 3]]) -> [f64; 2] {
    assert_eq!(a.len(), b.len());
    let squares = a.iter().zip(b).map(|(a, b)| (0..3).map(|k| f64::from(a[k] - b[k]).powi(2)).sum::<f64>());
    let (mut most, mut sum) = (0.0f64, 0.0);
    squares.for_each(|square| (most, sum) = (most.max(square), sum + square));
    [most.sqrt(), (sum / a.len().max(1) as f64).sqrt()]
}

/// Runs a scene on every available GPU. `most` and `mean` bound the largest and the root mean square distance [m].
fn check(name: &str, most: f64, mean: f64) {
    let cards = [Device::Cuda, Device::Vulkan].map(Device::open).into_iter().filter_map(|opened| opened.ok()?.0);
    let tried = cards.map(|card| check_on(&card, name, most, mean)).count();
    assert!(tried > 0 || std::env::var_os("FIBRA_NEEDS_GPU").is_none(), "no GPU is available to test on");
}

fn check_on(card: &Card, name: &str, most: f64, mean: f64) {
    // A strand step of `dance` has three grid steps, so 34 strand steps have about 100.
    let until = time_after(name, if name == "dance" { 34 } else { 100 });
    let (cpu, steps) = advance(load(name), until);
    let mut gpu = load(name);
    gpu.move_to(card).unwrap();
    let (gpu, gpu_steps) = advance(gpu, until);
    let (a, b) = (cpu.frame(1), gpu.frame(1));
    let [points, points_mean] = distances(&a.points, &b.points);
    let translations = |frame: &fibra_core::frame::Frame| -> Vec<[f32; 3]> {
        frame.instances.iter().map(|pose| pose.translation).collect()
    };
    let [grains, _] = distances(&translations(&a), &translations(&b));
    println!(
        "{name}: {steps} and {gpu_steps} steps; points {points:.2e} m, mean {points_mean:.2e} m; grains {grains:.2e} m"
    );
    assert!(points <= most && points_mean <= mean && grains <= most, "{name}");
    assert_eq!(a.time, b.time);
}

#[test]
fn dance() {
    check("dance", 1e-3, 1e-4);
}

#[test]
fn hair_tubes() {
    check("hair-tubes", 1e-4, 1e-5);
}

#[test]
fn cloth_sand() {
    check("cloth-sand", 1e-4, 1e-5);
}

#[test]
fn column_repose() {
    check("column-repose", 1e-4, 1e-5);
}
