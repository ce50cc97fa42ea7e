//! GPU benchmarks: median times after a warm-up, including kernel launches and the time that the host waits
//! for the device.

use super::Timed;
use super::peer_block::{Matter, Order, fine_block};
use crate::Case;
use crate::validation::hair_scene::HairScene;
use fibra_gpu::Gpu;
use fibra_gpu::Runtime;
use fibra_hair::internals::gpu::ldl::Systems;
use fibra_hair::internals::random_band::RandomBand;
use fibra_mpm::internals::gpu::sim::DeviceMpm;
use fibra_run::device::Card;
use fibra_run::simulation::Simulation;
use fibra_run::simulation_of;
use fibra_scene::Scene;
use std::time::Instant;

/// A GPU benchmark.
pub type CardCase = Case<fn(&Card) -> Result<Vec<Timed>, String>>;

/// All GPU benchmarks, in the order they run.
pub const CASES: &[CardCase] = &[
    CardCase {
        name: "mpm-jelly",
        about: "step of a falling block of jelly, 5,449,680 particles in lattice and in random order",
        run: |card| peer_blocks(card, Matter::Jelly),
    },
    CardCase {
        name: "mpm-sand",
        about: "step of a falling block of sand, 5,449,680 particles in lattice and in random order",
        run: |card| peer_blocks(card, Matter::Sand),
    },
    CardCase {
        name: "mpm-fiber",
        about: "frame of the scene hair-tubes with its preset paper (each frame counts as one step)",
        run: |card| scene(card, "hair-tubes"),
    },
    CardCase {
        name: "mpm-cloth",
        about: "frame of the scene cloth-ball with its preset paper (each frame counts as one step)",
        run: |card| scene(card, "cloth-ball"),
    },
    CardCase {
        name: "mpm-scaling",
        about: "step of falling blocks of jelly, 100 thousand to 64 million particles in random order",
        run: scaling,
    },
    CardCase {
        name: "hair-dance",
        about: "frame of short hair on a dancing figure, 27,114 simulated vertices, 69,200 render strands (each frame counts as one step)",
        run: |card| hair(card, "dance", &["object.hair.shape.hairstyle.interpolated=67124"]),
    },
    CardCase {
        name: "hair-long",
        about: "frame of long hair, 43,262 simulated vertices, 35,100 render strands (each frame counts as one step)",
        run: |card| hair(card, "long-hair", &["object.hair.shape.hairstyle.interpolated=34047"]),
    },
    CardCase {
        name: "hair-full-head",
        about: "frame of hair on a dancing figure with 100,000 simulated strands of 24 vertices (each frame counts as one step)",
        run: |card| full_head(card, 100_000).map(|timed| vec![timed]),
    },
    CardCase {
        name: "hair-scaling",
        about: "frame of hair on a dancing figure with 2,000 to 200,000 simulated strands of 24 vertices (each frame counts as one step)",
        run: |card| {
            let counts: &[u32] = if is_software(card) { &[500] } else { &[2_000, 10_000, 50_000, 200_000] };
            counts.iter().map(|&count| full_head(card, count)).collect()
        },
    },
    CardCase {
        name: "hair-ldl",
        about: "factorization and solution of 300 to 100,000 band systems of 400 unknowns (items are systems)",
        run: ldl,
    },
];

/// Evaluates an expression with the `Gpu` of either back end.
macro_rules! on_card {
    ($card:expr, $gpu:ident => $body:expr) => {
        match $card {
            Card::Cuda($gpu) => $body,
            Card::Vulkan($gpu) => $body,
        }
    };
}

