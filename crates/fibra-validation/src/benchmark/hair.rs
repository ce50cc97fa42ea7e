//! Real-time hair: time of whole frames as in a game, including all render strands, and the share of each stage
//! [Huang2023, Table 3].

use super::Timed;
use crate::validation::hair_scene::HairScene;
use fibra_core::geometry::GuideFrames;
use fibra_run::simulation::Simulation;
use fibra_scene::setup::HairObject;
use glam::{DQuat, Vec3};
use std::time::Instant;

/// Frames per simulated second [1/s].
const FPS: f64 = 60.0;
/// Numbers of warm-up frames and of timed frames.
const WARM_UP: u32 = 6;
const FRAMES: u32 = 60;
/// Number of repeats; the fastest counts.
const REPEATS: usize = 3;
/// Grid substeps per strand step: the value of the scenes, and a single substep.
const SUBSTEPS: [(u32, &str); 2] = [(3, ""), (1, "1-substep")];

/// Short hair on the dancing figure: 69,200 strands, 2,076 of them simulated.
pub fn dance() -> Result<Vec<Timed>, String> {
    let mut timed = scene("dance", 69_200 - 2_076)?;
    let bar = match rayon::current_num_threads() {
        1 => 17.0,
        _ => 30.0,
    };
    let reached = f64::from(FRAMES) / timed[0].seconds;
    timed[0].details.splice(1..1, [("bar", bar), ("met", f64::from(reached >= bar))]);
    Ok(timed)
}

/// Long hair: 35,100 strands, 1,053 of them simulated.
pub fn long() -> Result<Vec<Timed>, String> {
    scene("long-hair", 35_100 - 1_053)
}

fn scene(name: &str, drawn: u32) -> Result<Vec<Timed>, String> {
    let sets = |substeps: u32| {
        [format!("hair.substeps={substeps}"), format!("object.hair.shape.hairstyle.interpolated={drawn}")]
    };
    // Run on a thread of the pool. From a thread outside the pool, every parallel loop would have to wake the pool.
    rayon::scope(|_| {
        let timed = |(substeps, part): (u32, &str)| {
            let mut best = Timed { seconds: f64::INFINITY, ..Timed::default() };
            for _ in 0..REPEATS {
                let timed = time(HairScene::load(name, None, &sets(substeps))?)?;
                best = if timed.seconds < best.seconds { timed } else { best };
            }
            Ok(Timed { part: part.to_owned(), ..best })
        };
        SUBSTEPS.into_iter().map(timed).collect()
    })
}

/// Positions of the render strands of an object.
struct Drawing {
    /// Rotation of the head at the start.
    head: DQuat,
    frames: GuideFrames,
    points: Vec<Vec3>,
}

impl Drawing {
    fn new(scene: &HairScene) -> Drawing {
        let count = |object: &HairObject| {
            let drawn = object.drawn.as_ref()?;
            drawn.offsets().last().copied()
        };
        let points = scene.simulation.objects().first().and_then(count).unwrap_or(0);
        let head = scene.simulation.sim().head().rotation;
        Drawing { head, frames: GuideFrames::default(), points: vec![Vec3::ZERO; points as usize] }
    }

    /// Interpolates all render strands and returns the wall time [s].
    fn place(&mut self, scene: &HairScene) -> f64 {
        let start = Instant::now();
        let sim = scene.simulation.sim();
        let turn = (sim.head().rotation * self.head.inverse()).as_quat().normalize();
        if let Some(drawn) = scene.simulation.objects().first().and_then(|object| object.drawn.as_ref()) {
            drawn.place(sim.positions(), turn, &mut self.frames, &mut self.points);
        }
        start.elapsed().as_secs_f64()
    }
}

fn time(mut scene: HairScene) -> Result<Timed, String> {
    let mut drawing = Drawing::new(&scene);
    let mut frame = |scene: &mut HairScene, number: u32| -> Result<[f64; 2], String> {
        let start = Instant::now();
        scene.advance_to(f64::from(number) / FPS)?;
        Ok([start.elapsed().as_secs_f64(), drawing.place(scene)])
    };
    for number in 1..=WARM_UP {
        frame(&mut scene, number)?;
    }
    let before = scene.simulation.sim().stage_seconds();
    let (mut simulated, mut placed, mut worst) = (0.0, 0.0, 0.0);
    for number in WARM_UP + 1..=WARM_UP + FRAMES {
        let [moving, placing] = frame(&mut scene, number)?;
        (simulated, placed, worst) = (simulated + moving, placed + placing, f64::max(worst, moving + placing));
    }
    let after = scene.simulation.sim().stage_seconds();
    let seconds = simulated + placed;
    let percent_of = |stage: &str| {
        let spent = before.iter().zip(&after).find(|((name, _), _)| *name == stage);
        spent.map_or(0.0, |((_, before), (_, after))| 100.0 * (after - before) / seconds)
    };
    let parts = [
        ("particles_to_grid_percent", percent_of("p2g")),
        ("solve_percent", percent_of("solve")),
        ("interpolation_percent", 100.0 * placed / seconds),
        ("grid_to_particles_percent", percent_of("g2p")),
        ("build_percent", percent_of("build")),
        // Stages that the paper's table does not list.
        ("sort_percent", percent_of("sort")),
        ("grid_update_percent", percent_of("grid_update")),
        ("settle_percent", percent_of("settle")),
    ];
    let others = 100.0 - parts.iter().map(|(_, percent)| percent).sum::<f64>();
    let mut details = vec![
        ("frames_per_second", f64::from(FRAMES) / seconds),
        ("frames_per_second_without_interpolation", f64::from(FRAMES) / simulated),
        ("worst_frame_seconds", worst),
        ("drawn_points", drawing.points.len() as f64),
    ];
    details.extend(parts.into_iter().chain([("others_percent", others)]));
    let items = scene.simulation.items();
    Ok(Timed { items, steps: u64::from(FRAMES), seconds, details, ..Timed::default() })
}
