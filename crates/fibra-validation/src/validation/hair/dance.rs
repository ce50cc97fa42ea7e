//! Hair on the dancing figure: that it stays out of it, and that steps of the strands may be longer than those of the grid.

use crate::validation::Check;
use crate::validation::hair_scene::HairScene;
use fibra_hair::HairSim;
use fibra_hair::internals::measures::{free_points, inside};

/// How long the hair dances until it is compared [s].
const COMPARED: f64 = 2.0;
/// How far it may be from where it is with one step of the grid per step of the strands, over the length of its strand, in the mean [-].
const DIFFERENCE: f64 = 0.05;
/// How long it dances around the body [s]: with a spin.
const AROUND: f64 = 8.0;
/// Frames per second of it [1/s].
const FPS: u32 = 60;
/// Largest share of free vertices that may be deeper than half a cell in a body [-].
const INSIDE: f64 = 0.005;

/// Two and three steps of the grid per step of the strands, against one [Huang2023, Fig. 13].
pub fn substeps() -> Result<Vec<Check>, String> {
    let danced = |substeps: u32| {
        let mut scene = HairScene::load("dance", None, &[format!("hair.substeps={substeps}")])?;
        scene.advance_to(COMPARED)?;
        Ok::<_, String>(scene)
    };
    let one = danced(1)?;
    [2, 3]
        .into_iter()
        .map(|substeps| {
            let measured = difference(danced(substeps)?.simulation.sim(), one.simulation.sim());
            let name = format!("hair-substeps-{substeps}");
            Ok(Check { name, measured, expected: 0.0, error: measured, tolerance: DIFFERENCE })
        })
        .collect()
}

/// Mean distance of the vertices of the same hair in two states, over the lengths of their strands [-].
fn difference(hair: &HairSim, other: &HairSim) -> f64 {
    let mut sum = 0.0;
    for strand in 0..hair.strands().len() {
        let own = hair.strands().vertices(strand);
        let (points, others) = (&hair.positions()[own.clone()], &other.positions()[own]);
        let length: f32 = others.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        sum += points.iter().zip(others).map(|(x, y)| f64::from(x.distance(*y) / length)).sum::<f64>();
    }
    sum / hair.positions().len() as f64
}

/// The largest share of free vertices deep in the head, and in any body, of all frames.
pub fn head() -> Result<Vec<Check>, String> {
    let mut scene = HairScene::load("dance", None, &[])?;
    let (mut in_head, mut in_any) = (0.0, 0.0);
    for frame in 1..=(AROUND * f64::from(FPS)) as u32 {
        scene.advance_to(f64::from(frame) / f64::from(FPS))?;
        let sim = scene.simulation.sim();
        let all = 0..sim.positions().len();
        let depth = 0.5 * sim.settings().grid.cell;
        let (count, free) = inside(sim, all.clone(), depth);
        in_any = f64::max(in_any, count as f64 / free as f64);
        // The head's skin is the last.
        let skin = sim.placed_colliders().last().ok_or("the figure has no head")?;
        let deep = free_points(sim, all).filter(|x| skin.signed_distance(*x) < -depth).count();
        in_head = f64::max(in_head, deep as f64 / free as f64);
    }
    Ok(vec![Check::at_most("hair-head", in_head, INSIDE), Check::at_most("hair-head-body", in_any, INSIDE)])
}