/// Number of timed repeats.
const REPEATS: usize = 7;

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Median wall time of `work` [s], after one untimed call.
fn timed(mut work: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    work()?;
    let mut seconds = Vec::new();
    for _ in 0..REPEATS {
        let start = Instant::now();
        work()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(median(seconds))
}

fn peer_blocks(card: &Card, matter: Matter) -> Result<Vec<Timed>, String> {
    // A grid three times as fine as in the CPU benchmark gives 5.4 million particles. A software device uses the size
    // of the CPU benchmark.
    let finer = if is_software(card) { 1.0 } else { 3.0 };
    [(Order::Lattice, ""), (Order::Shuffled, "shuffled")]
        .into_iter()
        .map(|(order, part)| Ok(Timed { part: part.to_owned(), ..block(card, matter, finer, order)? }))
        .collect()
}

fn scaling(card: &Card) -> Result<Vec<Timed>, String> {
    // Each size has about eight times as many particles as the previous one.
    let sizes: &[f64] = if is_software(card) { &[0.8] } else { &[0.8, 1.6, 3.2, 6.8] };
    let one = |&finer: &f64| {
        let timed = block(card, Matter::Jelly, finer, Order::Shuffled)?;
        Ok(Timed { part: timed.items.to_string(), ..timed })
    };
    sizes.iter().map(one).collect()
}

fn is_software(card: &Card) -> bool {
    card.name().contains("llvmpipe")
}

/// Number of steps of a block per timed repeat.
const STEPS: u64 = 60;

fn block(card: &Card, matter: Matter, finer: f64, order: Order) -> Result<Timed, String> {
    let (params, state) = fine_block(matter, finer, order);
    on_card!(card, gpu => time_block(gpu, &params, state))
}

fn time_block<R: Runtime>(
    gpu: &Gpu<R>,
    params: &fibra_mpm::internals::params::Params,
    mut state: fibra_mpm::internals::state::State,
) -> Result<Timed, String> {
    let mut device = DeviceMpm::new(gpu.clone(), params, &state).map_err(|error| error.to_string())?;
    let items = state.particles.len();
    let mut sorts = 0;
    let seconds = timed(|| {
        let until = state.time + STEPS as f64 * params.limits.max_dt;
        let taken = device.advance(params, &mut state, until).map_err(|error| error.to_string())?;
        sorts = taken.sorts;
        Ok(())
    })?;
    let details = vec![("particle_steps_per_second", items as f64 * STEPS as f64 / seconds), ("sorts", sorts as f64)];
    Ok(Timed { items, steps: STEPS, seconds, details, ..Timed::default() })
}

/// Times the frames of a scene with its preset `paper`, except for the first frame.
fn scene(card: &Card, name: &str) -> Result<Vec<Timed>, String> {
    let preset = if is_software(card) { None } else { Some("paper") };
    let loaded = Scene::load(name, preset, &[]).map_err(|error| error.render(false))?;
    let mut simulation = simulation_of(&loaded).map_err(|error| error.render(false))?;
    simulation.move_to(card)?;
    let (frames, fps) = (loaded.scene.time.frames, loaded.scene.time.fps);
    let frames = if is_software(card) { 3 } else { frames };
    let (mut seconds, mut steps) = (Vec::new(), 0);
    for frame in 1..=frames {
        let start = Instant::now();
        let step = simulation.step(f64::from(frame) / fps).map_err(|failure| failure.to_string())?;
        // The first frame compiles the kernels.
        if frame > 1 {
            seconds.push(start.elapsed().as_secs_f64());
            steps += step.count;
        }
    }
    let timed = (seconds.len() as f64).max(1.0);
    let details = vec![
        ("steps_per_frame", steps as f64 / timed),
        ("slowest_frame_seconds", seconds.iter().copied().fold(0.0, f64::max)),
        ("frames", timed),
    ];
    Ok(vec![Timed { items: simulation.items(), steps: 1, seconds: median(seconds), details, ..Timed::default() }])
}

/// Numbers of timed frames of hair and of untimed warm-up frames.
const HAIR_FRAMES: u32 = 120;
const HAIR_WARM_UP: u32 = 30;
/// Frames per simulated second [1/s].
const FPS: f64 = 60.0;

fn hair(card: &Card, name: &str, sets: &[&str]) -> Result<Vec<Timed>, String> {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    Ok(vec![time_hair(card, HairScene::load(name, None, &sets)?)?])
}

fn full_head(card: &Card, strands: u32) -> Result<Timed, String> {
    let style = "object.hair.shape.hairstyle";
    let sets = [
        format!("{style}.strands={strands}"),
        format!("{style}.points={}", 24 * strands),
        format!("{style}.interpolated=0"),
    ];
    Ok(Timed { part: strands.to_string(), ..time_hair(card, HairScene::load("dance", None, &sets)?)? })
}

/// Times frames of hair. A frame consists of all strand steps and the interpolation of the render strands. The host
/// waits for each frame, so the device is idle while the host prepares the next frame. Nothing is downloaded.
fn time_hair(card: &Card, mut scene: HairScene) -> Result<Timed, String> {
    let simulation = &mut scene.simulation;
    simulation.move_to(card)?;
    simulation.upload_render_strands();
    let (warm_up, frames) = if is_software(card) { (1, 2) } else { (HAIR_WARM_UP, HAIR_FRAMES) };
    let (mut seconds, mut steps) = (Vec::new(), 0);
    for frame in 1..=warm_up + frames {
        let start = Instant::now();
        let advanced = simulation.advance_on_device(f64::from(frame) / FPS).ok_or("hair is not on the device")?;
        steps = advanced.map_err(|failure| failure.to_string())?.count;
        simulation.place_render_strands_on_device();
        simulation.wait_for_device()?;
        if frame > warm_up {
            seconds.push(start.elapsed().as_secs_f64());
        }
    }
    let slowest = seconds.iter().copied().fold(0.0, f64::max);
    let seconds = median(seconds);
    let details = vec![
        ("frames_per_second", 1.0 / seconds),
        ("slowest_frame_seconds", slowest),
        ("steps_of_strands_per_frame", steps as f64),
    ];
    // Kernel errors are reported by the next download.
    simulation.step(simulation.time() + 1.0 / FPS).map_err(|failure| failure.to_string())?;
    Ok(Timed { items: simulation.items(), steps: 1, seconds, details, ..Timed::default() })
}

/// Number of unknowns of a band system.
const ROWS: usize = 400;

fn ldl(card: &Card) -> Result<Vec<Timed>, String> {
    let counts: &[usize] = if is_software(card) { &[300] } else { &[300, 1_000, 3_000, 30_000, 100_000] };
    on_card!(card, gpu => counts.iter().map(|&count| time_ldl(gpu, count)).collect())
}

/// Number of solves launched before the host waits for the device.
const SOLVES: u64 = 20;

fn time_ldl<R: Runtime>(gpu: &Gpu<R>, count: usize) -> Result<Timed, String> {
    // Reuse a few hundred systems, because generating a system takes longer than solving it.
    let different: Vec<RandomBand> = (0..count.min(300)).map(|number| RandomBand::new(number as u64, ROWS)).collect();
    let bands: Vec<RandomBand> = (0..count).map(|number| different[number % different.len()].clone()).collect();
    let systems = Systems::upload(gpu, &bands);
    let seconds = timed(|| {
        (0..SOLVES).for_each(|_| systems.solve());
        gpu.wait().map_err(|error| error.to_string())
    })?;
    let details = vec![("systems_per_second", count as f64 * SOLVES as f64 / seconds)];
    Ok(Timed { part: count.to_string(), items: count, steps: SOLVES, seconds, details, ..Timed::default() })
}
