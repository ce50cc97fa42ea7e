//! A hundred steps of built-in scenes on a graphics card against the processor.
#![cfg(feature = "gpu")]

use fibra_run::device::{Card, Device};
use fibra_run::simulation::Simulation;
use fibra_run::simulation_of;
use fibra_scene::Scene;

/// The built-in scene; of `dance` a head with few strands, since software takes seconds for each step of all.
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

/// A time before which no step has to be shortened to land on it [s].
const FAR_AHEAD: f64 = 1e6;

/// The time after so many steps [s].
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

/// Largest and root mean square distance between where points are [m].
fn apart(a: &[[f32; 3]], b: &[[f32; 3]]) -> [f64; 2] {
    assert_eq!(a.len(), b.len());
    let squares = a.iter().zip(b).map(|(a, b)| (0..3).map(|k| f64::from(a[k] - b[k]).powi(2)).sum::<f64>());
    let (mut most, mut sum) = (0.0f64, 0.0);
    squares.for_each(|square| (most, sum) = (most.max(square), sum + square));
    [most.sqrt(), (sum / a.len().max(1) as f64).sqrt()]
}

/// `most` and `mean` are what the largest and the root mean square distance may be [m].
fn check(name: &str, most: f64, mean: f64) {
    let cards = [Device::Cuda, Device::Vulkan].map(Device::open).into_iter().filter_map(|opened| opened.ok()?.0);
    let tried = cards.map(|card| check_on(&card, name, most, mean)).count();
    assert!(tried > 0 || std::env::var_os("FIBRA_NEEDS_GPU").is_none(), "there is no device to test on");
}

fn check_on(card: &Card, name: &str, most: f64, mean: f64) {
    // A step of strands has three of the grid.
    let until = time_after(name, if name == "dance" { 34 } else { 100 });
    let (cpu, steps) = advance(load(name), until);
    let mut there = load(name);
    there.move_to(card).unwrap();
    let (there, steps_there) = advance(there, until);
    let (a, b) = (cpu.frame(1), there.frame(1));
    let [points, points_mean] = apart(&a.points, &b.points);
    let translations = |frame: &fibra_core::frame::Frame| -> Vec<[f32; 3]> {
        frame.instances.iter().map(|pose| pose.translation).collect()
    };
    let [grains, _] = apart(&translations(&a), &translations(&b));
    println!(
        "{name}: {steps} and {steps_there} steps; points {points:.2e} m, mean {points_mean:.2e} m; grains {grains:.2e} m"
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
